"""Writes a submission into a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.support.splice import Solutions, extract, splice
from tests.support.transforms import Transform
from tests.support.tree import base_tree


def build(
    target: Path,
    homework: str = "hw1",
    layout: str = "2023",
    solutions: Solutions | None = None,
    extra_files: Mapping[str, str | bytes] | None = None,
    transforms: Iterable[Transform] = (),
) -> Path:
    """Write a submission to `target` and return it: the root that a student would hand in.

    It is the reference with `solutions` put in the place of its functions (see `splice`), then changed by
    each of `transforms`; `extra_files` are written last, over what is there. KeyError for a name that the
    layout does not have.
    """
    tree = splice(base_tree(homework, layout), solutions or {})
    for transform in transforms:
        tree = transform(tree)
    for name, content in {**tree, **(extra_files or {})}.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return target


def reference_function(name: str) -> str:
    """Source of a function or class of the reference, without indentation; KeyError for an unknown name."""
    return extract({**base_tree("hw2"), **base_tree("hw1")}, name)
