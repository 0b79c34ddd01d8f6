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
        raise NotImplementedError()
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
        raise NotImplementedError()
        ### END YOUR SOLUTION
