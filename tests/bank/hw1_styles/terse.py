"""One line where one line will do; plain `sum` in the backward pass; no markers."""
# ruff: noqa
# mypy: ignore-errors


class PowerScalar:
    def compute(self, a):
        return array_api.power(a, self.scalar, dtype=a.dtype)

    def gradient(self, out_grad, node):
        return out_grad * self.scalar * node.inputs[0] ** (self.scalar - 1)


class EWisePow:
    def compute(self, a, b):
        return a**b

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad * b * a ** (b - 1), out_grad * a**b * log(a)


class EWiseDiv:
    def compute(self, a, b):
        return a / b

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad / b, -out_grad * a / b**2


class DivScalar:
    def compute(self, a):
        return array_api.true_divide(a, self.scalar, dtype=a.dtype)

    def gradient(self, out_grad, node):
        return out_grad / self.scalar


class Transpose:
    def compute(self, a):
        return a.swapaxes(*(self.axes or (-1, -2)))

    def gradient(self, out_grad, node):
        return out_grad.transpose(self.axes)


class Reshape:
    def compute(self, a):
        return a.reshape(self.shape)

    def gradient(self, out_grad, node):
        return out_grad.reshape(node.inputs[0].shape)


class BroadcastTo:
    def compute(self, a):
        return array_api.broadcast_to(a, self.shape)

    def gradient(self, out_grad, node):
        s = node.inputs[0].shape
        padded = (0,) * (len(self.shape) - len(s)) + tuple(s)
        return out_grad.sum(tuple(i for i, (m, n) in enumerate(zip(padded, self.shape)) if m != n)).reshape(s)


class Summation:
    def compute(self, a):
        return a.sum(axis=self.axes)

    def gradient(self, out_grad, node):
        s = node.inputs[0].shape
        axes = self.axes if self.axes is not None else tuple(range(len(s)))
        axes = [x % len(s) for x in (axes if isinstance(axes, tuple) else (axes,))]
        return out_grad.reshape([1 if i in axes else n for i, n in enumerate(s)]).broadcast_to(s)


class MatMul:
    def compute(self, a, b):
        return a @ b

    def gradient(self, out_grad, node):
        a, b = node.inputs
        da, db = out_grad @ b.transpose(), a.transpose() @ out_grad
        if len(da.shape) > len(a.shape):
            da = da.sum(tuple(range(len(da.shape) - len(a.shape))))
        if len(db.shape) > len(b.shape):
            db = db.sum(tuple(range(len(db.shape) - len(b.shape))))
        return da, db


class Negate:
    def compute(self, a):
        return -a

    def gradient(self, out_grad, node):
        return -out_grad


class Log:
    def compute(self, a):
        return array_api.log(a)

    def gradient(self, out_grad, node):
        return out_grad / node.inputs[0]


class Exp:
    def compute(self, a):
        return array_api.exp(a)

    def gradient(self, out_grad, node):
        return out_grad * node


class ReLU:
    def compute(self, a):
        return a * (a > 0)

    def gradient(self, out_grad, node):
        return out_grad * Tensor(node.inputs[0].numpy() > 0, dtype=out_grad.dtype)


def compute_gradient_of_variables(output_tensor, out_grad):
    grads = {output_tensor: [out_grad]}
    for node in reversed(find_topo_sort([output_tensor])):
        node.grad = sum(grads[node])
        if node.op:
            for x, g in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
                grads.setdefault(x, []).append(g)


def find_topo_sort(node_list):
    visited, order = set(), []
    for node in node_list:
        topo_sort_dfs(node, visited, order)
    return order


def topo_sort_dfs(node, visited, topo_order):
    if node in visited:
        return
    visited.add(node)
    for x in node.inputs:
        topo_sort_dfs(x, visited, topo_order)
    topo_order.append(node)


def softmax_loss(Z, y_one_hot):
    return (ndl.log(ndl.exp(Z).sum((1,))) - (Z * y_one_hot).sum((1,))).sum() / Z.shape[0]


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    for i in range(0, X.shape[0], batch):
        x, t = ndl.Tensor(X[i : i + batch]), np.eye(W2.shape[1], dtype=np.float32)[y[i : i + batch]]
        softmax_loss(ndl.relu(x @ W1) @ W2, ndl.Tensor(t)).backward()
        W1 = (W1 - lr * W1.grad).detach()
        W2 = (W2 - lr * W2.grad).detach()
        W1.requires_grad = W2.requires_grad = True
    return W1, W2
