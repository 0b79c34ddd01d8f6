"""Thinks in numpy: `np` beside `array_api`, float64 one-hot rows, weights updated as arrays in place."""
# ruff: noqa
# mypy: ignore-errors


class PowerScalar:
    def compute(self, a):
        return np.asarray(np.power(a, self.scalar), dtype=a.dtype)

    def gradient(self, out_grad, node):
        a = node.inputs[0]
        return multiply(out_grad, mul_scalar(a ** (self.scalar - 1), self.scalar))


class EWisePow:
    def compute(self, a, b):
        return np.power(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad * b * node / a, out_grad * log(a) * node


import numpy as np


class EWiseDiv:
    def compute(self, a, b):
        return np.divide(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad / b, out_grad * negate(node) / b


class DivScalar:
    def compute(self, a):
        return np.divide(a, a.dtype.type(self.scalar))

    def gradient(self, out_grad, node):
        return mul_scalar(out_grad, 1.0 / self.scalar)


class Transpose:
    def compute(self, a):
        if self.axes is None:
            return np.swapaxes(a, -1, -2)
        x, y = sorted(axis % a.ndim for axis in self.axes)
        return np.moveaxis(np.moveaxis(a, y, x), x + 1, y) if x < y else a

    def gradient(self, out_grad, node):
        return transpose(out_grad, self.axes)


class Reshape:
    def compute(self, a):
        return np.ascontiguousarray(a).reshape(self.shape)

    def gradient(self, out_grad, node):
        return reshape(out_grad, node.inputs[0].cached_data.shape)


class BroadcastTo:
    def compute(self, a):
        return np.array(np.broadcast_to(a, self.shape))

    def gradient(self, out_grad, node):
        source = np.array((0,) * (len(self.shape) - len(node.inputs[0].shape)) + tuple(node.inputs[0].shape))
        axes = tuple(np.flatnonzero(source != np.array(self.shape)).tolist())
        return reshape(summation(out_grad, axes), node.inputs[0].shape)


class Summation:
    def compute(self, a):
        return np.add.reduce(a, axis=self.axes if self.axes is not None else tuple(range(a.ndim)))

    def gradient(self, out_grad, node):
        # the shape, and only the shape, is found with numpy
        shape = np.sum(np.empty(node.inputs[0].shape), axis=self.axes, keepdims=True).shape
        return broadcast_to(reshape(out_grad, shape), node.inputs[0].shape)


class MatMul:
    def compute(self, a, b):
        return np.matmul(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        grads = []
        for grad, x in ((matmul(out_grad, transpose(b)), a), (matmul(transpose(a), out_grad), b)):
            extra = len(grad.shape) - len(x.shape)
            grads.append(summation(grad, tuple(range(extra))) if extra else grad)
        return tuple(grads)


class Negate:
    def compute(self, a):
        return np.negative(a)

    def gradient(self, out_grad, node):
        return mul_scalar(out_grad, -1)


class Log:
    def compute(self, a):
        return np.log(a)

    def gradient(self, out_grad, node):
        return multiply(out_grad, power_scalar(node.inputs[0], -1))


class Exp:
    def compute(self, a):
        return np.exp(a)

    def gradient(self, out_grad, node):
        return multiply(node, out_grad)


class ReLU:
    def compute(self, a):
        return np.clip(a, 0, None)

    def gradient(self, out_grad, node):
        mask = np.where(node.inputs[0].cached_data > 0, 1, 0).astype(out_grad.cached_data.dtype)
        return multiply(out_grad, Tensor.make_const(mask))


def compute_gradient_of_variables(output_tensor, out_grad):
    table = {output_tensor: [out_grad]}
    for node in find_topo_sort([output_tensor])[::-1]:
        total = table[node][0]
        for other in table[node][1:]:
            total = total + other
        node.grad = total
        if node.op is None:
            continue
        grads = node.op.gradient(node.grad, node)
        if not isinstance(grads, (tuple, list)):
            grads = (grads,)
        for i, child in enumerate(node.inputs):
            table.setdefault(child, []).append(grads[i])


def find_topo_sort(node_list):
    # 0: not met, 1: open, 2: done
    state = {}
    order = []
    for root in node_list:
        stack = [root]
        while stack:
            node = stack[-1]
            if state.get(node, 0) == 0:
                state[node] = 1
                stack.extend(child for child in node.inputs[::-1] if state.get(child, 0) == 0)
                continue
            stack.pop()
            if state[node] == 1:
                state[node] = 2
                order.append(node)
    return order


def softmax_loss(Z, y_one_hot):
    batch = Z.shape[0]
    normalizer = ndl.log(ndl.summation(ndl.exp(Z), axes=(1,)))
    spread = ndl.broadcast_to(ndl.reshape(normalizer, (batch, 1)), Z.shape)
    return ndl.mul_scalar(ndl.summation((spread - Z) * y_one_hot), 1.0 / batch)


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    w1, w2 = W1.numpy().copy(), W2.numpy().copy()
    n_batches = int(np.ceil(len(X) / batch))
    for xb, yb in zip(
        np.array_split(X[: n_batches * batch], range(batch, len(X), batch)),
        np.array_split(y, range(batch, len(y), batch)),
    ):
        one_hot = np.zeros((len(yb), w2.shape[1]))
        one_hot[np.arange(len(yb)), yb] = 1
        A, B = ndl.Tensor(w1), ndl.Tensor(w2)
        loss = softmax_loss(ndl.matmul(ndl.relu(ndl.matmul(ndl.Tensor(xb), A)), B), ndl.Tensor(one_hot))
        loss.backward()
        w1 -= (lr * A.grad.numpy()).astype(w1.dtype)
        w2 -= (lr * B.grad.numpy()).astype(w2.dtype)
    return ndl.Tensor(w1), ndl.Tensor(w2)
