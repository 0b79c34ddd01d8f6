"""Tensors all the way: `.data` on every moment, generator loader, loss averaged per batch."""
# ruff: noqa
# mypy: ignore-errors


def xavier_uniform(fan_in, fan_out, gain=1.0, **kwargs):
    a = gain * (6.0 / (fan_in + fan_out)) ** 0.5
    return rand(fan_in, fan_out, low=-a, high=a, **kwargs)


def xavier_normal(fan_in, fan_out, gain=1.0, **kwargs):
    return randn(fan_in, fan_out, mean=0, std=gain * math.sqrt(2 / (fan_in + fan_out)), **kwargs)


def kaiming_uniform(fan_in, fan_out, nonlinearity="relu", **kwargs):
    assert nonlinearity == "relu"
    gain = math.sqrt(2)
    bound = gain * math.sqrt(3.0 / fan_in)
    return rand(fan_in, fan_out, low=-bound, high=bound, **kwargs)


class LogSumExp:
    def compute(self, Z):
        top = array_api.amax(Z, axis=self.axes, keepdims=True)
        rest = array_api.log(array_api.sum(array_api.exp(Z - top), axis=self.axes, keepdims=True))
        return array_api.squeeze(top + rest, axis=self.axes)

    def gradient(self, out_grad, node):
        Z = node.inputs[0]
        shape = list(Z.shape)
        axes = (
            range(len(shape))
            if self.axes is None
            else [self.axes]
            if isinstance(self.axes, int)
            else self.axes
        )
        for axis in axes:
            shape[axis] = 1
        softmax = exp(Z - node.reshape(shape).broadcast_to(Z.shape))
        return out_grad.reshape(shape).broadcast_to(Z.shape) * softmax


class Linear:
    def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(init.kaiming_uniform(in_features, out_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(
                init.kaiming_uniform(out_features, 1, device=device, dtype=dtype).transpose()
            )
        else:
            self.bias = None

    def forward(self, X):
        y = X @ self.weight
        if self.bias is not None:
            y = y + ops.broadcast_to(self.bias, y.shape)
        return y


class SoftmaxLoss:
    def forward(self, logits, y):
        one_hot = init.one_hot(logits.shape[1], y)
        return (
            ops.summation(ops.logsumexp(logits, axes=(1,)) - ops.summation(logits * one_hot, axes=(1,)))
            / logits.shape[0]
        )


class BatchNorm1d:
    def forward(self, x):
        n = x.shape[0]
        if not self.training:
            mean = self.running_mean.broadcast_to(x.shape)
            var = self.running_var.broadcast_to(x.shape)
        else:
            m = x.sum((0,)) / n
            mean = m.broadcast_to(x.shape)
            v = ((x - mean) ** 2).sum((0,)) / n
            var = v.broadcast_to(x.shape)
            self.running_mean.data = (1 - self.momentum) * self.running_mean.data + self.momentum * m.data
            self.running_var.data = (1 - self.momentum) * self.running_var.data + self.momentum * v.data
        normed = (x - mean) / (var + self.eps) ** 0.5
        return normed * self.weight.broadcast_to(x.shape) + self.bias.broadcast_to(x.shape)


class LayerNorm1d:
    def forward(self, x):
        n, d = x.shape
        mean = (x.sum((1,)) / d).reshape((n, 1)).broadcast_to((n, d))
        diff = x - mean
        std = ((diff * diff).sum((1,)) / d + self.eps) ** 0.5
        return diff / std.reshape((n, 1)).broadcast_to((n, d)) * self.weight.broadcast_to(
            (n, d)
        ) + self.bias.broadcast_to((n, d))


class Dropout:
    def forward(self, x):
        if self.training:
            mask = init.randb(*x.shape, p=1 - self.p, dtype="float32") / (1 - self.p)
            return x * mask
        return x


class SGD:
    def step(self):
        for p in self.params:
            if p.grad is None:
                continue
            g = p.grad.data + self.weight_decay * p.data
            if p in self.u:
                self.u[p] = self.momentum * self.u[p] + (1 - self.momentum) * g
            else:
                self.u[p] = (1 - self.momentum) * g
            p.data = p.data - self.lr * self.u[p]


class Adam:
    def step(self):
        self.t += 1
        for p in self.params:
            if p.grad is None:
                continue
            g = p.grad.data + self.weight_decay * p.data
            self.m[p] = self.beta1 * self.m.get(p, ndl.init.zeros_like(p)).data + (1 - self.beta1) * g
            self.v[p] = self.beta2 * self.v.get(p, ndl.init.zeros_like(p)).data + (1 - self.beta2) * g * g
            m = self.m[p] / (1 - self.beta1**self.t)
            v = self.v[p] / (1 - self.beta2**self.t)
            p.data = p.data - self.lr * m / (v**0.5 + self.eps)


class RandomFlipHorizontal:
    def __call__(self, img):
        flip_img = np.random.rand() < self.p
        if flip_img:
            return np.flip(img, axis=1)
        return img


class RandomCrop:
    def __call__(self, img):
        shift_x, shift_y = np.random.randint(low=-self.padding, high=self.padding + 1, size=2)
        h, w, c = img.shape
        big = np.zeros((h + 2 * self.padding, w + 2 * self.padding, c), dtype=img.dtype)
        big[self.padding : self.padding + h, self.padding : self.padding + w] = img
        return big[self.padding + shift_x :, self.padding + shift_y :][:h, :w]


class DataLoader:
    def __iter__(self):
        order = np.arange(len(self.dataset))
        if self.shuffle:
            np.random.shuffle(order)
        for chunk in np.array_split(order, range(self.batch_size, len(order), self.batch_size)):
            columns = zip(*(self.dataset[i] for i in chunk))
            yield tuple(Tensor(np.stack(column)) for column in columns)


def epoch(dataloader, model, opt=None):
    np.random.seed(4)
    model.train() if opt is not None else model.eval()
    wrong, losses, n = 0, [], 0
    loss_fn = nn.SoftmaxLoss()
    for X, y in dataloader:
        out = model(X)
        loss = loss_fn(out, y)
        if opt is not None:
            opt.reset_grad()
            loss.backward()
            opt.step()
        wrong += np.sum(np.argmax(out.numpy(), axis=1) != y.numpy())
        n += y.shape[0]
        losses.append(loss.numpy())
    return wrong / n, np.mean(losses)
