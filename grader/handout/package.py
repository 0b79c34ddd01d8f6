"""A student's `needle`, wherever it lies and whatever its layout."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from grader.handout.errors import HandoutError
from grader.handout.names import bindings, star_imports
from grader.handout.parsed import Code, Function, read_code

# where the package lies below the folder a student names: the course's layout, and what people make of it
PLACES = ("python/needle", "needle", ".", "hw1/python/needle", "hw1/needle")


@dataclass(frozen=True)
class Package:
    """The folder of `needle` and its files: path relative to it -> Code."""

    folder: Path
    files: dict[str, Code]

    def find(self, name: str) -> list[Function]:
        """The functions of that qualified name: filled ones first, those in the shallowest folder last."""
        found = [code.functions[name] for code in self.files.values() if name in code.functions]
        return sorted(found, key=lambda function: (not function.is_filled, -function.code.name.count("/")))

    def has_module(self, module: str) -> bool:
        """Whether a dotted module below the package exists; the package itself is `""`."""
        path = module.replace(".", "/")
        return not path or f"{path}.py" in self.files or f"{path}/__init__.py" in self.files

    def names(self, path: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """What a module binds at its top level, star imports within the package included."""
        code = self.files[path]
        bound = set(bindings(code))
        for node in star_imports(code):
            module = absolute(node, path)
            inner = next((p for p in _paths(module or "") if p in self.files and p not in seen), None)
            if module is not None and inner is not None:
                bound |= self.names(inner, seen | {path})
        return bound


def open_package(root: Path) -> Package:
    """Find and read `needle` below `root`. Raises HandoutError when it is not there or does not parse."""
    if not root.is_dir():
        raise HandoutError(f"{root}: no such folder; give the root of the homework, with python/needle in it")
    folder = next((root / place for place in PLACES if (root / place / "autograd.py").is_file()), None)
    if folder is None:
        raise HandoutError(f"{root}: no python/needle/autograd.py in it; give the root of the homework")
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.py"))}
    kept = {name: path for name, path in paths.items() if _is_importable(name)}
    return Package(folder, {name: read_code(path, str(path)) for name, path in kept.items()})


def absolute(node: ast.ImportFrom, path: str) -> str | None:
    """The dotted module that an import in the file `path` means, inside the package; None if outside."""
    if node.level == 0:
        module = node.module or ""
        return module.removeprefix("needle").lstrip(".") if module.split(".")[0] == "needle" else None
    folders = path.split("/")[:-1]
    above = node.level - 1
    if above > len(folders):
        return None
    return ".".join([*folders[: len(folders) - above], *filter(None, [node.module])])


def relative(module: str, path: str) -> tuple[int, str]:
    """Level and module of a relative import that names a dotted module of the package in the file `path`."""
    folders, parts = path.split("/")[:-1], module.split(".") if module else []
    common = 0
    while common < min(len(folders), len(parts)) and folders[common] == parts[common]:
        common += 1
    return len(folders) - common + 1, ".".join(parts[common:])


def dotted(path: str) -> str:
    """The dotted module of a file: `ops/ops_tuple.py` -> `ops.ops_tuple`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_importable(name: str) -> bool:
    """Not a backup such as `ops copy.py`, nor what lies in `.ipynb_checkpoints`."""
    return all(part.isidentifier() for part in name.removesuffix(".py").split("/"))


def _paths(module: str) -> tuple[str, str]:
    base = module.replace(".", "/")
    return f"{base}.py", f"{base}/__init__.py" if base else "__init__.py"
