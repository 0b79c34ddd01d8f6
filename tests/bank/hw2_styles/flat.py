"""Flat shapes where the text allows them: bias `(out,)`, plain lists of moments, a loop over batch starts."""
# ruff: noqa
# mypy: ignore-errors


class LogSumExp:
    def compute(self, Z):
        peak = array_api.max(Z, axis=self.axes)
        kept = array_api.max(Z, axis=self.axes, keepdims=True)
        return array_api.log(array_api.sum(array_api.exp(Z - kept), axis=self.axes)) + peak

    def gradient(self, out_grad, node):
        (Z,) = node.inputs
        kept = array_api.max(Z.numpy(), axis=self.axes, keepdims=True).shape
        return exp(Z - node.reshape(kept).broadcast_to(Z.shape)) * out_grad.reshape(kept).broadcast_to(
            Z.shape
        )


class Linear:
    def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        options = dict(device=device, dtype=dtype, requires_grad=True)
        self.weight = Parameter(init.kaiming_uniform(in_features, out_features, **options))
        self.bias = (
            Parameter(init.kaiming_uniform(out_features, 1, **options).reshape((out_features,)))
            if bias
            else None
        )

    def forward(self, X):
        product = X.matmul(self.weight)
        return product + self.bias.broadcast_to(product.shape) if self.bias else product


class ReLU:
    def forward(self, x):
        return ops.ReLU()(x)


class Sequential:
    def forward(self, x):
        out = x
        for layer in self.modules:
            out = layer.forward(out)
        return out


class SoftmaxLoss:
    def forward(self, logits, y):
        n, k = logits.shape
        target = init.one_hot(k, y)
        return (ops.LogSumExp((1,))(logits).sum() - ops.EWiseMul()(logits, target).sum()) / n


class BatchNorm1d:
    def forward(self, x):
        batch, _ = x.shape
        if self.training:
            mean = x.sum(axes=(0,)) / batch
            var = ((x - mean.broadcast_to(x.shape)) ** 2).sum(axes=(0,)) / batch
            m = self.momentum
            self.running_mean = Tensor((1 - m) * self.running_mean.numpy() + m * mean.numpy(), dtype=x.dtype)
            self.running_var = Tensor((1 - m) * self.running_var.numpy() + m * var.numpy(), dtype=x.dtype)
        else:
            mean, var = self.running_mean.detach(), self.running_var.detach()
        inverse = (var + self.eps) ** -0.5
        scale = self.weight * inverse
        return x * scale.broadcast_to(x.shape) + (self.bias - mean * scale).broadcast_to(x.shape)


class Residual:
    def forward(self, x):
        return x + self.fn(x)


import numpy as np


class Adam:
    def __init__(self, params, lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
        super().__init__(params)
        self.lr, self.beta1, self.beta2, self.eps, self.weight_decay = lr, beta1, beta2, eps, weight_decay
        self.t = 0
        self.m = [np.zeros(p.shape, dtype=np.float64) for p in params]
        self.v = [np.zeros(p.shape, dtype=np.float64) for p in params]

    def step(self):
        self.t += 1
        for p, m, v in zip(self.params, self.m, self.v):
            if p.grad is None:
                continue
            g = p.grad.numpy() + self.weight_decay * p.numpy()
            m += (1 - self.beta1) * (g - m)
            v += (1 - self.beta2) * (g * g - v)
            rate = self.lr * np.sqrt(1 - self.beta2**self.t) / (1 - self.beta1**self.t)
            new = p.numpy() - rate * m / (np.sqrt(v) + self.eps * np.sqrt(1 - self.beta2**self.t))
            p.data = ndl.Tensor(new, dtype=p.dtype)


class DataLoader:
    def __iter__(self):
        if self.shuffle:
            self.ordering = np.random.permutation(len(self.dataset))
        else:
            self.ordering = np.arange(len(self.dataset))
        return (self.batch(start) for start in range(0, len(self.dataset), self.batch_size))

    def batch(self, start):
        rows = [self.dataset[i] for i in self.ordering[start : start + self.batch_size]]
        return tuple(map(Tensor, map(np.array, zip(*rows))))


def ResidualBlock(dim, hidden_dim, norm=nn.BatchNorm1d, drop_prob=0.1):
    layers = [nn.Linear(dim, hidden_dim), norm(hidden_dim), nn.ReLU()]
    layers += [nn.Dropout(drop_prob), nn.Linear(hidden_dim, dim), norm(dim)]
    return nn.Sequential(nn.Residual(nn.Sequential(*layers)), nn.ReLU())


def MLPResNet(dim, hidden_dim=100, num_blocks=3, num_classes=10, norm=nn.BatchNorm1d, drop_prob=0.1):
    layers = [nn.Flatten(), nn.Linear(dim, hidden_dim), nn.ReLU()]
    for _ in range(num_blocks):
        layers.append(ResidualBlock(hidden_dim, hidden_dim // 2, norm, drop_prob))
    layers.append(nn.Linear(hidden_dim, num_classes))
    return nn.Sequential(*layers)
