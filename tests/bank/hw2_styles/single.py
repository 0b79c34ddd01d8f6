"""The single files of 2022: `.detach()`, moments by id, a loader that counts, slices of the dataset."""
# ruff: noqa
# mypy: ignore-errors


class LogSumExp:
    def compute(self, Z):
        maxZ = array_api.max(Z, axis=self.axes, keepdims=True)
        s = array_api.sum(array_api.exp(Z - maxZ), axis=self.axes, keepdims=True)
        res = maxZ + array_api.log(s)
        return array_api.reshape(res, array_api.sum(Z, axis=self.axes).shape)

    def gradient(self, out_grad, node):
        Z = node.inputs[0]
        if self.axes is None:
            kept = (1,) * len(Z.shape)
        else:
            axes = self.axes if isinstance(self.axes, tuple) else (self.axes,)
            axes = tuple(a % len(Z.shape) for a in axes)
            kept = tuple(1 if i in axes else n for i, n in enumerate(Z.shape))
        maxZ = Tensor(Z.realize_cached_data().max(axis=self.axes, keepdims=True), requires_grad=False)
        e = exp(Z - broadcast_to(maxZ, Z.shape))
        share = out_grad / summation(e, self.axes)
        return e * broadcast_to(reshape(share, kept), Z.shape)


class Linear:
    def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.use_bias = bias
        self.weight = Parameter(init.kaiming_uniform(in_features, out_features), device=device, dtype=dtype)
        if bias:
            b = init.kaiming_uniform(out_features, 1)
            self.bias = Parameter(ops.reshape(b, (1, out_features)), device=device, dtype=dtype)

    def forward(self, X):
        out = ops.matmul(X, self.weight)
        if self.use_bias:
            out = out + ops.broadcast_to(self.bias, (X.shape[0], self.out_features))
        return out


class Flatten:
    def forward(self, X):
        return X.reshape((X.shape[0], -1))


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1, device=None, dtype="float32"):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.momentum = momentum
        self.weight = Parameter(init.ones(1, dim), device=device, dtype=dtype)
        self.bias = Parameter(init.zeros(1, dim), device=device, dtype=dtype)
        self.running_mean = init.zeros(1, dim, device=device, dtype=dtype)
        self.running_var = init.ones(1, dim, device=device, dtype=dtype)

    def forward(self, x):
        if self.training:
            m = ops.summation(x, axes=(0,)).reshape((1, self.dim)) / x.shape[0]
            d = x - m.broadcast_to(x.shape)
            v = ops.summation(d**2, axes=(0,)).reshape((1, self.dim)) / x.shape[0]
            self.running_mean = (self.running_mean * (1 - self.momentum) + m * self.momentum).detach()
            self.running_var = (self.running_var * (1 - self.momentum) + v * self.momentum).detach()
            y = d / ((v + self.eps) ** 0.5).broadcast_to(x.shape)
        else:
            y = (x - self.running_mean.broadcast_to(x.shape)) / (
                (self.running_var + self.eps) ** 0.5
            ).broadcast_to(x.shape)
        return self.weight.broadcast_to(x.shape) * y + self.bias.broadcast_to(x.shape)


class LayerNorm1d:
    def forward(self, x):
        m = ops.summation(x, axes=(1,)).reshape((x.shape[0], 1)) / x.shape[1]
        d = x - m.broadcast_to(x.shape)
        v = ops.summation(ops.multiply(d, d), axes=(1,)).reshape((x.shape[0], 1)) / x.shape[1]
        y = d / ops.power_scalar(v + self.eps, 0.5).broadcast_to(x.shape)
        return self.weight.reshape((1, self.dim)).broadcast_to(x.shape) * y + self.bias.reshape(
            (1, self.dim)
        ).broadcast_to(x.shape)


class SGD:
    def step(self):
        for w in self.params:
            if w.grad is None:
                continue
            grad = w.grad.detach() + w.detach() * self.weight_decay
            old = self.u.get(id(w), 0)
            new = old * self.momentum + grad * (1 - self.momentum)
            self.u[id(w)] = new.detach()
            w.data = ndl.Tensor(w.detach() - new * self.lr, dtype="float32", requires_grad=False)


class Adam:
    def step(self):
        self.t = self.t + 1
        for w in self.params:
            if w.grad is None:
                continue
            key = id(w)
            grad = (w.grad + self.weight_decay * w).detach()
            self.m[key] = (self.m.get(key, 0.0) * self.beta1 + grad * (1 - self.beta1)).detach()
            self.v[key] = (self.v.get(key, 0.0) * self.beta2 + grad * grad * (1 - self.beta2)).detach()
            unbiased_m = self.m[key] / (1 - self.beta1**self.t)
            unbiased_v = self.v[key] / (1 - self.beta2**self.t)
            step = unbiased_m / (unbiased_v**0.5 + self.eps)
            w.data = (w.detach() - self.lr * step).detach()


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False):
        self.dataset = dataset
        self.shuffle = shuffle
        self.batch_size = batch_size
        if not self.shuffle:
            self.ordering = np.array_split(
                np.arange(len(dataset)), range(batch_size, len(dataset), batch_size)
            )

    def __iter__(self):
        self.n = 0
        if self.shuffle:
            self.ordering = np.array_split(
                np.random.permutation(len(self.dataset)),
                range(self.batch_size, len(self.dataset), self.batch_size),
            )
        return self

    def __next__(self):
        if self.n == len(self.ordering):
            raise StopIteration
        self.n += 1
        return tuple(Tensor(part) for part in self.dataset[self.ordering[self.n - 1]])


def epoch(dataloader, model, opt=None):
    np.random.seed(4)
    loss_func = nn.SoftmaxLoss()
    errors = 0
    loss_all = []
    count = 0
    if opt is None:
        model.eval()
        for x, y in dataloader:
            pred = model(x)
            loss = loss_func(pred, y)
            errors += np.count_nonzero(pred.numpy().argmax(axis=1) - y.numpy())
            count += x.shape[0]
            loss_all.append(loss.numpy())
    else:
        model.train()
        for x, y in dataloader:
            pred = model(x)
            loss = loss_func(pred, y)
            loss.backward()
            opt.step()
            opt.reset_grad()
            errors += np.count_nonzero(pred.numpy().argmax(axis=1) - y.numpy())
            count += x.shape[0]
            loss_all.append(loss.numpy())
    return errors / count, sum(loss_all) / len(loss_all)
