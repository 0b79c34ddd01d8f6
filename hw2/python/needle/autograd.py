"""Tensors, the graph they form, and reverse-mode differentiation over it."""

from __future__ import annotations

import operator
from functools import reduce

import numpy

import needle

from .backend_numpy import CPUDevice, Device, all_devices, cpu  # noqa: F401

# With True, values are computed when they are first read; with False, when the node is made.
LAZY_MODE = False
# How many Values are alive.
TENSOR_COUNTER = 0

NDArray = numpy.ndarray


class Op:
    """A function of the graph: how to compute its value, and its gradient."""

    def __call__(self, *args):
        """Apply the op to Values: the node that holds the result."""
        raise NotImplementedError()

    def compute(self, *args: NDArray):
        """Value of the op from the raw arrays of its inputs."""
        raise NotImplementedError()

    def gradient(self, out_grad: Value, node: Value) -> Value | tuple[Value, ...]:
        """Gradient with respect to each input, for the gradient `out_grad` with respect to `node`.

        `node` is the output of this op, `node.inputs` are its inputs. What is returned is made of tensor
        operations, one Value per input (alone, or in a tuple), each in the shape of its input.
        """
        raise NotImplementedError()

    def gradient_as_tuple(self, out_grad: Value, node: Value) -> tuple[Value, ...]:
        """`gradient`, always as a tuple with one entry per input."""
        result = self.gradient(out_grad, node)
        if isinstance(result, tuple):
            return result
        if isinstance(result, list):
            return tuple(result)
        return (result,)


class TensorOp(Op):
    """An op whose result is one Tensor."""

    def __call__(self, *args):
        return Tensor.make_from_op(self, args)


class TensorTupleOp(Op):
    """An op whose result is a TensorTuple."""

    def __call__(self, *args):
        return TensorTuple.make_from_op(self, args)


class Value:
    """A node of the graph.

    `op` is the op that makes it (None for a leaf), `inputs` the nodes it is made from, `cached_data` its
    value once computed, `requires_grad` whether gradients flow through it.
    """

    op: Op | None
    inputs: list[Value]
    cached_data: NDArray | None
    requires_grad: bool

    def realize_cached_data(self):
        """The raw value, computed on the first call."""
        if self.cached_data is None:
            self.cached_data = self.op.compute(*[value.realize_cached_data() for value in self.inputs])
        return self.cached_data

    def is_leaf(self):
        """Whether no op made this node."""
        return self.op is None

    def __del__(self):
        global TENSOR_COUNTER
        # an object whose constructor raised was never counted
        if "op" in self.__dict__:
            TENSOR_COUNTER -= 1

    def _init(self, op, inputs, *, num_outputs=1, cached_data=None, requires_grad=None):
        """Fill in the attributes. A `requires_grad` of None means: if any input does."""
        global TENSOR_COUNTER
        TENSOR_COUNTER += 1
        if requires_grad is None:
            requires_grad = any(value.requires_grad for value in inputs)
        self.op = op
        self.inputs = inputs
        self.num_outputs = num_outputs
        self.cached_data = cached_data
        self.requires_grad = requires_grad

    @classmethod
    def make_const(cls, data, *, requires_grad=False):
        """A leaf that holds `data` as it is (no copy)."""
        value = cls.__new__(cls)
        value._init(None, [], cached_data=data, requires_grad=requires_grad)
        return value

    @classmethod
    def make_from_op(cls, op: Op, inputs: list[Value]):
        """The node of `op` applied to `inputs`; a constant when no input requires a gradient."""
        value = cls.__new__(cls)
        value._init(op, inputs)
        if LAZY_MODE:
            return value
        value.realize_cached_data()
        return value if value.requires_grad else value.detach()


class TensorTuple(Value):
    """Several Tensors as one node; its value is a tuple of arrays."""

    def __len__(self):
        return len(self.realize_cached_data())

    def __getitem__(self, index: int):
        return needle.ops.tuple_get_item(self, index)

    def tuple(self):
        """The entries as a Python tuple of Tensors."""
        return tuple(self[i] for i in range(len(self)))

    def __repr__(self):
        return f"needle.TensorTuple{self.tuple()}"

    __str__ = __repr__

    def __add__(self, other):
        if not isinstance(other, TensorTuple) or len(self) != len(other):
            raise TypeError("a TensorTuple is added to a TensorTuple of the same length")
        return needle.ops.make_tuple(*[left + right for left, right in zip(self.tuple(), other.tuple())])

    def detach(self):
        """The same value outside the graph."""
        return TensorTuple.make_const(self.realize_cached_data())


class Tensor(Value):
    """An array in the graph. `grad` is None until a backward pass has reached the tensor.

    `array` is anything numpy can turn into an array, or a Tensor; with `dtype=None` its dtype is kept.
    """

    grad: Tensor | None = None

    def __init__(
        self,
        array,
        *,
        device: Device | None = None,
        dtype=None,
        requires_grad=True,
        **kwargs,
    ):
        if isinstance(array, Tensor):
            data = array.realize_cached_data()
            if dtype is not None and dtype != array.dtype:
                data = data.astype(dtype)
        else:
            data = numpy.array(array, dtype=dtype)
        self._init(None, [], cached_data=data, requires_grad=requires_grad)

    @property
    def data(self):
        """The same value outside the graph. Setting it replaces the value and keeps the dtype."""
        return self.detach()

    @data.setter
    def data(self, value: Tensor):
        if not isinstance(value, Tensor):
            raise TypeError(f"data must be set to a Tensor, not {type(value).__name__}")
        if value.dtype != self.dtype:
            raise TypeError(f"data is {self.dtype} and cannot be set to {value.dtype}")
        self.cached_data = value.realize_cached_data()

    def detach(self):
        """A constant that shares this tensor's array."""
        return Tensor.make_const(self.realize_cached_data())

    @property
    def shape(self):
        return self.realize_cached_data().shape

    @property
    def dtype(self):
        return self.realize_cached_data().dtype

    @property
    def device(self):
        return cpu()

    def numpy(self):
        """The raw array."""
        return self.realize_cached_data()

    def backward(self, out_grad: Tensor | None = None):
        """Set `grad` on every node below; `out_grad` has this tensor's shape and is all ones by default."""
        if out_grad is None:
            out_grad = needle.init.ones(*self.shape, dtype=self.dtype, device=self.device)
        compute_gradient_of_variables(self, out_grad)

    def __repr__(self):
        return f"needle.Tensor({self.realize_cached_data()})"

    def __str__(self):
        return str(self.realize_cached_data())

    # numpy leaves `array * tensor` and the like to the operators below
    __array_ufunc__ = None

    def __add__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseAdd()(self, other)
        return needle.ops.AddScalar(other)(self)

    def __sub__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseAdd()(self, needle.ops.Negate()(other))
        return needle.ops.AddScalar(-other)(self)

    def __rsub__(self, other):
        return needle.ops.AddScalar(other)(needle.ops.Negate()(self))

    def __mul__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseMul()(self, other)
        return needle.ops.MulScalar(other)(self)

    def __truediv__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseDiv()(self, other)
        return needle.ops.DivScalar(other)(self)

    def __rtruediv__(self, other):
        return needle.ops.MulScalar(other)(needle.ops.PowerScalar(-1)(self))

    def __pow__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWisePow()(self, other)
        return needle.ops.PowerScalar(other)(self)

    def __rpow__(self, other):
        base = needle.init.constant(*self.shape, c=other, dtype=self.dtype, device=self.device)
        return needle.ops.EWisePow()(base, self)

    def __matmul__(self, other):
        return needle.ops.MatMul()(self, other)

    def __neg__(self):
        return needle.ops.Negate()(self)

    __radd__ = __add__
    __rmul__ = __mul__

    def matmul(self, other):
        return needle.ops.MatMul()(self, other)

    def sum(self, axes=None):
        return needle.ops.Summation(axes)(self)

    def broadcast_to(self, shape):
        return needle.ops.BroadcastTo(shape)(self)

    def reshape(self, shape):
        return needle.ops.Reshape(shape)(self)

    def transpose(self, axes=None):
        return needle.ops.Transpose(axes)(self)


def compute_gradient_of_variables(output_tensor: Tensor, out_grad: Tensor) -> None:
    """Set `grad` on every node that `output_tensor` is computed from, itself included.

    `out_grad` is the gradient with respect to `output_tensor`, in its shape. A node that is used more than
    once gets the sum of what each use contributes. The gradients are nodes of a graph themselves, so they can
    be differentiated again. Returns None.
    """
    # what each use of a node has contributed to its gradient so far
    node_to_output_grads_list: dict[Tensor, list[Tensor]] = {output_tensor: [out_grad]}
    # uses come before what they use
    reverse_topo_order = list(reversed(find_topo_sort([output_tensor])))

    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def find_topo_sort(node_list: list[Value]) -> list[Value]:
    """Every node that `node_list` depends on, each once, after all of its inputs.

    The order is that in which a depth-first walk leaves the nodes: it starts at the nodes of `node_list` in
    turn, and visits the inputs of a node in their order.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def topo_sort_dfs(node, visited, topo_order):
    """Walk the graph below `node` depth first and append each node to `topo_order` when it is left.

    `visited` is the set of nodes already met; it is updated, and nothing in it is walked again.
    """
    ### BEGIN YOUR SOLUTION
    raise NotImplementedError()
    ### END YOUR SOLUTION


def sum_node_list(node_list):
    """Sum of a non-empty list of nodes, without the extra node that `sum` makes when it starts from 0."""
    return reduce(operator.add, node_list)
