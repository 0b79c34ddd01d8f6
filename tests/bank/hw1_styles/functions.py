"""Calls ops by their functions, never by operators; recursion with a set; the layout of 2022, indented by tabs."""
# ruff: noqa
# mypy: ignore-errors


class PowerScalar:
    def compute(self, a):
        out = array_api.power(a, self.scalar)
        return array_api.array(out, dtype=a.dtype)

    def gradient(self, out_grad, node):
        lhs = node.inputs[0]
        if self.scalar == 0:
            return mul_scalar(out_grad, 0)
        return multiply(mul_scalar(out_grad, self.scalar), power_scalar(lhs, self.scalar - 1))


class EWiseDiv:
    def compute(self, a, b):
        return array_api.divide(a, b)

    def gradient(self, out_grad, node):
        lhs, rhs = node.inputs
        lhs_grad = multiply(out_grad, power_scalar(rhs, -1))
        rhs_grad = multiply(out_grad, multiply(negate(lhs), power_scalar(rhs, -2)))
        return lhs_grad, rhs_grad


class DivScalar:
    def compute(self, a):
        out = array_api.divide(a, self.scalar)
        return array_api.array(out, dtype=a.dtype)

    def gradient(self, out_grad, node):
        return divide_scalar(out_grad, self.scalar)


class Transpose:
    def __init__(self, axes=None):
        self.axes = axes

    def compute(self, a):
        if self.axes is None:
            return array_api.swapaxes(a, a.ndim - 2, a.ndim - 1)
        return array_api.swapaxes(a, axis1=self.axes[0], axis2=self.axes[1])

    def gradient(self, out_grad, node):
        if self.axes is None:
            return transpose(out_grad)
        return transpose(out_grad, (self.axes[1], self.axes[0]))


class Reshape:
    def compute(self, a):
        return array_api.reshape(a, self.shape)

    def gradient(self, out_grad, node):
        lhs = node.inputs[0]
        return reshape(out_grad, lhs.shape)


class BroadcastTo:
    def compute(self, a):
        return array_api.broadcast_to(a, self.shape)

    def gradient(self, out_grad, node):
        lhs = node.inputs[0]
        origin_shape = lhs.shape
        target_shape = self.shape
        expand_axes = [0] * len(target_shape)
        for i in range(-1, -len(target_shape) - 1, -1):
            if -i > len(origin_shape) or origin_shape[i] != target_shape[i]:
                expand_axes[i] = 1
        axes = tuple(i for i in range(len(target_shape)) if expand_axes[i])
        if not axes:
            return out_grad
        return reshape(summation(out_grad, axes), origin_shape)


class Summation:
    def compute(self, a):
        return array_api.sum(a, self.axes)

    def gradient(self, out_grad, node):
        lhs = node.inputs[0]
        if self.axes is None:
            axes = tuple(range(len(lhs.shape)))
        elif isinstance(self.axes, tuple):
            axes = self.axes
        else:
            axes = (self.axes,)
        shape = list(lhs.shape)
        for axis in axes:
            shape[axis] = 1
        return broadcast_to(reshape(out_grad, shape), lhs.shape)


class MatMul:
    def compute(self, a, b):
        return array_api.matmul(a, b)

    def gradient(self, out_grad, node):
        lhs, rhs = node.inputs
        lhs_grad = matmul(out_grad, transpose(rhs, axes=(-1, -2)))
        rhs_grad = matmul(transpose(lhs, axes=(-1, -2)), out_grad)
        if len(lhs.shape) < len(lhs_grad.shape):
            lhs_grad = summation(lhs_grad, axes=tuple(range(len(lhs_grad.shape) - len(lhs.shape))))
        if len(rhs.shape) < len(rhs_grad.shape):
            rhs_grad = summation(rhs_grad, axes=tuple(range(len(rhs_grad.shape) - len(rhs.shape))))
        return lhs_grad, rhs_grad


class Negate:
    def compute(self, a):
        return array_api.negative(a)

    def gradient(self, out_grad, node):
        return negate(out_grad)


class Log:
    def compute(self, a):
        return array_api.log(a)

    def gradient(self, out_grad, node):
        return divide(out_grad, node.inputs[0])


class Exp:
    def compute(self, a):
        return array_api.exp(a)

    def gradient(self, out_grad, node):
        return multiply(out_grad, exp(node.inputs[0]))


class ReLU:
    def compute(self, a):
        return array_api.maximum(a, 0)

    def gradient(self, out_grad, node):
        lhs = node.inputs[0].realize_cached_data()
        mask = Tensor(array_api.where(lhs > 0, 1.0, 0.0), dtype=lhs.dtype)
        return multiply(out_grad, mask)


def compute_gradient_of_variables(output_tensor, out_grad):
    node_to_output_grads_list = {output_tensor: [out_grad]}
    reverse_topo_order = list(reversed(find_topo_sort([output_tensor])))
    for node in reverse_topo_order:
        adjoint = sum_node_list(node_to_output_grads_list[node])
        node.grad = adjoint
        if node.is_leaf():
            continue
        partial_adjoints = node.op.gradient_as_tuple(adjoint, node)
        for i in range(len(node.inputs)):
            try:
                node_to_output_grads_list[node.inputs[i]].append(partial_adjoints[i])
            except KeyError:
                node_to_output_grads_list[node.inputs[i]] = [partial_adjoints[i]]


def find_topo_sort(node_list):
    visited = set()
    topo_order = []
    for node in node_list:
        if node not in visited:
            topo_sort_dfs(node, visited, topo_order)
    return topo_order


def topo_sort_dfs(node, visited, topo_order):
    if node.is_leaf():
        visited.add(node)
        topo_order.append(node)
        return
    visited.add(node)
    for prev in node.inputs:
        if prev in visited:
            continue
        topo_sort_dfs(prev, visited, topo_order)
    topo_order.append(node)


def softmax_loss(Z, y_one_hot):
    exp_sum = ndl.summation(ndl.exp(Z), axes=(1,))
    lhs = ndl.summation(ndl.log(exp_sum))
    rhs = ndl.summation(ndl.multiply(Z, y_one_hot))
    return ndl.divide_scalar(ndl.add(lhs, ndl.negate(rhs)), Z.shape[0])


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    k = W2.shape[1]
    for i in range(0, y.size, batch):
        xs = ndl.Tensor(X[i : i + batch, :])
        labels = ndl.Tensor(y[i : i + batch])
        ys = ndl.init.one_hot(k, labels)
        hidden = ndl.relu(ndl.matmul(xs, W1))
        loss = softmax_loss(ndl.matmul(hidden, W2), ys)
        loss.backward()
        W1.data = ndl.Tensor(W1.numpy() - lr * W1.grad.numpy(), dtype=W1.dtype)
        W2.data = ndl.Tensor(W2.numpy() - lr * W2.grad.numpy(), dtype=W2.dtype)
    return W1, W2
