"""First term, first week: nested ifs, lists as visited sets, two sums in BroadcastTo; 2022 with CRLF."""
# ruff: noqa
# mypy: ignore-errors


class PowerScalar:
    def compute(self, a):
        return (a**self.scalar).astype(a.dtype)

    def gradient(self, out_grad, node):
        a = node.inputs[0]
        b = self.scalar - 1
        return self.scalar * a**b * out_grad


class EWiseDiv:
    def compute(self, a, b):
        return a / b

    def gradient(self, out_grad, node):
        a = node.inputs[0]
        b = node.inputs[1]
        ga = out_grad / b
        gb = -1 * out_grad * a / b / b
        return ga, gb


class DivScalar:
    def compute(self, a):
        return (a / self.scalar).astype(a.dtype)

    def gradient(self, out_grad, node):
        ga = out_grad / self.scalar
        return ga


class Transpose:
    def compute(self, a):
        if self.axes:
            ax0, ax1 = self.axes[0], self.axes[1]
        else:
            ax0, ax1 = a.ndim - 2, a.ndim - 1
        permute = list(range(a.ndim))
        permute[ax0], permute[ax1] = ax1 % a.ndim, ax0 % a.ndim
        return array_api.transpose(a, permute)

    def gradient(self, out_grad, node):
        if self.axes:
            return transpose(out_grad, self.axes)
        else:
            return transpose(out_grad)


class Reshape:
    def compute(self, a):
        return a.reshape(self.shape)

    def gradient(self, out_grad, node):
        shp = node.inputs[0].shape
        return out_grad.reshape(shp)


class BroadcastTo:
    def compute(self, a):
        return array_api.broadcast_to(a, self.shape)

    def gradient(self, out_grad, node):
        in_shape = node.inputs[0].shape
        n_new = len(self.shape) - len(in_shape)
        new_axes = tuple(range(n_new))
        stretched = tuple(n_new + i for i, d in enumerate(in_shape) if d == 1 and self.shape[n_new + i] != 1)
        if new_axes + stretched:
            out_grad = summation(out_grad, new_axes + stretched)
        if out_grad.shape != in_shape:
            out_grad = reshape(out_grad, in_shape)
        return out_grad


class Summation:
    def compute(self, a):
        if self.axes is None:
            return a.sum()
        return a.sum(self.axes)

    def gradient(self, out_grad, node):
        shp = node.inputs[0].shape
        if self.axes is None:
            ones = (1,) * len(shp)
            return broadcast_to(reshape(out_grad, ones), shp)
        else:
            axes = self.axes
            if isinstance(axes, int):
                axes = (axes,)
            axes = tuple(ax if ax >= 0 else ax + len(shp) for ax in axes)
            new_shp = []
            for i in range(len(shp)):
                if i in axes:
                    new_shp.append(1)
                else:
                    new_shp.append(shp[i])
            return broadcast_to(reshape(out_grad, tuple(new_shp)), shp)


class MatMul:
    def compute(self, a, b):
        return a.__matmul__(b)

    def gradient(self, out_grad, node):
        a, b = node.inputs[0], node.inputs[1]
        ga = matmul(out_grad, b.transpose())
        gb = matmul(a.transpose(), out_grad)
        la, lb, lo = len(a.shape), len(b.shape), len(out_grad.shape)
        if la < lo:
            ga = ga.sum(tuple(i for i in range(lo - la)))
        if lb < lo:
            gb = gb.sum(tuple(i for i in range(lo - lb)))
        return ga, gb


class Negate:
    def compute(self, a):
        return -a

    def gradient(self, out_grad, node):
        return -out_grad


class Log:
    def compute(self, a):
        return array_api.log(a)

    def gradient(self, out_grad, node):
        return node.inputs[0] ** (-1) * out_grad


class Exp:
    def compute(self, a):
        return array_api.exp(a)

    def gradient(self, out_grad, node):
        a = node.inputs[0]
        return exp(a) * out_grad


class ReLU:
    def compute(self, a):
        return a * (a > 0).astype(a.dtype)

    def gradient(self, out_grad, node):
        a = node.inputs[0].realize_cached_data()
        m = (a > 0).astype(a.dtype)
        return out_grad * Tensor(m)


def compute_gradient_of_variables(output_tensor, out_grad):
    node_to_output_grads_list = {}
    node_to_output_grads_list[output_tensor] = [out_grad]
    reverse_topo_order = list(reversed(find_topo_sort([output_tensor])))
    for i in reverse_topo_order:
        vi = sum_node_list(node_to_output_grads_list[i])
        i.grad = vi
        if i.op:
            vki = i.op.gradient_as_tuple(vi, i)
            for k, g in enumerate(vki):
                if i.inputs[k] in node_to_output_grads_list:
                    node_to_output_grads_list[i.inputs[k]] += [g]
                else:
                    node_to_output_grads_list[i.inputs[k]] = [g]


def find_topo_sort(node_list):
    visited = []
    topo_order = []
    for node in node_list:
        topo_sort_dfs(node, visited, topo_order)
    return topo_order


def topo_sort_dfs(node, visited, topo_order):
    if node in visited:
        return
    for n in node.inputs:
        topo_sort_dfs(n, visited, topo_order)
    visited.append(node)
    topo_order.append(node)


def softmax_loss(Z, y_one_hot):
    batch = Z.shape[0]
    loss = ndl.summation(
        ndl.log(ndl.summation(ndl.exp(Z), axes=(1,))) - ndl.summation(Z * y_one_hot, axes=(1,))
    )
    return loss / batch


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    n = X.shape[0]
    k = W2.shape[1]
    for i in range(0, n, batch):
        Xb = X[i : i + batch]
        yb = y[i : i + batch]
        one_hot = np.zeros((yb.shape[0], k)).astype(X.dtype)
        one_hot[np.arange(yb.shape[0]), yb] = 1
        Xb = ndl.Tensor(Xb)
        one_hot = ndl.Tensor(one_hot)
        loss = softmax_loss(ndl.relu(Xb @ W1) @ W2, one_hot)
        loss.backward()
        W1 = ndl.Tensor(W1.data - lr * W1.grad.data)
        W2 = ndl.Tensor(W2.data - lr * W2.grad.data)
    return W1, W2
