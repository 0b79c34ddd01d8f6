"""Optimisers: they change parameters by the gradients of the last backward pass."""

import needle as ndl


class Optimizer:
    """Base of all optimisers; `params` is a list of Parameters."""

    def __init__(self, params):
        self.params = params

    def step(self):
        """Change every parameter that has a gradient."""
        raise NotImplementedError()

    def reset_grad(self):
        """Forget the gradients, so that the next backward pass starts anew."""
        for p in self.params:
            p.grad = None


class SGD(Optimizer):
    """Gradient descent with momentum, kept as a running average, and weight decay, added to the gradient."""

    def __init__(self, params, lr=0.01, momentum=0.0, weight_decay=0.0):
        super().__init__(params)
        self.lr = lr
        self.momentum = momentum
        self.u = {}
        self.weight_decay = weight_decay

    def step(self):
        """One step on every parameter whose `grad` is not None.

        Parameters keep their dtype, gradients stay as they are, and neither parameters nor `u` hold on to a
        graph.
        """
        ### BEGIN YOUR SOLUTION
        for p in self.params:
            if p.grad is None:
                continue
            # .data leaves the graph behind, so that nothing of this step outlives it
            grad = p.grad.data + self.weight_decay * p.data
            self.u[p] = self.momentum * self.u.get(p, 0.0) + (1 - self.momentum) * grad
            p.data = ndl.Tensor(p.data - self.lr * self.u[p], dtype=p.dtype, requires_grad=False)
        ### END YOUR SOLUTION


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015) with bias correction, and weight decay added to the gradient."""

    def __init__(self, params, lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
        super().__init__(params)
        self.lr = lr
        self.beta1 = beta1
        self.beta2 = beta2
        self.eps = eps
        self.weight_decay = weight_decay
        self.t = 0

        self.m = {}
        self.v = {}

    def step(self):
        """One step on every parameter whose `grad` is not None.

        Parameters keep their dtype, gradients stay as they are, and nothing holds on to a graph: neither
        parameters nor the moments `m` and `v`, which are kept without bias correction.
        """
        ### BEGIN YOUR SOLUTION
        self.t += 1
        for p in self.params:
            if p.grad is None:
                continue
            # .data leaves the graph behind, so that nothing of this step outlives it
            grad = p.grad.data + self.weight_decay * p.data
            self.m[p] = self.beta1 * self.m.get(p, 0.0) + (1 - self.beta1) * grad
            self.v[p] = self.beta2 * self.v.get(p, 0.0) + (1 - self.beta2) * grad**2
            m_hat = self.m[p] / (1 - self.beta1**self.t)
            v_hat = self.v[p] / (1 - self.beta2**self.t)
            update = self.lr * m_hat / (v_hat**0.5 + self.eps)
            p.data = ndl.Tensor(p.data - update, dtype=p.dtype, requires_grad=False)
        ### END YOUR SOLUTION
