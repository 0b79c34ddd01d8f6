"""More that is legal in the single files: the loss by logsumexp with a plain subtraction, classes for blocks."""
# ruff: noqa
# mypy: ignore-errors

import math


def xavier_uniform(fan_in, fan_out, gain=1.0, **kwargs):
    bound = gain * math.sqrt(6.0 / (fan_in + fan_out))
    return (2 * rand(fan_in, fan_out, **kwargs) - 1) * bound


def kaiming_normal(fan_in, fan_out, nonlinearity="relu", **kwargs):
    return randn(fan_in, fan_out, **kwargs) * math.sqrt(2 / fan_in)


class SoftmaxLoss:
    def forward(self, logits, y):
        picked = (logits * init.one_hot(logits.shape[1], y)).sum(axes=(1,))
        losses = ops.logsumexp(logits, axes=1) - picked
        return losses.sum() / float(losses.shape[0])


class Residual:
    def forward(self, x):
        compose = lambda *functions: lambda value: sum((f(value) for f in functions[1:]), functions[0](value))
        return compose(lambda value: value, self.fn)(x)


class Dropout:
    def forward(self, x):
        if self.training and self.p > 0:
            drop = np.random.rand(*x.shape) < self.p
            mask = np.where(drop, 0.0, 1.0 / (1.0 - self.p)).astype(x.dtype)
            return x * Tensor(mask, requires_grad=False)
        return x


class SGD:
    def step(self):
        self.u = self.u or {}
        for i, w in enumerate(self.params):
            if w.grad is None:
                continue
            g = w.grad.data + self.weight_decay * w.data
            if self.u.get(i) is None:
                self.u[i] = ndl.init.zeros(*w.shape)
            self.u[i].data = self.momentum * self.u[i].data + (1 - self.momentum) * g
            w.data = w.data + (-self.lr) * self.u[i]


class _Block(nn.Module):
    def __init__(self, dim, hidden_dim, norm, drop_prob):
        super().__init__()
        self.fc1, self.norm1 = nn.Linear(dim, hidden_dim), norm(hidden_dim)
        self.drop, self.relu = nn.Dropout(drop_prob), nn.ReLU()
        self.fc2, self.norm2 = nn.Linear(hidden_dim, dim), norm(dim)

    def forward(self, x):
        inner = self.drop(self.relu(self.norm1(self.fc1(x))))
        return self.relu(self.norm2(self.fc2(inner)) + x)


def ResidualBlock(dim, hidden_dim, norm=nn.BatchNorm1d, drop_prob=0.1):
    return _Block(dim, hidden_dim, norm, drop_prob)
