"""Odd and legal: bias before weight, statistics `(1, dim)`, masks drawn by numpy, t per parameter, None for no state."""
# ruff: noqa
# mypy: ignore-errors


class LogSumExp:
    def compute(self, Z):
        M = array_api.max(Z, axis=self.axes, keepdims=True)
        lse = M + array_api.log(array_api.sum(array_api.exp(Z - M), axis=self.axes, keepdims=True))
        return array_api.squeeze(lse, axis=self.axes)

    def gradient(self, out_grad, node):
        Z = node.inputs[0]
        M = array_api.max(Z.numpy(), axis=self.axes, keepdims=True)
        e = exp(Z - Tensor(array_api.broadcast_to(M, Z.shape), requires_grad=False))
        s = reshape(summation(e, self.axes), M.shape)
        return broadcast_to(reshape(out_grad, M.shape) / s, Z.shape) * e


import numpy as np


class Linear:
    def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
        super().__init__()
        self.bias = None
        self.weight = None
        self.in_features, self.out_features = in_features, out_features
        weight = init.kaiming_uniform(in_features, out_features, device=device, dtype=dtype)
        weight = ops.transpose(ops.transpose(weight))
        if bias:
            column = ops.transpose(init.kaiming_uniform(out_features, 1, device=device, dtype=dtype))
            self.bias = Parameter(column.reshape((out_features,)), dtype=dtype)
        self.weight = Parameter(weight, device=device, dtype=dtype, requires_grad=True)

    def forward(self, X):
        y = X @ self.weight
        if self.bias is None:
            return y
        return y + self.bias.reshape((1, self.out_features)).broadcast_to((X.shape[0], self.out_features))


class Sequential:
    def forward(self, x):
        from functools import reduce

        return reduce(lambda value, module: module(value), (module for module in self.modules), x)


class SoftmaxLoss:
    def forward(self, logits, y):
        one_hot = init.one_hot(logits.shape[1], y)
        return -(ops.logsoftmax(logits) * one_hot).sum() / logits.shape[0]


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1, device=None, dtype="float32"):
        super().__init__()
        self.dim, self.eps, self.momentum = dim, eps, momentum
        self.running_mean = Tensor(np.zeros((1, dim), dtype=dtype), requires_grad=False)
        self.running_var = Tensor(np.ones((1, dim), dtype=dtype), requires_grad=False)
        self.bias = Parameter(np.zeros((dim,)), dtype=dtype)
        self.weight = Parameter(np.ones((dim,)), dtype=dtype)

    def forward(self, x):
        n, d = x.shape
        if self.training:
            mean = (ops.summation(x, (0,)) / n).reshape((1, d))
            var = (ops.summation((x - mean.broadcast_to(x.shape)) ** 2, (0,)) / n).reshape((1, d))
            for name, value in (("running_mean", mean), ("running_var", var)):
                old = getattr(self, name)
                setattr(
                    self,
                    name,
                    Tensor(old.numpy() + self.momentum * (value.numpy() - old.numpy()), dtype=x.dtype),
                )
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean.broadcast_to(x.shape)) / ops.power_scalar(var + self.eps, 0.5).broadcast_to(x.shape)
        return y * self.weight.reshape((1, d)).broadcast_to(x.shape) + self.bias.reshape((1, d)).broadcast_to(
            x.shape
        )


class LayerNorm1d:
    def __init__(self, dim, eps=1e-5, device=None, dtype="float32"):
        super().__init__()
        self.dim, self.eps = dim, eps
        self.bias = Parameter(init.zeros(1, dim, device=device, dtype=dtype))
        self.weight = Parameter(init.ones(1, dim, device=device, dtype=dtype))

    def forward(self, x):
        n, d = x.shape
        over_features = Tensor(np.full((d, 1), 1 / d), dtype="float32", requires_grad=False)
        centred = x - (x @ over_features).broadcast_to(x.shape)
        var = (centred * centred) @ over_features
        y = centred * (ops.power_scalar(var + self.eps, -0.5)).broadcast_to(x.shape)
        return self.weight.broadcast_to(x.shape) * y + self.bias.broadcast_to(x.shape)


class Dropout:
    def forward(self, x):
        if self.training is False:
            return x
        kept = (np.random.rand(*x.shape) >= self.p).astype("float32")
        return x * Tensor(kept / np.float32(1 - self.p), dtype="float32", requires_grad=False)


class Residual:
    def __init__(self, fn):
        super().__init__()
        self.fn = fn
        self.composed = lambda x: ops.add(x, fn(x))

    def forward(self, x):
        return self.composed(x)


class SGD:
    def __init__(self, params, lr=0.01, momentum=0.0, weight_decay=0.0):
        super().__init__(params)
        self.lr, self.momentum, self.weight_decay = lr, momentum, weight_decay
        self.u = None

    def step(self):
        if self.u is None:
            self.u = [None] * len(self.params)
        for i, w in enumerate(self.params):
            if w.grad is None:
                continue
            g = w.grad.detach()
            if self.weight_decay:
                g = g + self.weight_decay * w.detach()
            g = (1 - self.momentum) * g
            self.u[i] = g if self.u[i] is None else (self.momentum * self.u[i] + g).detach()
            w.data = w.data - self.lr * self.u[i]


class Adam:
    def __init__(self, params, lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
        super().__init__(params)
        self.lr, self.beta1, self.beta2, self.eps, self.weight_decay = lr, beta1, beta2, eps, weight_decay
        self.state = {}

    def step(self):
        for w in self.params:
            if w.grad is None:
                continue
            t, m, v = self.state.get(w, (0, 0.0, 0.0))
            g = w.grad.data + self.weight_decay * w.data
            t, m, v = (
                t + 1,
                self.beta1 * m + (1 - self.beta1) * g,
                self.beta2 * v + (1 - self.beta2) * (g * g),
            )
            self.state[w] = t, m, v
            scale = self.lr / (1 - self.beta1**t)
            w.data = w.data - scale * m / ((v / (1 - self.beta2**t)) ** 0.5 + self.eps)


class DataLoader:
    def __iter__(self):
        self.order = list(range(len(self.dataset)))
        if self.shuffle:
            np.random.shuffle(self.order)
        self.counter = -1
        return self

    def __next__(self):
        self.counter += 1
        rows = self.order[self.counter * self.batch_size : (self.counter + 1) * self.batch_size]
        if not rows:
            raise StopIteration
        parts = zip(*[self.dataset[row] for row in rows])
        return [Tensor(np.array(part)) for part in parts]


def epoch(dataloader, model, opt=None):
    np.random.seed(4)
    (model.train if opt else model.eval)()
    losses, errors, seen = [], 0.0, 0
    criterion = nn.SoftmaxLoss()
    for batch in dataloader:
        x, y = batch
        logits = model(x)
        loss = criterion(logits, y)
        if opt:
            opt.reset_grad()
            loss.backward()
            opt.step()
        losses.append(float(loss.numpy()))
        errors += float(np.sum(np.argmax(logits.numpy(), 1) != y.numpy()))
        seen += len(y.numpy())
    return errors / seen, float(np.mean(losses))
