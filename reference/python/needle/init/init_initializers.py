"""Initial weights by Glorot (Xavier) and He (Kaiming)."""

import math

from .init_basic import rand, randn


def xavier_uniform(fan_in, fan_out, gain=1.0, **kwargs):
    """Uniform initial weights of Glorot and Bengio (2010), shape `(fan_in, fan_out)`.

    Drawn by `rand` from [-a, a); the homework's text defines the bound a, which grows with `gain`. `kwargs`
    (dtype, device, requires_grad) go to `rand`.
    """
    ### BEGIN YOUR SOLUTION
    bound = gain * math.sqrt(6 / (fan_in + fan_out))
    return rand(fan_in, fan_out, low=-bound, high=bound, **kwargs)
    ### END YOUR SOLUTION


def xavier_normal(fan_in, fan_out, gain=1.0, **kwargs):
    """Normal initial weights of Glorot and Bengio (2010), mean 0, shape `(fan_in, fan_out)`.

    Drawn by `randn`; the homework's text defines the standard deviation, which grows with `gain`. `kwargs` go
    to `randn`.
    """
    ### BEGIN YOUR SOLUTION
    std = gain * math.sqrt(2 / (fan_in + fan_out))
    return randn(fan_in, fan_out, std=std, **kwargs)
    ### END YOUR SOLUTION


def kaiming_uniform(fan_in, fan_out, nonlinearity="relu", **kwargs):
    """Uniform initial weights of He et al. (2015) for ReLU, shape `(fan_in, fan_out)`.

    Drawn by `rand` from [-a, a); the homework's text defines the bound a. `kwargs` go to `rand`.
    """
    assert nonlinearity == "relu", "only relu is supported"
    ### BEGIN YOUR SOLUTION
    bound = math.sqrt(2) * math.sqrt(3 / fan_in)
    return rand(fan_in, fan_out, low=-bound, high=bound, **kwargs)
    ### END YOUR SOLUTION


def kaiming_normal(fan_in, fan_out, nonlinearity="relu", **kwargs):
    """Normal initial weights of He et al. (2015) for ReLU, mean 0, shape `(fan_in, fan_out)`.

    Drawn by `randn`; the homework's text defines the standard deviation. `kwargs` go to `randn`.
    """
    assert nonlinearity == "relu", "only relu is supported"
    ### BEGIN YOUR SOLUTION
    std = math.sqrt(2) / math.sqrt(fan_in)
    return randn(fan_in, fan_out, std=std, **kwargs)
    ### END YOUR SOLUTION
