"""Small changes of a function, one at a time, as people make them by mistake.

Pure syntax: an edit puts another node, or another list of statements, into one place of the tree.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Function = ast.FunctionDef
Slot = tuple[Any, Any, ast.expr]  # what holds an expression, under which key, the expression

OTHER_OPERATORS: dict[type, tuple[type[ast.operator], ...]] = {
    ast.FloorDiv: (ast.Div,),
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add, ast.Pow),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
OTHER_COMPARISONS: dict[type, tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
PAIRS = (
    ("max", "min"),
    ("maximum", "minimum"),
    ("sum", "mean"),
    ("exp", "log"),
    ("zeros", "ones"),
    ("rand", "randn"),
    ("train", "eval"),
    ("mean", "var"),
)
OTHER_NAMES = dict((*PAIRS, *((b, a) for a, b in PAIRS)))
REDUCTIONS = ("sum", "mean", "max", "min", "var", "std", "amax", "summation", "argmax")
VIEWS = ("data", "T", "grad", "cached_data")
LEFT_OUT = ("annotation", "returns", "decorator_list", "type_comment", "args")


@dataclass(frozen=True)
class Edit:
    """Another value in one place of a tree; `line` is where it stands in the file."""

    line: int
    holder: Any
    key: Any
    new: Any

    @contextmanager
    def made(self) -> Iterator[None]:
        """Have the edit in the tree inside the block."""
        old = self._put(self.new)
        try:
            yield
        finally:
            self._put(old)

    def _put(self, new: Any) -> Any:
        if isinstance(self.holder, list):
            old, self.holder[self.key] = self.holder[self.key], new
        else:
            old = getattr(self.holder, self.key)
            setattr(self.holder, self.key, new)
        return old


def edits(function: Function, attributes: list[str]) -> Iterator[Edit]:
    """Yield edits of a function, the likelier first; `attributes` are those of `self` in its class."""
    slots = list(_slots(function))
    yield from _names(function, slots, [], unused=True)
    for kind in (_arithmetic, _calls, _constants, _comparisons):
        for holder, key, node in slots:
            for new in kind(node):
                yield Edit(node.lineno, holder, key, new)
    yield from _statements(function)
    yield from _texts(slots)
    yield from _names(function, slots, attributes)


def _slots(node: ast.AST) -> Iterator[Slot]:
    """Yield every place of an expression that is computed."""
    for field, value in ast.iter_fields(node):
        if field in LEFT_OUT and not isinstance(node, ast.Call):
            continue
        places = list(enumerate(value)) if isinstance(value, list) else [(field, value)]
        for key, inner in places:
            if isinstance(inner, ast.expr) and not isinstance(
                getattr(inner, "ctx", None), (ast.Store, ast.Del)
            ):
                yield (value if isinstance(value, list) else node), key, inner
            if isinstance(inner, ast.AST):
                yield from _slots(inner)


def _arithmetic(node: ast.expr) -> Iterator[ast.expr]:
    """Yield other operators, operands, parentheses, a root and signs."""
    if isinstance(node, ast.UnaryOp):
        yield node.operand
    if not isinstance(node, ast.BinOp):
        return
    left, op, right = node.left, node.op, node.right
    for other in OTHER_OPERATORS.get(type(op), ()):
        yield ast.BinOp(left, other(), right)
    yield from _pushed(left, op, right)
    if isinstance(right, ast.BinOp):
        yield ast.BinOp(ast.BinOp(left, op, right.left), right.op, right.right)
    if isinstance(left, ast.Call) and left.args:
        inner = ast.BinOp(left.args[-1], op, right)
        yield ast.Call(left.func, [*left.args[:-1], inner], left.keywords)
    if isinstance(op, (ast.Sub, ast.Div, ast.MatMult, ast.Pow)):
        yield ast.BinOp(right, op, left)
    yield from (left, right)
    yield ast.BinOp(node, ast.Pow(), ast.Constant(0.5))
    yield ast.UnaryOp(ast.USub(), node)


def _pushed(left: ast.expr, op: ast.operator, right: ast.expr) -> Iterator[ast.expr]:
    """Yield `a + (b / c) * d` with `* d` at `b / c`, then at `c`: where parentheses may be missing."""
    if isinstance(left, ast.BinOp):
        yield ast.BinOp(left.left, left.op, ast.BinOp(left.right, op, right))
        for deeper in _pushed(left.right, op, right):
            yield ast.BinOp(left.left, left.op, deeper)


def _calls(node: ast.expr) -> Iterator[ast.expr]:
    """Yield calls with other arguments or another function, and what is left without them."""
    if isinstance(node, ast.Attribute):
        if node.attr in VIEWS:
            yield node.value
        if node.attr in OTHER_NAMES:
            yield ast.Attribute(node.value, OTHER_NAMES[node.attr], node.ctx)
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute):
        yield node.func.value
    if len(node.args) > 1:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    if node.args:
        yield node.args[0]
    yield from _over_other_axes(node)
    for i in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, [*node.keywords[:i], *node.keywords[i + 1 :]])
    yield ast.UnaryOp(ast.USub(), node)


def _over_other_axes(node: ast.Call) -> Iterator[ast.expr]:
    """Yield a sum or the like over one axis where it is over all, and with the axis kept."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    words = [keyword.arg for keyword in node.keywords]
    if name not in REDUCTIONS or len(node.args) > 1:
        return
    kept = [] if "keepdims" in words else [ast.keyword("keepdims", ast.Constant(True))]
    if "axis" in words or "axes" in words:
        yield ast.Call(node.func, node.args, [*node.keywords, *kept])
        return
    for axis in (0, 1):
        number = ast.Constant(axis)
        one, several = ast.keyword("axis", number), ast.keyword("axes", ast.Tuple([number], ast.Load()))
        for added in ([one, *kept], [one], [several]):
            yield ast.Call(node.func, node.args, [*node.keywords, *added])


def _constants(node: ast.expr) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Constant) or isinstance(node.value, (str, bytes, type(None), type(...))):
        return
    value: Any = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    else:
        for other in dict.fromkeys((value + 1, value - 1, 0, 1, 2, 0.5, 1 - value)):
            if other != value:
                yield ast.Constant(other) if other >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-other))


def _comparisons(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in OTHER_COMPARISONS.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [other()], node.comparators)
    if isinstance(node, (ast.Compare, ast.BoolOp)):
        yield ast.UnaryOp(ast.Not(), node)
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)


def _statements(function: Function) -> Iterator[Edit]:
    """Yield statements in another order, in or out of the block above, left out, or changed."""
    for node in ast.walk(function):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield from _of_body(node, field, body)
        if isinstance(node, ast.AugAssign):
            for other in OTHER_OPERATORS.get(type(node.op), ()):
                yield Edit(node.lineno, node, "op", other())
        if isinstance(node, (ast.If, ast.While)):
            yield Edit(node.lineno, node, "test", ast.UnaryOp(ast.Not(), node.test))


def _of_body(node: ast.AST, field: str, body: list[ast.stmt]) -> Iterator[Edit]:
    for i, one in enumerate(body):
        before, after = body[:i], body[i + 1 :]
        if after:
            yield Edit(one.lineno, node, field, [*before, after[0], one, *after[1:]])
        if isinstance(one, (ast.Break, ast.Continue)):
            yield Edit(
                one.lineno,
                node,
                field,
                [*before, ast.Continue() if isinstance(one, ast.Break) else ast.Break()],
            )
        inner = getattr(one, "body", None)
        if isinstance(one, (ast.For, ast.While, ast.If, ast.With)) and inner:
            if after:
                yield Edit(
                    after[0].lineno, node, field, [*before, _with_body(one, [*inner, after[0]]), *after[1:]]
                )
            if len(inner) > 1:
                outside = [_with_body(one, inner[:-1]), inner[-1]]
                yield Edit(inner[-1].lineno, node, field, [*before, *outside, *after])
                yield Edit(
                    inner[0].lineno, node, field, [*before, inner[0], _with_body(one, inner[1:]), *after]
                )
            if isinstance(one, ast.If) and not one.orelse:
                yield Edit(one.lineno, node, field, [*before, *inner, *after])
        if len(body) > 1:
            yield Edit(one.lineno, node, field, [*before, *after])


def _with_body(one: Any, body: list[ast.stmt]) -> Any:
    changed = copy.copy(one)
    changed.body = body
    return changed


def _texts(slots: list[Slot]) -> Iterator[Edit]:
    """Yield other texts of the function in the place of one that stands there twice: a copy, half changed."""
    texts = [(slot, node.value) for slot in slots if isinstance(node := slot[2], ast.Constant)]
    texts = [(slot, text) for slot, text in texts if isinstance(text, str)]
    for (holder, key, node), text in texts:
        twice = sum(text == other for _, other in texts) > 1
        for other in dict.fromkeys(other for _, other in texts if other != text) if twice else ():
            yield Edit(node.lineno, holder, key, ast.Constant(other))


def _names(
    function: Function, slots: list[Slot], attributes: list[str], *, unused: bool = False
) -> Iterator[Edit]:
    """Yield other variables in the place of one: locals, then attributes; or `unused` arguments alone."""
    arguments = [one.arg for one in (*function.args.args, *function.args.kwonlyargs) if one.arg != "self"]
    loads = [node.id for _, _, node in slots if isinstance(node, ast.Name)]
    stores = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    left = [name for name in arguments if name not in loads]
    known = left if unused else list(dict.fromkeys([*arguments, *stores]))
    called = {id(node.func) for _, _, node in slots if isinstance(node, ast.Call)}
    inner = {id(node.value) for _, _, node in slots if isinstance(node, ast.Attribute)}
    for others in ([ast.Name(name, ast.Load()) for name in known], _own(attributes)):
        for holder, key, node in slots:
            is_called = id(node) in called
            if _is_self(node) or not (is_called or isinstance(node, ast.Name) or _is_own(node, attributes)):
                continue
            for new in others:
                fits = getattr(new, "id", "") in left if is_called else isinstance(new, ast.Name)
                fits = fits or not (is_called or id(node) in inner or isinstance(new, ast.Name))
                if fits and ast.dump(new) != ast.dump(node):
                    yield Edit(node.lineno, holder, key, new)


def _own(attributes: list[str]) -> list[ast.expr]:
    """Return expressions for attributes of `self`."""
    return [ast.Attribute(ast.Name("self", ast.Load()), one, ast.Load()) for one in attributes]


def _is_own(node: ast.expr, attributes: list[str]) -> bool:
    return isinstance(node, ast.Attribute) and _is_self(node.value) and node.attr in attributes


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
