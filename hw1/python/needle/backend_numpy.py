"""The numpy backend: a device is the thing that makes arrays."""

import numpy


class Device:
    """A place where arrays live; a backend derives one class from it."""


class CPUDevice(Device):
    """Main memory, with numpy arrays. All instances are equal."""

    def __repr__(self):
        return "needle.cpu()"

    def __hash__(self):
        return hash(repr(self))

    def __eq__(self, other):
        return isinstance(other, CPUDevice)

    def enabled(self):
        """Whether arrays can be made here: always true."""
        return True

    def zeros(self, *shape, dtype="float32"):
        """Array of zeros."""
        return numpy.zeros(shape, dtype=dtype)

    def ones(self, *shape, dtype="float32"):
        """Array of ones."""
        return numpy.ones(shape, dtype=dtype)

    def empty(self, shape, dtype="float32"):
        """Array of unset values."""
        return numpy.empty(shape, dtype=dtype)

    def full(self, shape, fill_value, dtype="float32"):
        """Array that holds one value everywhere."""
        return numpy.full(shape, fill_value, dtype=dtype)

    def rand(self, *shape):
        """Uniform draws from [0, 1), float64 (an array also for the shape `()`)."""
        return numpy.asarray(numpy.random.rand(*shape))

    def randn(self, *shape):
        """Standard normal draws, float64 (an array also for the shape `()`)."""
        return numpy.asarray(numpy.random.randn(*shape))

    def one_hot(self, n, i, dtype="float32"):
        """Rows of the n-by-n identity: `i.shape + (n,)` for an integer array `i`."""
        return numpy.eye(n, dtype=dtype)[i]


def cpu():
    """The device of main memory."""
    return CPUDevice()


def default_device():
    """The device that is used when none is named."""
    return cpu()


def all_devices():
    """Every device of this backend."""
    return [cpu()]
