"""Imports a submission the way its author runs it, whatever the layout and the import habits.

The zygote reads and compiles the files; each worker executes them. Modules come from `.py` sources
inside the submission only: never from a `.pyc`, a `.so` or another copy of needle.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.abc
import importlib.machinery
import os
import re
import sys
import types
from collections.abc import Sequence
from typing import Any

ALIAS = re.compile(r"^(?:\w+\.)*python\.(needle(?:\..*)?)$")
HOMEWORK_FOLDER = re.compile(r"^(?:homework|hw)_?\d\w*$")


class Submission:
    """A submission inside the worker: where it lies, its compiled files, its modules."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.root: str = description["root"]
        self._inside = self.root + os.sep
        self.paths: list[str] = description["paths"]
        self.dropped: list[dict[str, Any]] = description.get("dropped", [])
        self.stubs: list[str] = description.get("stubs", [])
        self.eager: list[str] = description.get("eager", [])
        self.trees: dict[str, ast.Module] = {}
        self.errors: list[dict[str, Any]] = []
        self._codes: dict[str, types.CodeType] = {}
        self._names: dict[types.CodeType, str] = {}
        for name in description.get("compile", []):
            self._compile(name)

    def enter(self) -> None:
        """Make the submission importable in this process and import what every check needs."""
        sys.path[:0] = self.paths
        sys.path_hooks.insert(0, self._path_hook)
        sys.meta_path.insert(0, _AliasFinder(self))
        sys.meta_path.append(_StubFinder(self.stubs))
        for name in self.eager:
            try:
                importlib.import_module(name)
            except BaseException:  # said by the preflight, and again by the check that needs it
                sys.modules.pop(name, None)
                break
        gc.enable()  # it was off since the zygote began: each look costs time, and memory that was shared

    def find(self, path: str) -> Any:
        """Return the object at a dotted path, `needle.ops.BroadcastTo`: modules, then attributes.

        Raises ImportError of the submission's own, or AttributeError naming what is missing.
        """
        module_name, *rest = path.split(".")
        found: Any = importlib.import_module(module_name)
        for attribute in rest:
            module_name = f"{module_name}.{attribute}"
            if isinstance(found, types.ModuleType) and not hasattr(found, attribute):
                try:
                    importlib.import_module(module_name)
                except ModuleNotFoundError as error:
                    if error.name != module_name:
                        raise
                    raise AttributeError(f"{path} is missing") from None
            found = getattr(found, attribute)
        return found

    def owns(self, filename: str) -> bool:
        """Tell whether a code object's file lies in the submission."""
        return filename.startswith(self._inside)

    def place(self, code: types.CodeType, line: int) -> dict[str, Any]:
        """Return the file (relative), line and qualified function name of a piece of code."""
        return {
            "file": code.co_filename[len(self.root) + 1 :].replace(os.sep, "/"),
            "line": line,
            "function": self.qualified(code).partition(".<locals>")[0],
        }

    def qualified(self, code: types.CodeType) -> str:
        """Return `BroadcastTo.gradient` for the code of that method (Python 3.10 has no co_qualname)."""
        if code not in self._names:
            for compiled in self._codes.values():
                _name_all(compiled, "", self._names)
        return self._names.get(code, code.co_name)

    def definition(self, path: str) -> dict[str, Any] | None:
        """Return the place where the function or class at a dotted path is defined, if it is here."""
        try:
            found = self.find(path)
        except BaseException:
            return None
        code = getattr(getattr(found, "__func__", found), "__code__", None)
        if code is None:
            code = getattr(getattr(found, "__init__", None), "__code__", None)
        if code is None or not self.owns(code.co_filename):
            return None
        return self.place(code, code.co_firstlineno)

    def compiled(self, filename: str) -> types.CodeType:
        """Return the code of a file, compiled now if the zygote did not."""
        if filename not in self._codes:
            with open(filename, "rb") as file:
                self._codes[filename] = _compiled(file.read(), filename)
        return self._codes[filename]

    def _compile(self, name: str) -> None:
        """Parse and compile one file; a file that does not compile fails again where it is imported."""
        filename = os.path.join(self.root, name)
        unwanted = {(drop["line"], drop["name"]) for drop in self.dropped if drop["file"] == name}
        try:
            with open(filename, "rb") as file:
                tree = ast.parse(file.read(), filename)
            if unwanted:
                tree = ast.fix_missing_locations(_DropImports(unwanted).visit(tree))
            self._codes[filename] = compile(tree, filename, "exec", dont_inherit=True)
            self.trees[name] = tree
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
            line = getattr(error, "lineno", 0) or 0
            self.errors.append({"file": name, "line": line, "text": str(error)[:200]})

    def _path_hook(self, path: str) -> importlib.abc.PathEntryFinder:
        if path != self.root and not self.owns(path):
            raise ImportError(path)
        submission = self

        class Loader(importlib.machinery.SourceFileLoader):
            """Takes code from the zygote's compilation; looks at no bytecode file."""

            def get_code(self, fullname: str) -> types.CodeType:
                return submission.compiled(self.get_filename(fullname))

        return importlib.machinery.FileFinder(path, (Loader, [".py"]))


def _compiled(source: bytes, filename: str) -> types.CodeType:
    """Return the code; an error without a place (null bytes, say) gets the file's name."""
    try:
        return compile(source, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        if getattr(error, "filename", None) is not None:
            raise
        raise SyntaxError(str(error), (filename, 1, 0, "")) from None


class _DropImports(ast.NodeTransformer):
    """Removes imported names that nothing uses and that this machine does not have."""

    def __init__(self, unwanted: set[tuple[int, str]]) -> None:
        self.unwanted = unwanted

    def _kept(self, node: ast.Import | ast.ImportFrom) -> ast.stmt:
        names = [alias for alias in node.names if (node.lineno, alias.name) not in self.unwanted]
        if not names:
            return ast.copy_location(ast.Pass(), node)
        node.names = names
        return node

    visit_Import = _kept
    visit_ImportFrom = _kept


class _AliasFinder(importlib.abc.MetaPathFinder):
    """Gives `python.needle` and `hw1.python.needle` as the one `needle`: one Tensor class, not two."""

    def __init__(self, submission: Submission) -> None:
        self.submission = submission

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        match = ALIAS.match(fullname)
        if match:
            return importlib.machinery.ModuleSpec(fullname, _AliasLoader(match[1]))
        if path is None and HOMEWORK_FOLDER.match(fullname):
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [self.submission.root]
            return spec
        return None


class _AliasLoader(importlib.abc.Loader):
    def __init__(self, real: str) -> None:
        self.real = real

    def exec_module(self, module: types.ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self.real)


class _StubFinder(importlib.abc.MetaPathFinder):
    """Stands in for packages that the submission imports and the grader does not offer."""

    def __init__(self, names: list[str]) -> None:
        self.names = set(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in self.names:
            return None
        return importlib.machinery.ModuleSpec(fullname, _StubLoader(), is_package=True)


class _StubLoader(importlib.abc.Loader):
    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        module.__path__ = []

        def absent(attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return _pass_through if attribute in ("tqdm", "trange") else _Absent(f"{name}.{attribute}")

        module.__getattr__ = absent  # type: ignore[method-assign]


class _Absent:
    """An attribute of a package that is not there; says so when it is used."""

    def __init__(self, name: str) -> None:
        self.__name = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise ModuleNotFoundError(f"{self.__name} is not available to the grader")

    def __getattr__(self, attribute: str) -> _Absent:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return _Absent(f"{self.__name}.{attribute}")


def _pass_through(iterable: Any = None, *_: Any, **__: Any) -> Any:
    """Stand in for a progress bar: the loop over it runs, the bar is not drawn."""
    return range(iterable) if isinstance(iterable, int) else iterable


def _name_all(code: types.CodeType, prefix: str, names: dict[types.CodeType, str]) -> None:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            name = prefix + constant.co_name
            names[constant] = name
            inner = name + "." if constant.co_argcount == 0 and _is_class(constant) else name + ".<locals>."
            _name_all(constant, inner, names)


def _is_class(code: types.CodeType) -> bool:
    return "__qualname__" in code.co_names and "__module__" in code.co_names
