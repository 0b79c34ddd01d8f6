"""Right ways to write optimisers, data and training that differ from the reference's."""

ADAM_BY_INDEX = """
def step(self):
    self.t = self.t + 1
    for i, param in enumerate(self.params):
        if param.grad is not None:
            g = param.grad.detach().numpy() + self.weight_decay * param.detach().numpy()
            self.m[i] = self.beta1 * self.m.get(i, np.zeros_like(g)) + (1 - self.beta1) * g
            self.v[i] = self.beta2 * self.v.get(i, np.zeros_like(g)) + (1 - self.beta2) * g * g
            m_hat = self.m[i] / (1 - self.beta1 ** self.t)
            v_hat = self.v[i] / (1 - self.beta2 ** self.t)
            new = param.numpy() - self.lr * m_hat / (np.sqrt(v_hat) + self.eps)
            param.data = ndl.Tensor(new, dtype="float32")
"""

ADAM_BY_ID = """
def step(self):
    self.t += 1
    for w in self.params:
        if w.grad is None:
            continue
        key = id(w)
        if key not in self.m:
            self.m[key] = ndl.init.zeros(*w.shape)
            self.v[key] = ndl.init.zeros(*w.shape)
        grad = ndl.Tensor(w.grad.numpy(), dtype="float32", requires_grad=False)
        if self.weight_decay > 0:
            grad = grad + self.weight_decay * w.detach()
        self.m[key] = (self.beta1 * self.m[key] + (1 - self.beta1) * grad).detach()
        self.v[key] = (self.beta2 * self.v[key] + (1 - self.beta2) * grad * grad).detach()
        unbiased_m = self.m[key] / (1 - self.beta1 ** self.t)
        unbiased_v = self.v[key] / (1 - self.beta2 ** self.t)
        w.data = w.data - self.lr * unbiased_m / (ndl.ops.power_scalar(unbiased_v, 0.5) + self.eps)
"""

SGD_RATE_INSIDE = """
def step(self):
    for w in self.params:
        if w.grad is None:
            continue
        if w not in self.u:
            self.u[w] = 0
        g = w.grad.data + w.data * self.weight_decay
        self.u[w] = (self.u[w] * self.momentum + g * (1 - self.momentum)).data
        w.data += self.u[w] * (-self.lr)
"""

SGD_IN_PLACE = """
def step(self):
    for w in self.params:
        if w.grad is not None:
            g = w.grad.cached_data + self.weight_decay * w.cached_data
            u = self.u.setdefault(w, np.zeros(w.shape, dtype=w.dtype))
            u *= self.momentum
            u += (1 - self.momentum) * g
            w.cached_data -= self.lr * u
"""

LOADER_COUNTER = {
    "DataLoader.__init__": """
def __init__(self, dataset, batch_size=1, shuffle=False):
    self.dataset = dataset
    self.shuffle = shuffle
    self.batch_size = batch_size
    if not self.shuffle:
        self.ordering = np.array_split(np.arange(len(dataset)), range(batch_size, len(dataset), batch_size))
""",
    "DataLoader.__iter__": """
def __iter__(self):
    if self.shuffle:
        rows = np.arange(len(self.dataset))
        np.random.shuffle(rows)
        self.ordering = np.array_split(rows, range(self.batch_size, len(rows), self.batch_size))
    self.n = -1
    return self
""",
    "DataLoader.__next__": """
def __next__(self):
    self.n += 1
    if self.n >= len(self.ordering):
        raise StopIteration
    return tuple(Tensor(part) for part in self.dataset[self.ordering[self.n]])
""",
}

LOADER_GENERATOR = {
    "DataLoader.__iter__": """
def __iter__(self):
    rows = list(range(len(self.dataset)))
    if self.shuffle:
        rows = np.random.permutation(rows).tolist()
    for at in range(0, len(rows), self.batch_size):
        batch = [self.dataset[i] for i in rows[at:at + self.batch_size]]
        yield [Tensor(np.array(part)) for part in zip(*batch)]
""",
}

DATASET_FLAT = {
    "MNISTDataset.__init__": """
def __init__(self, image_filename, label_filename, transforms=None):
    super().__init__(transforms)
    with gzip.open(image_filename, "rb") as f:
        self.X = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 784).astype("float32") / 255
    with open(label_filename, "rb") as f:
        self.y = np.frombuffer(gzip.decompress(f.read()), np.uint8, offset=8)
""",
    "MNISTDataset.__getitem__": """
def __getitem__(self, index):
    X, y = self.X[index], self.y[index]
    if X.ndim == 1:
        return self.apply_transforms(X.reshape(28, 28, 1)).reshape(-1), y
    return np.stack([self.apply_transforms(x.reshape(28, 28, 1)).reshape(-1) for x in X]), y
""",
    "MNISTDataset.__len__": """
def __len__(self):
    return self.X.shape[0]
""",
}

TRANSFORMS = {
    "RandomFlipHorizontal.__call__": """
def __call__(self, img):
    flip_img = np.random.rand() < self.p
    if flip_img:
        img = np.flip(img, axis=1)
    return img
""",
    "RandomCrop.__call__": """
def __call__(self, img):
    shift_x, shift_y = np.random.randint(low=-self.padding, high=self.padding + 1, size=2)
    H, W, C = img.shape
    out = np.zeros_like(img)
    if abs(shift_x) >= H or abs(shift_y) >= W:
        return out
    x0, x1 = max(0, shift_x), min(H, H + shift_x)
    y0, y1 = max(0, shift_y), min(W, W + shift_y)
    out[x0 - shift_x:x1 - shift_x, y0 - shift_y:y1 - shift_y] = img[x0:x1, y0:y1]
    return out
""",
}

EPOCH_BY_BATCH = {
    "epoch": """
def epoch(dataloader, model, opt=None):
    np.random.seed(4)
    loss_fn = nn.SoftmaxLoss()
    model.eval() if opt is None else model.train()
    wrong, losses = 0, []
    for i, batch in enumerate(dataloader):
        x, y = batch[0], batch[1]
        out = model(x)
        loss = loss_fn(out, y)
        wrong += np.sum(np.argmax(out.numpy(), axis=1) != y.numpy())
        losses.append(loss.numpy())
        if opt:
            opt.reset_grad()
            loss.backward()
            opt.step()
    return wrong / len(dataloader.dataset), np.mean(losses)
""",
    "train_mnist": """
def train_mnist(batch_size=100, epochs=10, optimizer=ndl.optim.Adam, lr=0.001, weight_decay=0.001,
                hidden_dim=100, data_dir="data"):
    np.random.seed(4)
    resnet = MLPResNet(784, hidden_dim=hidden_dim)
    opt = optimizer(resnet.parameters(), lr=lr, weight_decay=weight_decay)
    train = ndl.data.MNISTDataset(f"./{data_dir}/train-images-idx3-ubyte.gz", f"./{data_dir}/train-labels-idx1-ubyte.gz")
    test = ndl.data.MNISTDataset(data_dir + "/t10k-images-idx3-ubyte.gz", data_dir + "/t10k-labels-idx1-ubyte.gz")
    train_loader = ndl.data.DataLoader(train, batch_size=batch_size, shuffle=True)
    for _ in range(epochs):
        train_err, train_loss = epoch(train_loader, resnet, opt)
    test_err, test_loss = epoch(ndl.data.DataLoader(test, batch_size=batch_size), resnet)
    return train_err, train_loss, test_err, test_loss
""",
}

BLOCK_CLASS = {
    "ResidualBlock": """
def ResidualBlock(dim, hidden_dim, norm=nn.BatchNorm1d, drop_prob=0.1):
    layers = [nn.Linear(dim, hidden_dim), norm(hidden_dim), nn.ReLU(), nn.Dropout(drop_prob)]
    layers += [nn.Linear(hidden_dim, dim), norm(dim)]
    main_path = nn.Residual(nn.Sequential(*layers))
    return nn.Sequential(main_path, nn.ReLU())
""",
    "MLPResNet": """
def MLPResNet(dim, hidden_dim=100, num_blocks=3, num_classes=10, norm=nn.BatchNorm1d, drop_prob=0.1):
    return nn.Sequential(nn.Flatten(), nn.Linear(dim, hidden_dim), nn.ReLU(),
        nn.Sequential(*[ResidualBlock(dim=hidden_dim, hidden_dim=hidden_dim // 2, norm=norm, drop_prob=drop_prob)
                        for _ in range(num_blocks)]),
        nn.Linear(hidden_dim, num_classes))
""",
}

NUMPY = {"before:Optimizer": "import numpy as np"}

STYLES = {
    "by_index": {**NUMPY, "Adam.step": ADAM_BY_INDEX, "SGD.step": SGD_IN_PLACE, **LOADER_COUNTER},
    "by_id": {"Adam.step": ADAM_BY_ID, "SGD.step": SGD_RATE_INSIDE, **LOADER_GENERATOR, **DATASET_FLAT},
    "by_batch": {**EPOCH_BY_BATCH, **BLOCK_CLASS, **TRANSFORMS, **LOADER_COUNTER},
}
