"""Checks its arguments, raises on branches nobody takes, logs, and builds one-hot rows by `init.one_hot`."""
# ruff: noqa
# mypy: ignore-errors

import logging
from itertools import chain

logger = logging.getLogger(__name__)


class PowerScalar:
    def compute(self, a):
        assert isinstance(self.scalar, (int, float)), "scalar wanted"
        out = a**self.scalar
        return out if out.dtype == a.dtype else out.astype(a.dtype)

    def gradient(self, out_grad, node):
        (a,) = node.inputs
        if self.scalar == 0:
            return out_grad * 0.0
        elif self.scalar == 1:
            return out_grad
        return out_grad * (power_scalar(a, self.scalar - 1) * float(self.scalar))


class EWisePow:
    def compute(self, a, b):
        if a.shape != b.shape:
            raise ValueError("shapes differ")
        return array_api.power(a, b)

    def gradient(self, out_grad, node):
        if not isinstance(node.inputs[0], Tensor) or not isinstance(node.inputs[1], Tensor):
            raise ValueError("Both inputs must be tensors.")
        a, b = node.inputs[0], node.inputs[1]
        grad_a = out_grad * b * (a ** (b - 1))
        grad_b = out_grad * (a**b) * log(a)
        return grad_a, grad_b


class EWiseDiv:
    def compute(self, a, b):
        return a * (1 / b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad / b, negate(out_grad) * (a / b) / b


class DivScalar:
    def compute(self, a):
        out = a / self.scalar
        return out if out.dtype == a.dtype else out.astype(a.dtype)

    def gradient(self, out_grad, node):
        return out_grad / self.scalar


class Transpose:
    def compute(self, a):
        assert a.ndim >= 2
        return array_api.swapaxes(a, *(self.axes if self.axes is not None else (a.ndim - 2, a.ndim - 1)))

    def gradient(self, out_grad, node):
        return transpose(out_grad, axes=self.axes)


class BroadcastTo:
    def compute(self, a):
        return array_api.broadcast_to(a, self.shape)

    def gradient(self, out_grad, node):
        shape = node.inputs[0].shape
        if shape == self.shape:
            return out_grad
        gap = len(self.shape) - len(shape)
        stretched = (gap + i for i, size in enumerate(shape) if size == 1)
        grad = summation(out_grad, tuple(chain(range(gap), stretched)))
        return reshape(grad, shape)


class Summation:
    def compute(self, a):
        return array_api.sum(a, axis=self.axes, keepdims=False)

    def gradient(self, out_grad, node):
        shape = node.inputs[0].shape
        if self.axes is None:
            return broadcast_to(out_grad, shape)
        axes = (self.axes,) if isinstance(self.axes, int) else tuple(self.axes)
        kept = [*shape]
        for axis in axes:
            kept[axis] = 1
        return reshape(out_grad, tuple(kept)).broadcast_to(shape)


class MatMul:
    def compute(self, a, b):
        assert a.shape[-1] == b.shape[-2], f"{a.shape} @ {b.shape}"
        return a @ b

    def gradient(self, out_grad, node):
        a, b = node.inputs
        grad_a = matmul(out_grad, transpose(b))
        grad_b = matmul(transpose(a), out_grad)
        if len(a.shape) < len(out_grad.shape):
            grad_a = summation(grad_a, tuple(range(len(out_grad.shape) - len(a.shape))))
        elif len(b.shape) < len(out_grad.shape):
            grad_b = summation(grad_b, tuple(range(len(out_grad.shape) - len(b.shape))))
        assert grad_a.shape == a.shape and grad_b.shape == b.shape
        return grad_a, grad_b


class Log:
    def compute(self, a):
        return array_api.log(a)

    def gradient(self, out_grad, node):
        return divide(out_grad, node.inputs[0])


class Exp:
    def compute(self, a):
        return array_api.exp(a)

    def gradient(self, out_grad, node):
        return out_grad * node


class ReLU:
    def compute(self, a):
        return array_api.maximum(a, array_api.zeros((), dtype=a.dtype))

    def gradient(self, out_grad, node):
        out = node.realize_cached_data().copy()
        out[out > 0] = 1
        return out_grad * Tensor(out, device=out_grad.device, dtype=out_grad.dtype)


def compute_gradient_of_variables(output_tensor, out_grad):
    assert out_grad is not None
    grads = {id(output_tensor): [out_grad]}
    for node in reversed(find_topo_sort([output_tensor])):
        parts = grads.get(id(node))
        if parts is None:
            continue
        node.grad = sum_node_list(parts)
        if node.is_leaf():
            continue
        for value, grad in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
            if id(value) in grads:
                grads[id(value)].append(grad)
            else:
                grads[id(value)] = [grad]


def find_topo_sort(node_list):
    marks = {}
    order = []

    def dfs(node):
        marks[id(node)] = "open"
        for value in node.inputs:
            if id(value) not in marks:
                dfs(value)
        marks[id(node)] = "done"
        order.append(node)

    for node in node_list:
        if id(node) not in marks:
            dfs(node)
    return order


def softmax_loss(Z, y_one_hot):
    assert Z.shape == y_one_hot.shape
    right = ndl.summation(Z * y_one_hot, axes=(1,))
    wrong = ndl.log(ndl.summation(ndl.exp(Z), axes=(1,)))
    return ndl.summation((wrong + ndl.negate(right)) * (1.0 / Z.shape[0]))


import time


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    started = time.time()
    for start in range(0, X.shape[0], batch):
        stop = start + batch
        x = ndl.Tensor(X[start:stop], device=ndl.cpu(), requires_grad=False)
        target = ndl.init.one_hot(W2.shape[-1], ndl.Tensor(y[start:stop]), dtype=str(X.dtype))
        logits = ndl.relu(x.matmul(W1)).matmul(W2)
        loss = softmax_loss(logits, target)
        loss.backward()
        W1.cached_data = W1.cached_data - lr * W1.grad.cached_data
        W2.cached_data = W2.cached_data - lr * W2.grad.cached_data
        W1.grad = W2.grad = None
        print(f"batch {start // batch}: loss {float(loss.numpy()):.4f} after {time.time() - started:.1f} s")
    return W1, W2
