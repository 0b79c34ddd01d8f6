"""Which checks a saved file can affect, and which of them are nearest to what was changed in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import PurePosixPath

from grader.homework.check import Check

# part of a submission -> the parts that checks of it use besides; all but hw0 stand on the rest of needle
USES = {
    "ops": {"ops"},
    "autograd": set(),
    "init": {"init"},
    "nn": {"nn", "init", "ops"},
    "optim": {"optim", "nn", "init", "ops"},
    "data": {"data"},
    "simple_ml": {"simple_ml", "ops", "init"},
    "mlp_resnet": {"mlp_resnet", "data", "optim", "nn", "init", "ops"},
    "simple_ml_ext": {"simple_ml_ext"},
}
BASE = "base"  # autograd, the backend, the package itself, helpers at the root


def part_of(file: str) -> str:
    """Return the part of a submission that a file (a relative path) belongs to."""
    path = PurePosixPath(file)
    for name in (*path.parts[:-1], path.stem):
        if name in USES and name != "autograd":
            return name
    return BASE


def affected(checks: Iterable[Check], files: Iterable[str]) -> list[Check]:
    """Return the checks whose verdict these files can change."""
    parts = {part_of(file) for file in files}
    return [check for check in checks if BASE in parts or parts & _used(check)]


def _used(check: Check) -> set[str]:
    module, _, rest = check.target.partition(".")
    return USES.get(rest.partition(".")[0] if module == "needle" else module, set(USES))


def changed_functions(before: bytes, after: bytes) -> set[str]:
    """Return the functions (`BroadcastTo.gradient`, `find_topo_sort`) that differ between two sources."""
    old, new = _functions(before), _functions(after)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def _functions(source: bytes) -> dict[str, str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in inner or [node]:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[prefix + one.name] = ast.dump(one)
    return found


def nearest(checks: Iterable[Check], functions: set[str], failed: set[str]) -> list[Check]:
    """Return the checks of the changed functions' classes; those that failed where there are none."""
    heads = {name.partition(".")[0] for name in functions}
    checks = list(checks)
    near = [check for check in checks if check.function.partition(".")[0] in heads]
    return near or [check for check in checks if check.id in failed]
