"""Names: which a function needs from its module, and which a module binds."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from grader.handout.parsed import Code

BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__"}


def free_names(node: ast.AST) -> set[str]:
    """Names that a definition reads and does not bind; those bound in an inner scope count as bound."""
    read: set[str] = set()
    bound: set[str] = set()
    declared_global: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            (read if isinstance(part.ctx, ast.Load) else bound).add(part.id)
        elif isinstance(part, ast.arg):
            bound.add(part.arg)
        elif isinstance(part, ast.Global):
            declared_global.update(part.names)
        elif part is not node:
            bound.update(_bound_by_statement(part))
    return ((read - bound) | declared_global) - BUILTINS


def needed_at_once(node: ast.stmt) -> set[str]:
    """Names that a statement reads when the module is loaded, not only when a function is called."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return free_names(node)
    defaults = [value for value in node.args.kw_defaults if value is not None]
    return {
        name for part in [*node.decorator_list, *node.args.defaults, *defaults] for name in free_names(part)
    }


def own_definitions(code: Code) -> set[str]:
    """Functions and classes that a module defines itself."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {name for name, node in bindings(code).items() if isinstance(node, kinds)}


def attributes(node: ast.AST) -> set[str]:
    """Every `x` of an `anything.x` in a definition."""
    return {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def normal_form(node: ast.AST | list[ast.stmt]) -> str:
    """A text equal for definitions that differ only in layout, comments, annotations and docstrings."""
    nodes = node if isinstance(node, list) else [node]
    return "\n".join(ast.dump(_Plain().visit(ast.parse(ast.unparse(part)))) for part in nodes)


def bindings(code: Code) -> dict[str, ast.stmt]:
    """Name -> the statement at the top level that binds it (the last one), also under `if` and `try`."""
    return {name: node for node in _top_level(code.tree.body) for name in _names_of(node)}


def star_imports(code: Code) -> list[ast.ImportFrom]:
    """The `from … import *` of a module."""
    return [
        node
        for node in _top_level(code.tree.body)
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    ]


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For)):
            inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            inner += [line for handler in getattr(node, "handlers", []) for line in handler.body]
            yield from _top_level(inner)


def _names_of(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return _bound_by_statement(node)


def _bound_by_statement(node: ast.AST) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ExceptHandler) and node.name:
        return {node.name}
    return set()


class _Plain(ast.NodeTransformer):
    """Drops annotations and docstrings."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(arg=node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        return ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node
