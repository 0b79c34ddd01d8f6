"""Built from `reduce`, `zip_longest` and generators; the backend imported as `nd`."""
# ruff: noqa
# mypy: ignore-errors

from functools import reduce
from itertools import zip_longest
from needle import backend_numpy as nd


class PowerScalar:
    def compute(self, a):
        return array_api.power(a, array_api.asarray(self.scalar, dtype=a.dtype))

    def gradient(self, out_grad, node):
        return reduce(multiply, (out_grad, power_scalar(node.inputs[0], self.scalar - 1))) * self.scalar


class EWiseDiv:
    def compute(self, a, b):
        return array_api.divide(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        inverse = b**-1
        return out_grad * inverse, reduce(multiply, (out_grad, -a, inverse, inverse))


class DivScalar:
    def compute(self, a):
        return array_api.divide(a, array_api.asarray(self.scalar, dtype=a.dtype))

    def gradient(self, out_grad, node):
        return DivScalar(self.scalar)(out_grad)


class Transpose:
    def compute(self, a):
        i, j = self.axes or (-1, -2)
        return array_api.swapaxes(a, i, j)

    def gradient(self, out_grad, node):
        return Transpose(self.axes)(out_grad)


class Reshape:
    def compute(self, a):
        return array_api.reshape(a, self.shape)

    def gradient(self, out_grad, node):
        return Reshape(node.inputs[0].shape)(out_grad)


class BroadcastTo:
    def compute(self, a):
        return array_api.broadcast_to(a, shape=self.shape)

    def gradient(self, out_grad, node):
        shape = node.inputs[0].shape
        pairs = list(zip_longest(reversed(self.shape), reversed(shape)))
        axes = tuple(len(pairs) - 1 - i for i, (new, old) in enumerate(pairs) if new != old)
        return Reshape(shape)(Summation(axes)(out_grad))


class Summation:
    def compute(self, a):
        return array_api.sum(a, axis=self.axes)

    def gradient(self, out_grad, node):
        shape = node.inputs[0].shape
        everything = range(len(shape))
        wanted = (
            everything if self.axes is None else self.axes if hasattr(self.axes, "__iter__") else [self.axes]
        )
        gone = {everything[axis] for axis in wanted}
        return BroadcastTo(shape)(
            Reshape(tuple(shape[i] if i not in gone else 1 for i in everything))(out_grad)
        )


class MatMul:
    def compute(self, a, b):
        return array_api.matmul(a, b)

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return tuple(
            summation(g, tuple(range(len(g.shape) - len(x.shape)))) if len(g.shape) != len(x.shape) else g
            for g, x in zip((out_grad @ transpose(b), transpose(a) @ out_grad), (a, b))
        )


class Negate:
    def compute(self, a):
        return array_api.negative(a)

    def gradient(self, out_grad, node):
        return Negate()(out_grad)


class Log:
    def compute(self, a):
        return array_api.log(a)

    def gradient(self, out_grad, node):
        return EWiseDiv()(out_grad, node.inputs[0])


class Exp:
    def compute(self, a):
        return array_api.exp(a)

    def gradient(self, out_grad, node):
        return EWiseMul()(out_grad, Exp()(node.inputs[0]))


class ReLU:
    def compute(self, a):
        return (array_api.abs(a) + a) * a.dtype.type(0.5)

    def gradient(self, out_grad, node):
        sign = array_api.sign(node.realize_cached_data())
        return out_grad * Tensor(sign, device=nd.cpu(), dtype=sign.dtype, requires_grad=False)


def compute_gradient_of_variables(output_tensor, out_grad):
    received = {output_tensor: [out_grad]}

    def deliver(node):
        node.grad = reduce(lambda x, y: x + y, received[node])
        grads = () if node.is_leaf() else node.op.gradient_as_tuple(node.grad, node)
        for target, grad in zip(node.inputs, grads):
            received[target] = [*received.get(target, ()), grad]

    for node in reversed(find_topo_sort([output_tensor])):
        deliver(node)


def find_topo_sort(node_list):
    seen = set()

    def walk(node):
        if node not in seen:
            seen.add(node)
            for value in node.inputs:
                yield from walk(value)
            yield node

    return [found for node in node_list for found in walk(node)]


from functools import reduce


def softmax_loss(Z, y_one_hot):
    n, k = Z.shape
    p = ndl.exp(Z)
    true = ndl.summation(p * y_one_hot, axes=(1,))
    ratio = ndl.divide(ndl.summation(p, axes=(1,)), true)
    return ndl.summation(ndl.log(ratio)) / n


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    classes = np.arange(W2.shape[1])

    def step(weights, start):
        x, labels = X[start : start + batch], y[start : start + batch]
        rows = (labels[:, None] == classes).astype(np.float32)
        w1, w2 = (ndl.Tensor(w.numpy()) for w in weights)
        softmax_loss(ndl.relu(ndl.Tensor(x) @ w1) @ w2, ndl.Tensor(rows)).backward()
        return tuple(ndl.Tensor(w.numpy() - lr * w.grad.numpy(), dtype=w.dtype) for w in (w1, w2))

    return reduce(step, range(0, len(X), batch), (W1, W2))
