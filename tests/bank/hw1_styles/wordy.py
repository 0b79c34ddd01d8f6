"""Every step has a name; axes are collected by loops; comments in Chinese; YOUR CODE markers."""
# ruff: noqa
# mypy: ignore-errors


class PowerScalar:
    def compute(self, a):
        # 先计算幂，再恢复数据类型
        powered = a**self.scalar
        if powered.dtype != a.dtype:
            powered = powered.astype(a.dtype)
        return powered

    def gradient(self, out_grad, node):
        base = node.inputs[0]
        exponent = self.scalar
        # d/dx x^n = n * x^(n-1)
        local_gradient = mul_scalar(power_scalar(base, exponent - 1), exponent)
        return multiply(out_grad, local_gradient)


class EWisePow:
    def compute(self, a, b):
        result = array_api.power(a, b)
        return result

    def gradient(self, out_grad, node):
        base = node.inputs[0]
        exponent = node.inputs[1]
        gradient_base = multiply(out_grad, multiply(exponent, power(base, add_scalar(exponent, -1))))
        gradient_exponent = multiply(out_grad, multiply(power(base, exponent), log(base)))
        return (gradient_base, gradient_exponent)


class EWiseDiv:
    def compute(self, a, b):
        quotient = array_api.divide(a, b)
        return quotient

    def gradient(self, out_grad, node):
        numerator = node.inputs[0]
        denominator = node.inputs[1]
        gradient_numerator = divide(out_grad, denominator)
        # 分母的导数：-a / b²
        squared = power_scalar(denominator, 2)
        gradient_denominator = negate(divide(multiply(out_grad, numerator), squared))
        return gradient_numerator, gradient_denominator


class DivScalar:
    def compute(self, a):
        quotient = array_api.divide(a, self.scalar)
        quotient = quotient.astype(a.dtype)
        return quotient

    def gradient(self, out_grad, node):
        return divide_scalar(out_grad, self.scalar)


class Transpose:
    def compute(self, a):
        if self.axes is None:
            axis1 = a.ndim - 1
            axis2 = a.ndim - 2
        else:
            axis1 = self.axes[0]
            axis2 = self.axes[1]
        result = array_api.swapaxes(a, axis1, axis2)
        return result

    def gradient(self, out_grad, node):
        return transpose(out_grad, axes=self.axes)


class Reshape:
    def compute(self, a):
        result = array_api.reshape(a, self.shape)
        return result

    def gradient(self, out_grad, node):
        input_tensor = node.inputs[0]
        input_shape = input_tensor.shape
        return reshape(out_grad, input_shape)


class BroadcastTo:
    def compute(self, a):
        result = array_api.broadcast_to(a, self.shape)
        return result

    def gradient(self, out_grad, node):
        input_shape = list(node.inputs[0].shape)
        output_shape = list(self.shape)
        # 从右边对齐
        axes = []
        i = len(input_shape) - 1
        j = len(output_shape) - 1
        while j >= 0:
            if i < 0:
                axes.append(j)
            elif input_shape[i] == 1 and output_shape[j] != 1:
                axes.append(j)
            i = i - 1
            j = j - 1
        if len(axes) > 0:
            summed = summation(out_grad, tuple(axes))
        else:
            summed = out_grad
        return reshape(summed, tuple(input_shape))


class Summation:
    def compute(self, a):
        total = array_api.sum(a, axis=self.axes)
        return total

    def gradient(self, out_grad, node):
        input_shape = node.inputs[0].shape
        new_shape = list(input_shape)
        if self.axes is None:
            for axis in range(len(new_shape)):
                new_shape[axis] = 1
        elif isinstance(self.axes, int):
            new_shape[self.axes] = 1
        else:
            for axis in self.axes:
                new_shape[axis] = 1
        reshaped = reshape(out_grad, tuple(new_shape))
        return broadcast_to(reshaped, input_shape)


class MatMul:
    def compute(self, a, b):
        product = array_api.matmul(a, b)
        return product

    def gradient(self, out_grad, node):
        left = node.inputs[0]
        right = node.inputs[1]
        left_gradient = matmul(out_grad, transpose(right))
        right_gradient = matmul(transpose(left), out_grad)
        # 批量维度被广播时要求和
        extra_left = len(left_gradient.shape) - len(left.shape)
        if extra_left > 0:
            axes = tuple(range(extra_left))
            left_gradient = summation(left_gradient, axes)
        extra_right = len(right_gradient.shape) - len(right.shape)
        if extra_right > 0:
            axes = tuple(range(extra_right))
            right_gradient = summation(right_gradient, axes)
        return left_gradient, right_gradient


class Negate:
    def compute(self, a):
        result = array_api.negative(a)
        return result

    def gradient(self, out_grad, node):
        return negate(out_grad)


class Log:
    def compute(self, a):
        result = array_api.log(a)
        return result

    def gradient(self, out_grad, node):
        return divide(out_grad, node.inputs[0])


class Exp:
    def compute(self, a):
        result = array_api.exp(a)
        return result

    def gradient(self, out_grad, node):
        input_tensor = node.inputs[0]
        return multiply(out_grad, exp(input_tensor))


class ReLU:
    def compute(self, a):
        result = array_api.copy(a)
        result[a < 0] = 0
        return result

    def gradient(self, out_grad, node):
        data = node.inputs[0].realize_cached_data().copy()
        data[data > 0] = 1
        data[data <= 0] = 0
        mask = Tensor(data)
        return multiply(out_grad, mask)


def compute_gradient_of_variables(output_tensor, out_grad):
    node_to_output_grads_list = {}
    node_to_output_grads_list[output_tensor] = [out_grad]
    reverse_topo_order = list(reversed(find_topo_sort([output_tensor])))

    for node in reverse_topo_order:
        # 累加所有输出边的梯度
        output_grads = node_to_output_grads_list[node]
        node.grad = sum_node_list(output_grads)
        if node.op is None:
            continue
        input_grads = node.op.gradient_as_tuple(node.grad, node)
        for index in range(len(node.inputs)):
            input_node = node.inputs[index]
            if input_node not in node_to_output_grads_list:
                node_to_output_grads_list[input_node] = []
            node_to_output_grads_list[input_node].append(input_grads[index])


def find_topo_sort(node_list):
    visited = dict()
    topo_order = []
    for node in node_list:
        if node not in visited:
            topo_sort_dfs(node, visited, topo_order)
    return topo_order


def topo_sort_dfs(node, visited, topo_order):
    visited[node] = True
    for input_node in node.inputs:
        if input_node not in visited:
            topo_sort_dfs(input_node, visited, topo_order)
    topo_order.append(node)


def softmax_loss(Z, y_one_hot):
    batch_size = Z.shape[0]
    # 每一行的 log-sum-exp
    exponentials = ndl.exp(Z)
    row_sums = ndl.summation(exponentials, axes=(1,))
    log_sums = ndl.log(row_sums)
    true_logits = ndl.summation(ndl.multiply(Z, y_one_hot), axes=(1,))
    losses = ndl.add(log_sums, ndl.negate(true_logits))
    total = ndl.summation(losses)
    return ndl.divide_scalar(total, batch_size)


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    num_examples = X.shape[0]
    num_classes = W2.shape[1]
    start = 0
    while start < num_examples:
        end = min(start + batch, num_examples)
        X_batch = X[start:end]
        y_batch = y[start:end]
        one_hot = np.zeros((end - start, num_classes), dtype="float32")
        for row in range(end - start):
            one_hot[row, y_batch[row]] = 1
        inputs = ndl.Tensor(X_batch)
        hidden = ndl.relu(ndl.matmul(inputs, W1))
        logits = ndl.matmul(hidden, W2)
        loss = softmax_loss(logits, ndl.Tensor(one_hot))
        loss.backward()
        # 只更新数值，不保留计算图
        new_W1 = W1.realize_cached_data() - lr * W1.grad.realize_cached_data()
        new_W2 = W2.realize_cached_data() - lr * W2.grad.realize_cached_data()
        W1 = ndl.Tensor(new_W1)
        W2 = ndl.Tensor(new_W2)
        start = end
    return W1, W2
