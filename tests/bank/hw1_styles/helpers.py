"""Shared helpers outside of the regions, and private methods; imports nobody listed; prints while it loads."""
# ruff: noqa
# mypy: ignore-errors


class PowerScalar:
    def compute(self, a):
        return _keep(array_api.power(a, self.scalar), a)

    def gradient(self, out_grad, node):
        a = node.inputs[0]
        if self.scalar == 1:
            return out_grad
        return out_grad * (a ** (self.scalar - 1)) * self.scalar


class EWisePow:
    def compute(self, a, b):
        return array_api.power(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad * b * power(a, b + (-1)), out_grad * node * log(a)


import functools
import math
from typing import List, Optional, Tuple


def _keep(result, like):
    """Same dtype out as in."""
    return array_api.asarray(result, dtype=like.dtype)


def _unbroadcast(grad, shape):
    """Sum whatever numpy would have repeated to get from `shape` to `grad.shape`."""
    shape = tuple(shape)
    if tuple(grad.shape) == shape:
        return grad
    aligned = (1,) * (len(grad.shape) - len(shape)) + shape
    axes = tuple(
        i
        for i, (have, want) in enumerate(zip(grad.shape, aligned))
        if have != want or i < len(aligned) - len(shape)
    )
    return reshape(summation(grad, axes), shape)


def _normalized(axes, ndim: int) -> Tuple[int, ...]:
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    return tuple(sorted(a + ndim if a < 0 else a for a in axes))


class EWiseDiv:
    def compute(self, a, b):
        return array_api.true_divide(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        reciprocal = power_scalar(b, -1)
        return out_grad * reciprocal, out_grad * a * -1 * reciprocal * reciprocal


class DivScalar:
    def compute(self, a):
        return _keep(a / self.scalar, a)

    def gradient(self, out_grad, node):
        return out_grad / self.scalar


class Transpose:
    def _permutation(self, ndim):
        order = list(range(ndim))
        first, second = self.axes if self.axes else (ndim - 2, ndim - 1)
        order[first], order[second] = order[second], order[first]
        return tuple(order)

    def compute(self, a):
        return array_api.transpose(a, self._permutation(a.ndim))

    def gradient(self, out_grad, node):
        return transpose(out_grad, self.axes)


class BroadcastTo:
    def compute(self, a):
        return array_api.broadcast_to(a, self.shape)

    def gradient(self, out_grad, node):
        return _unbroadcast(out_grad, node.inputs[0].shape)


class Summation:
    def compute(self, a):
        return array_api.sum(a, axis=self.axes)

    def gradient(self, out_grad, node):
        shape = node.inputs[0].shape
        axes = _normalized(self.axes, len(shape))
        kept = tuple(1 if i in axes else n for i, n in enumerate(shape))
        return broadcast_to(reshape(out_grad, kept), shape)


class MatMul:
    def compute(self, a, b):
        return array_api.matmul(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return (
            _unbroadcast(out_grad @ transpose(b), a.shape),
            _unbroadcast(transpose(a) @ out_grad, b.shape),
        )


class Log:
    def compute(self, a):
        return array_api.log(a)

    def gradient(self, out_grad, node):
        return out_grad * (1 / node.inputs[0])


class Exp:
    def compute(self, a):
        return array_api.exp(a)

    def gradient(self, out_grad, node):
        return out_grad * exp(node.inputs[0])


class ReLU:
    def compute(self, a):
        return array_api.maximum(a, 0)

    def gradient(self, out_grad, node):
        mask = node.inputs[0].realize_cached_data() > 0
        return out_grad * Tensor(mask.astype(out_grad.dtype), requires_grad=False)


def compute_gradient_of_variables(output_tensor, out_grad):
    from collections import defaultdict

    contributions = defaultdict(list)
    contributions[output_tensor].append(out_grad)
    for node in reversed(find_topo_sort([output_tensor])):
        node.grad = functools.reduce(lambda a, b: a + b, contributions[node])
        if node.op is not None:
            for source, piece in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
                contributions[source].append(piece)


import functools


def find_topo_sort(node_list):
    order = {}

    def visit(node):
        if node in order:
            return
        for source in node.inputs:
            visit(source)
        order[node] = len(order)

    for node in node_list:
        visit(node)
    return list(order)


def _one_hot(labels, classes):
    table = np.zeros((labels.size, classes), dtype=np.float32)
    table[np.arange(labels.size), labels] = 1.0
    return ndl.Tensor(table, requires_grad=False)


def _minibatches(X, y, batch):
    for start in range(0, X.shape[0], batch):
        yield X[start : start + batch], y[start : start + batch]


def _sgd(parameter, lr):
    return ndl.Tensor(parameter.detach() - lr * parameter.grad.detach())


def softmax_loss(Z, y_one_hot):
    n = Z.shape[0]
    return (
        ndl.summation(ndl.log(ndl.summation(ndl.exp(Z), axes=1)) - ndl.summation(Z * y_one_hot, axes=1)) / n
    )


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    for X_part, y_part in _minibatches(X, y, batch):
        hidden = ndl.relu(ndl.Tensor(X_part, requires_grad=False) @ W1)
        loss = softmax_loss(hidden @ W2, _one_hot(y_part, W2.shape[1]))
        loss.backward()
        W1, W2 = _sgd(W1, lr), _sgd(W2, lr)
    return W1, W2
