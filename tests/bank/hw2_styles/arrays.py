"""Leaves needle for numpy in everything that is not differentiated; moments by index; loss per sample."""
# ruff: noqa
# mypy: ignore-errors

from .ops_mathematic import *


class LogSumExp:
    def compute(self, Z):
        m = Z.max(axis=self.axes, keepdims=True)
        return array_api.log(array_api.exp(Z - m).sum(axis=self.axes)) + Z.max(axis=self.axes)

    def gradient(self, out_grad, node):
        Z = node.inputs[0]
        shape = Z.realize_cached_data().max(axis=self.axes, keepdims=True).shape
        weights = exp(Z - broadcast_to(reshape(node, shape), Z.shape))
        return multiply(broadcast_to(reshape(out_grad, shape), Z.shape), weights)


class LogSoftmax:
    def compute(self, Z):
        m = Z.max(axis=1, keepdims=True)
        return Z - m - array_api.log(array_api.exp(Z - m).sum(axis=1, keepdims=True))

    def gradient(self, out_grad, node):
        total = summation(out_grad, axes=(1,)).reshape((node.shape[0], 1))
        return out_grad - broadcast_to(total, node.shape) * exp(node)


class Flatten:
    def forward(self, X):
        size = 1
        for n in X.shape[1:]:
            size *= n
        return ops.reshape(X, (X.shape[0], size))


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1, device=None, dtype="float32"):
        super().__init__()
        self.dim, self.eps, self.momentum = dim, eps, momentum
        self.weight = Parameter(init.ones(dim, device=device, dtype=dtype, requires_grad=True))
        self.bias = Parameter(init.zeros(dim, device=device, dtype=dtype, requires_grad=True))
        self.running_mean = Tensor(np.zeros(dim), device=device, dtype=dtype, requires_grad=False)
        self.running_var = Tensor(np.ones(dim), device=device, dtype=dtype, requires_grad=False)

    def _average(self, running, array):
        return Tensor(
            (1 - self.momentum) * running.numpy() + self.momentum * array,
            dtype=running.dtype,
            requires_grad=False,
        )

    def forward(self, x):
        shape = x.shape
        if self.training:
            mean = ops.summation(x, 0) / shape[0]
            centered = x - ops.broadcast_to(ops.reshape(mean, (1, self.dim)), shape)
            var = ops.summation(ops.power_scalar(centered, 2), 0) / shape[0]
            self.running_mean = self._average(self.running_mean, x.numpy().mean(axis=0))
            self.running_var = self._average(self.running_var, x.numpy().var(axis=0))
        else:
            mean, var = self.running_mean, self.running_var
            centered = x - ops.broadcast_to(ops.reshape(mean, (1, self.dim)), shape)
        std = ops.power_scalar(var + self.eps, 0.5)
        scaled = ops.divide(centered, ops.broadcast_to(ops.reshape(std, (1, self.dim)), shape))
        weight = ops.broadcast_to(ops.reshape(self.weight, (1, self.dim)), shape)
        return weight * scaled + ops.broadcast_to(ops.reshape(self.bias, (1, self.dim)), shape)


class Dropout:
    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        mask = init.randb(*x.shape, p=1 - self.p).numpy().astype(x.dtype)
        return ops.multiply(x, Tensor(mask / np.float32(1 - self.p), dtype=x.dtype, requires_grad=False))


import numpy as np


class SGD:
    def __init__(self, params, lr=0.01, momentum=0.0, weight_decay=0.0):
        super().__init__(params)
        self.lr, self.momentum, self.weight_decay = lr, momentum, weight_decay
        self.u = [0.0 for _ in params]

    def step(self):
        for i, p in enumerate(self.params):
            if p.grad is None:
                continue
            g = p.grad.numpy() + self.weight_decay * p.numpy()
            self.u[i] = self.momentum * self.u[i] + (1 - self.momentum) * g
            p.cached_data = (p.numpy() - self.lr * self.u[i]).astype(p.dtype)


class Adam:
    def step(self):
        self.t += 1
        for i, p in enumerate(self.params):
            if p.grad is None:
                continue
            w = p.numpy()
            g = p.grad.numpy() + self.weight_decay * w
            self.m[i] = self.beta1 * self.m.get(i, np.zeros_like(w)) + (1 - self.beta1) * g
            self.v[i] = self.beta2 * self.v.get(i, np.zeros_like(w)) + (1 - self.beta2) * np.square(g)
            m = self.m[i] / (1 - self.beta1**self.t)
            v = self.v[i] / (1 - self.beta2**self.t)
            p.cached_data = (w - self.lr * m / (np.sqrt(v) + self.eps)).astype(w.dtype)


class RandomFlipHorizontal:
    def __call__(self, img):
        flip_img = np.random.rand() < self.p
        return np.fliplr(img) if flip_img else img


class RandomCrop:
    def __call__(self, img):
        shift_x, shift_y = np.random.randint(low=-self.padding, high=self.padding + 1, size=2)
        out = np.zeros_like(img)
        h, w = img.shape[:2]
        if abs(shift_x) >= h or abs(shift_y) >= w:
            return out
        x0, x1 = max(0, shift_x), min(h, h + shift_x)
        y0, y1 = max(0, shift_y), min(w, w + shift_y)
        out[x0 - shift_x : x1 - shift_x, y0 - shift_y : y1 - shift_y] = img[x0:x1, y0:y1]
        return out


class MNISTDataset:
    def __init__(self, image_filename, label_filename, transforms=None):
        self.transforms = transforms
        with gzip.open(image_filename) as f:
            head = np.frombuffer(f.read(16), dtype=">i4")
            self.X = np.frombuffer(f.read(), dtype="u1").reshape(head[1], head[2], head[3], 1) / np.float32(
                255.0
            )
        with gzip.open(label_filename) as f:
            f.read(8)
            self.y = np.frombuffer(f.read(), dtype="u1")

    def __getitem__(self, index):
        X, y = self.X[index], self.y[index]
        if X.ndim == 4:
            return np.stack([self.apply_transforms(x) for x in X]) if len(X) else X, y
        return self.apply_transforms(X), y

    def __len__(self):
        return self.y.shape[0]


class DataLoader:
    def __iter__(self):
        n = len(self.dataset)
        self.order = np.random.permutation(n) if self.shuffle else np.arange(n)
        self.position = 0
        return self

    def __next__(self):
        if self.position >= len(self.dataset):
            raise StopIteration
        picked = self.order[self.position : self.position + self.batch_size]
        self.position += self.batch_size
        samples = [self.dataset[int(i)] for i in picked]
        return tuple(Tensor(np.array([s[k] for s in samples])) for k in range(len(samples[0])))


def epoch(dataloader, model, opt=None):
    np.random.seed(4)
    loss_fn = nn.SoftmaxLoss()
    hits, total, loss_sum = 0, 0, 0.0
    if opt:
        model.train()
    else:
        model.eval()
    for batch in dataloader:
        X, y = batch[0], batch[1]
        if opt:
            opt.reset_grad()
        logits = model(X)
        loss = loss_fn(logits, y)
        loss_sum += loss.numpy() * len(y.numpy())
        hits += (logits.numpy().argmax(1) == y.numpy()).sum()
        total += len(y.numpy())
        if opt:
            loss.backward()
            opt.step()
    return 1 - hits / total, loss_sum / total
