"""The order of the graph, gradients over it, tuples, and what a node holds."""

import gc
import weakref

import numpy as np
import pytest


def leaves(ndl, count):
    """`count` leaf tensors."""
    return [ndl.Tensor([float(i + 1)]) for i in range(count)]


def test_post_order_with_inputs_in_order(ndl):
    """The order in which a depth-first walk leaves the nodes, written out by hand."""
    a, b = leaves(ndl, 2)
    c = a * b
    d = c + a
    e = b * d

    assert ndl.autograd.find_topo_sort([e]) == [b, a, c, d, e]
    assert ndl.autograd.find_topo_sort([d, e]) == [a, b, c, d, e]


def test_walk_appends_to_what_was_visited(ndl):
    """`topo_sort_dfs` continues from the nodes another walk has met."""
    a, b = leaves(ndl, 2)
    c, visited, order = a + b, {a}, [a]
    ndl.autograd.topo_sort_dfs(c, visited, order)

    assert (order, visited) == ([a, b, c], {a, b, c})


def test_doublings_take_linear_time(ndl):
    """Sixty layers that use their input twice have 2**60 paths, and 61 nodes."""
    x = ndl.Tensor([1.0])
    y = x
    for _ in range(60):
        y = y + y
    y.backward()

    assert len(ndl.autograd.find_topo_sort([y])) == 61
    assert x.grad.numpy().tolist() == [2.0**60]


def test_deep_chain(ndl):
    """Chains far beyond the recursion limit are sorted, differentiated and freed."""
    x = ndl.Tensor([1.0])
    y = x
    for _ in range(5000):
        y = y + 1
    y.backward()

    assert x.grad.numpy().tolist() == [1.0]
    del y


def test_every_node_gets_its_gradient(ndl):
    """Contributions of all uses are summed: d(a*b + a)/da = b + 1."""
    a, b = ndl.Tensor([2.0]), ndl.Tensor([5.0])
    product = a * b
    total = product + a
    total.backward(ndl.Tensor([3.0]))

    assert [node.grad.numpy().tolist() for node in (total, product, a, b)] == [[3], [3], [18], [6]]


def test_gradient_of_gradient(ndl):
    """Three derivatives of x**4 at 2: 32, 48, 48."""
    x = ndl.Tensor([2.0])
    y, found = x**4, []
    for _ in range(3):
        y.backward()
        y = x.grad
        found.append(float(y.numpy()[0]))

    assert found == [32, 48, 48]


def test_tuples_are_differentiated(ndl):
    """d((a+1)(a+2)(a+1))/da = 2(a+1)(a+2) + (a+1)**2, through a node with two outputs."""
    a = ndl.Tensor([1.0, 2.0])
    pair = ndl.fused_add_scalars(a, 1, 2)
    (pair[0] * pair[1] * pair[0]).backward()

    assert len(pair) == 2
    assert a.grad.numpy().tolist() == [16, 33]
    assert ndl.make_tuple(a, a)[1] is a


def test_sum_of_one_node_makes_none(ndl, nodes_made):
    """`sum_node_list` starts from its first node, not from zero."""
    a, b, c = leaves(ndl, 3)

    assert nodes_made(lambda: ndl.autograd.sum_node_list([a])) == 0
    assert nodes_made(lambda: ndl.autograd.sum_node_list([a, b, c])) == 2


def test_constants_stay_out_of_the_graph(ndl):
    """What needs no gradient keeps no inputs; detached tensors share the array."""
    x = ndl.Tensor([1.0, 2.0])
    held = weakref.ref(middle := x * 3)
    constant = middle.detach() + 1
    del middle
    gc.collect()

    assert held() is None
    assert constant.is_leaf() and not constant.requires_grad
    assert x.detach().numpy() is x.numpy()


def test_data_is_replaced_in_its_dtype(ndl):
    """Setting `data` keeps the dtype, and takes nothing but a Tensor."""
    x = ndl.Tensor(np.ones(2, dtype=np.float32))
    x.data = ndl.Tensor(np.zeros(2, dtype=np.float32))

    assert x.numpy().tolist() == [0, 0]
    with pytest.raises(TypeError, match="float32"):
        x.data = ndl.Tensor(np.zeros(2))
    with pytest.raises(TypeError, match="Tensor"):
        x.data = np.zeros(2)


def test_counter_counts_what_lives(ndl):
    """The counter follows births and deaths, and ignores objects whose constructor raised."""
    before = ndl.autograd.TENSOR_COUNTER
    x = ndl.Tensor([1.0])
    with pytest.raises(ValueError):
        ndl.Tensor(["text"], dtype="float32")

    assert ndl.autograd.TENSOR_COUNTER == before + 1
    del x
    assert ndl.autograd.TENSOR_COUNTER == before


def test_lazy_values_are_computed_on_demand(ndl, monkeypatch):
    """With LAZY_MODE nothing is computed before it is read."""
    monkeypatch.setattr(ndl.autograd, "LAZY_MODE", True)
    y = ndl.Tensor([2.0]) * 3 + 1

    assert y.cached_data is None
    assert y.numpy().tolist() == [7]
