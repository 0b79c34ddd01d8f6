"""Parts kept in lists and dicts and shown as properties, remembered files, types that are asserted."""
# ruff: noqa
# mypy: ignore-errors


class Linear:
    def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        made = [init.kaiming_uniform(in_features, out_features, device=device, dtype=dtype)]
        if bias:
            drawn = init.kaiming_uniform(out_features, 1, device=device, dtype=dtype)
            made.append(drawn.reshape((1, out_features)))
        self._parameters = [Parameter(one) for one in made]

    @property
    def weight(self):
        return self._parameters[0]

    @property
    def bias(self):
        return self._parameters[1] if len(self._parameters) > 1 else None

    def forward(self, X):
        out = X @ self.weight
        return out if self.bias is None else out + self.bias.broadcast_to(out.shape)


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1, device=None, dtype="float32"):
        super().__init__()
        self.dim, self.eps, self.momentum = dim, eps, momentum
        self.weight = Parameter(init.ones(dim, device=device, dtype=dtype))
        self.bias = Parameter(init.zeros(dim, device=device, dtype=dtype))
        self._mean = np.zeros(dim, dtype=dtype)
        self._var = np.ones(dim, dtype=dtype)

    @property
    def running_mean(self):
        return Tensor(self._mean, requires_grad=False)

    @property
    def running_var(self):
        return Tensor(self._var, requires_grad=False)

    def forward(self, x):
        if self.training:
            mean = x.sum(axes=(0,)) / x.shape[0]
            centered = x - mean.broadcast_to(x.shape)
            var = (centered**2).sum(axes=(0,)) / x.shape[0]
            self._mean = (1 - self.momentum) * self._mean + self.momentum * mean.numpy()
            self._var = (1 - self.momentum) * self._var + self.momentum * var.numpy()
        else:
            centered = x - self.running_mean.broadcast_to(x.shape)
            var = self.running_var
        normal = centered / ((var + self.eps) ** 0.5).broadcast_to(x.shape)
        return self.weight.broadcast_to(x.shape) * normal + self.bias.broadcast_to(x.shape)


class LayerNorm1d:
    def __init__(self, dim, eps=1e-5, device=None, dtype="float32"):
        super().__init__()
        self.dim, self.eps = dim, eps
        self._parameters = {
            "weight": Parameter(init.ones(dim, device=device, dtype=dtype)),
            "bias": Parameter(init.zeros(dim, device=device, dtype=dtype)),
        }

    def __getattr__(self, name):
        kept = self.__dict__.get("_parameters", {})
        if name in kept:
            return kept[name]
        raise AttributeError(name)


from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=None)
def _read(image_filename, label_filename):
    images, labels = Path(image_filename), Path(label_filename)
    if not images.is_file() or not labels.exists():
        raise FileNotFoundError("the data set is not there yet")
    content = gzip.decompress(images.read_bytes())
    _, count, rows, columns = struct.unpack(">4I", content[:16])
    pixels = np.frombuffer(content, np.uint8, offset=16).reshape(count, rows, columns, 1)
    return pixels.astype(np.float32) / np.float32(255), np.frombuffer(
        gzip.decompress(labels.read_bytes())[8:], np.uint8
    )


class MNISTDataset:
    def __init__(self, image_filename, label_filename, transforms=None):
        super().__init__(transforms)
        self.images, self.labels = _read(image_filename, label_filename)


class _Block(nn.Module):
    def __init__(self, dim, hidden_dim, norm, drop_prob):
        super().__init__()
        first, first_norm = nn.Linear(dim, hidden_dim), norm(hidden_dim)
        self.drop = nn.Dropout(drop_prob)
        second, second_norm = nn.Linear(hidden_dim, dim), norm(dim)
        self.linears, self.norms = [first, second], [first_norm, second_norm]

    def forward(self, x):
        inner = self.drop(ndl.ops.relu(self.norms[0](self.linears[0](x))))
        return ndl.ops.relu(self.norms[1](self.linears[1](inner)) + x)


def ResidualBlock(dim, hidden_dim, norm=nn.BatchNorm1d, drop_prob=0.1):
    return _Block(dim, hidden_dim, norm, drop_prob)


class _Net(nn.Module):
    def __init__(self, dim, hidden_dim, num_blocks, num_classes, norm, drop_prob):
        super().__init__()
        self.head = None
        self.stem = nn.Linear(dim, hidden_dim)
        self.blocks = [ResidualBlock(hidden_dim, hidden_dim // 2, norm, drop_prob) for _ in range(num_blocks)]
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, x):
        x = ndl.ops.relu(self.stem(nn.Flatten()(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def MLPResNet(dim, hidden_dim=100, num_blocks=3, num_classes=10, norm=nn.BatchNorm1d, drop_prob=0.1):
    return _Net(dim, hidden_dim, num_blocks, num_classes, norm, drop_prob)


def epoch(dataloader, model, opt=None):
    np.random.seed(4)
    if not isinstance(dataloader, ndl.data.DataLoader) or not isinstance(model, nn.Module):
        raise TypeError("a DataLoader and a Module, please")
    if opt is not None and not isinstance(opt, ndl.optim.Optimizer):
        raise TypeError("opt must be an Optimizer")
    model.eval() if opt is None else model.train()
    count, wrong, total = 0, 0, 0.0
    for X, y in dataloader:
        logits = model(X)
        loss = nn.SoftmaxLoss()(logits, y)
        if opt is not None:
            opt.reset_grad()
            loss.backward()
            opt.step()
        count += y.shape[0]
        wrong += int((logits.numpy().argmax(axis=1) != y.numpy()).sum())
        total += float(loss.numpy()) * y.shape[0]
    return wrong / count, total / count
