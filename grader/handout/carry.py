"""One file of the target, with the carried functions put into it."""

from __future__ import annotations

import ast
from typing import Protocol

from grader.handout.errors import HandoutError
from grader.handout.names import (
    attributes,
    bindings,
    free_names,
    needed_at_once,
    normal_form,
    own_definitions,
)
from grader.handout.needs import definition, need
from grader.handout.package import Package
from grader.handout.parsed import Code, Function, block, end_of, parse_code, start_of
from grader.handout.regions import BEGIN, END

Edit = tuple[int, int, list[str]]


class Notes(Protocol):
    """Where a draft reports: the lists of a StartResult."""

    helpers: list[str]
    missing: list[str]


class Draft:
    """A file of the target while functions are carried into it."""

    def __init__(
        self,
        target: Package,
        path: str,
        source: Package,
        pairs: list[tuple[Function, Function]],
        pristine: dict[str, Function],
    ) -> None:
        self.target, self.path, self.source = target, path, source
        self.pairs, self.pristine = pairs, pristine
        self.code = self.base = target.files[path]
        self.imports: list[str] = []
        self.helpers: list[tuple[str, ast.stmt]] = []
        # qualified name -> file of the source: the code whose names have to be found
        self.origins = {function.name: _path_of(source, function.code) for function, _ in pairs}

    def carry(self, notes: Notes) -> str:
        """The file's text with everything carried, LF line ends. Raises HandoutError if it is not Python."""
        edits = [edit for source, place in self.pairs for edit in _edits(source, place)]
        self._apply(edits)
        self._bring_members(notes)
        self.base = self.code
        self._bring_names(notes)
        text = "\n".join(self.code.lines)
        return text if text.endswith("\n") else text + "\n"

    def _apply(self, edits: list[Edit]) -> None:
        lines = list(self.code.lines)
        for start, stop, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
            lines[start:stop] = new
        try:
            self.code = parse_code("\n".join(lines), self.code.name)
        except HandoutError as error:
            raise HandoutError(f"{error} (nothing was written; copy the functions by hand)") from None

    def _bring_members(self, notes: Notes) -> None:
        """Methods and class attributes that carried methods use, and the `__init__` behind them."""
        for name in sorted({function.name.rpartition(".")[0] for function, _ in self.pairs} - {""}):
            theirs = self.source.files[self._origin_of_class(name)].classes.get(name)
            if theirs is not None:
                self._bring_init(name, notes)
                while self._bring_one_member(name, theirs, notes):
                    pass

    def _origin_of_class(self, name: str) -> str:
        return next(path for function, path in self.origins.items() if function.startswith(f"{name}."))

    def _bring_init(self, owner: str, notes: Notes) -> None:
        name = f"{owner}.__init__"
        theirs = self.source.files[self._origin_of_class(owner)].functions.get(name)
        ours, given = self.code.functions.get(name), self.pristine.get(name)
        if theirs is None or (ours is not None and normal_form(theirs.node) == normal_form(ours.node)):
            return
        if ours is None:
            return  # brought as a member
        if given is None or normal_form(ours.node) != normal_form(given.node):
            notes.missing.append(f"{name}: differs in homework 1 and in homework 2; kept yours of homework 2")
            return
        new = definition(theirs.code, theirs.node, ours.node.col_offset)
        self._apply([(start_of(ours.node), end_of(self.code, ours.node), new)])
        self._remember(name, theirs.code, notes)

    def _bring_one_member(self, owner: str, theirs: ast.ClassDef, notes: Notes) -> bool:
        ours = self.code.classes[owner]
        origin = self.source.files[self._origin_of_class(owner)]
        used = {attribute for function in self._carried_in(owner) for attribute in attributes(function.node)}
        for node in theirs.body:
            names = _member_names(node) & (used | {"__init__"}) - _class_names(ours)
            if names:
                end = end_of(self.code, ours)
                new = ["", *definition(origin, node, ours.body[0].col_offset)]
                self._apply([(end, end, new)])
                for name in sorted(names):
                    self._remember(f"{owner}.{name}", origin, notes)
                return True
        return False

    def _carried_in(self, owner: str) -> list[Function]:
        return [
            function
            for name, function in self.code.functions.items()
            if name in self.origins and name.startswith(f"{owner}.")
        ]

    def _remember(self, name: str, origin: Code, notes: Notes) -> None:
        self.origins[name] = _path_of(self.source, origin)
        notes.helpers.append(name)

    def _bring_names(self, notes: Notes) -> None:
        """Imports, helpers and constants, and what these need in turn."""
        hopeless: set[str] = set()
        # one at a time: what brings one name may bring others
        while wanted := self._unbound() - hopeless:
            name = min(wanted)
            if not self._bring_name(name, notes):
                hopeless.add(name)

    def _unbound(self) -> set[str]:
        package = Package(self.target.folder, {**self.target.files, self.path: self.code})
        bound = package.names(self.path)
        return {name for node in self._carried_nodes() for name in free_names(node)} - bound

    def _carried_nodes(self) -> list[ast.stmt]:
        return [node for name in self.origins for node in self._nodes_of(name)]

    def _nodes_of(self, name: str) -> list[ast.stmt]:
        """The function of that qualified name, or the statement that binds it."""
        function = self.code.functions.get(name)
        node = function.node if function else bindings(self.code).get(name)
        return [node] if node is not None else []

    def _bring_name(self, name: str, notes: Notes) -> bool:
        user = next(function for function in self.origins if self._uses(function, name))
        found = need(name, self.source, self.origins[user], self.target, self.path)
        if found is None:
            notes.missing.append(f"{user}: uses `{name}`, which did not come along; copy it by hand")
            return False
        if found.imports is not None:
            self.imports.append(found.imports)
        elif found.statement is not None:
            self.helpers.append((self.origins[user], found.statement))
            self.origins[name] = self.origins[user]
        notes.helpers.append(found.imports or name)
        self._compose()
        return True

    def _compose(self) -> None:
        """The file with imports and helpers put in: helpers in their old order, after the imports."""
        base = self.base
        head: list[str] = []
        tail: list[str] = []
        for origin, node in sorted(self.helpers, key=lambda helper: (helper[0], helper[1].lineno)):
            lines = definition(self.source.files[origin], node)
            if needed_at_once(node) & own_definitions(base):
                tail += ["", "", *lines]
            else:
                head += ["", *lines] if isinstance(node, (ast.Assign, ast.AnnAssign)) else ["", "", *lines]
        at, end = _after_imports(base), len(base.lines)
        self.code = base
        self._apply([(end, end, tail), (at, at, [*self.imports, *head])])

    def _uses(self, function: str, name: str) -> bool:
        return any(name in free_names(node) for node in self._nodes_of(function))


def _edits(source: Function, place: Function) -> list[Edit]:
    """The changes that put the body of `source` into `place`: only the region where all around it agrees."""
    same_arguments = _argument_names(source) == _argument_names(place)
    around_source, around_place = source.split()[1], place.split()[1]
    theirs, ours = source.region, place.region
    if theirs and ours and same_arguments and normal_form(around_source) == normal_form(around_place):
        inner = _body_lines(source, theirs.begin + 1, theirs.end, place)
        return [(ours.begin + 1, ours.end, inner)]
    start, stop = place.body
    indent = " " * place.node.body[0].col_offset
    edits: list[Edit] = [
        (start, stop, [indent + BEGIN, *_body_lines(source, *source.body, place), indent + END])
    ]
    if place.is_one_line or not same_arguments:
        first = place.node.lineno - 1
        edits.append((first, place.signature_end, [_signature(source, place)]))
    return edits


def _body_lines(source: Function, start: int, stop: int, place: Function) -> list[str]:
    indent = place.node.body[0].col_offset
    if source.is_one_line:
        return [" " * indent + line for node in source.statements for line in ast.unparse(node).split("\n")]
    return block(source.code, start, stop, source.node.body[0].col_offset, indent)


def _argument_names(function: Function) -> str:
    return normal_form(ast.parse(f"def f({ast.unparse(function.node.args)}): pass").body)


def _signature(source: Function, place: Function) -> str:
    """A `def` line with the source's arguments, without annotations, which may name what is not there."""
    plain = ast.parse(f"def f({ast.unparse(source.node.args)}): pass").body[0]
    assert isinstance(plain, ast.FunctionDef)
    for argument in ast.walk(plain.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return f"{' ' * place.node.col_offset}def {place.node.name}({ast.unparse(plain.args)}):"


def _member_names(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


def _class_names(node: ast.ClassDef) -> set[str]:
    return {name for member in node.body for name in _member_names(member)}


def _after_imports(code: Code) -> int:
    """Index of the line after the imports at the head of a module, or after its docstring."""
    at = 0
    for node in code.tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, (ast.Import, ast.ImportFrom)) or (is_docstring and at == 0):
            at = node.end_lineno or node.lineno
        elif not isinstance(node, (ast.Assign, ast.AnnAssign, ast.If, ast.Try)):
            break
    return at


def _path_of(package: Package, code: Code) -> str:
    return next(path for path, other in package.files.items() if other is code)
