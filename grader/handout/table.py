"""Which files of `reference/` belong to which homework."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Handout:
    """Globs below `reference/`. `stubs` are copied with their solutions emptied, `copies` as they are."""

    stubs: tuple[str, ...]
    copies: tuple[str, ...]


HANDOUTS = {
    "hw0": Handout(
        stubs=("src/simple_ml.py", "src/simple_ml_ext.cpp"),
        copies=("Makefile", "data/**/*", "tests/test_hw0.py"),
    ),
    "hw1": Handout(
        stubs=(
            "apps/simple_ml.py",
            "python/needle/__init__.py",
            "python/needle/autograd.py",
            "python/needle/backend_numpy.py",
            "python/needle/init/__init__.py",
            "python/needle/init/init_basic.py",
            "python/needle/ops/__init__.py",
            "python/needle/ops/ops_mathematic.py",
            "python/needle/ops/ops_tuple.py",
        ),
        copies=("data/**/*", "tests/test_hw1.py"),
    ),
    "hw2": Handout(
        stubs=("apps/mlp_resnet.py", "python/needle/**/*.py"), copies=("data/**/*", "tests/test_hw2.py")
    ),
}

# what working in a handout leaves behind: no part of it
IGNORED_NAMES = frozenset(
    {"__pycache__", ".grader", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store"}
)
IGNORED_SUFFIXES = frozenset({".so", ".pyc"})

# the package whose functions are carried from homework 1 to homework 2
CARRIED_FROM = "hw1"
CARRIED_PACKAGE = "python/needle/"
