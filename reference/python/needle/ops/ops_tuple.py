"""Ops that make and take apart tuples of tensors. All of them are given."""

import needle

from ..autograd import Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


class MakeTensorTuple(TensorTupleOp):
    """Several tensors as one TensorTuple."""

    def compute(self, *args):
        return tuple(args)

    def gradient(self, out_grad, node):
        return tuple(out_grad[i] for i in range(len(out_grad)))


def make_tuple(*args: Tensor) -> TensorTuple:
    """TensorTuple of the arguments."""
    return MakeTensorTuple()(*args)


class TensorTupleGetItem(TensorOp):
    """Entry `index` of a TensorTuple."""

    def __init__(self, index: int):
        self.index = index

    def __call__(self, a: TensorTuple):
        # an entry of a tuple that was just made is known without a new node
        if isinstance(a.op, MakeTensorTuple):
            return a.inputs[self.index]
        return Tensor.make_from_op(self, [a])

    def compute(self, a):
        return a[self.index]

    def gradient(self, out_grad, node):
        # the other entries have no part in this one
        entries = node.inputs[0].realize_cached_data()
        position = self.index % len(entries)
        return make_tuple(
            *[
                out_grad if i == position else needle.init.zeros(*entry.shape, dtype=entry.dtype)
                for i, entry in enumerate(entries)
            ]
        )


def tuple_get_item(value: Value, index: int) -> Tensor:
    """Entry `index` of a TensorTuple."""
    return TensorTupleGetItem(index)(value)


class FusedAddScalars(TensorTupleOp):
    """`(a + c0, a + c1)` as one node with two outputs."""

    def __init__(self, c0: float, c1: float):
        self.c0 = c0
        self.c1 = c1

    def compute(self, a):
        return a + self.c0, a + self.c1

    def gradient(self, out_grad, node):
        return out_grad[0] + out_grad[1]


def fused_add_scalars(x: Tensor, c0: float, c1: float) -> TensorTuple:
    """`(x + c0, x + c1)`."""
    return FusedAddScalars(c0, c1)(x)
