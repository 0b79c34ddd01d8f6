"""A script in the making: its imports, its helper functions, its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from grader.debug import literals, snippets
from grader.debug.record import Ask


@dataclass
class Code:
    """Lines of plain needle calls.

    `arrays` are expressions for what the probe's reply holds, in its order, with the names that a person
    reads; `facts` are expressions for the other things that may be wrong, by the reply's own keys.
    """

    lines: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    arrays: list[tuple[str, str]] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    wanted: frozenset[str] | None = None

    def wants(self, fact: str) -> bool:
        """Tell whether a fact is wanted: lines that serve it alone are left out otherwise."""
        return self.wanted is None or fact in self.wanted

    def add(self, *lines: str) -> None:
        """Add lines."""
        self.lines += lines

    def need(self, *names: str) -> None:
        """Have helper functions written before the lines, with what they need themselves."""
        for name in names:
            if name not in self.helpers:
                self.need(*snippets.NEEDS.get(name, ()))
                self.helpers.append(name)

    def imported(self, line: str) -> None:
        """Add an import of the homework's modules."""
        if line not in self.imports:
            self.imports.append(line)

    def tensor(self, name: str, array: np.ndarray) -> str:
        """Add a line that makes a leaf Tensor; return its name."""
        self.need("tensor")
        self.add(f"{name} = tensor({literals.array(array)})")
        return name

    def numbers(self, title: str, expression: str) -> None:
        """Say that the reply's next array is that of a Tensor or array."""
        self.need("numbers")
        self.arrays.append((title, f"numbers({expression})"))

    def unchanged(self, names: list[str]) -> None:
        """Remember what some Tensors hold, to be compared at the end (the fact `changed`)."""
        if self.wants("changed"):
            self.need("numbers", "changed")
            listed = ", ".join(names)
            self.add(f"before = [numbers(one).copy() for one in [{listed}]]")
            self.facts["changed"] = f"changed([{listed}], before)"

    def counted(self, *lines: str) -> None:
        """Add lines, and count the nodes that they make (the fact `made`)."""
        if not self.wants("made"):
            return self.add(*lines)
        self.need("count_nodes")
        self.add("made = count_nodes()", *lines, "count = len(made)")
        self.facts["made"] = "count"
        return None

    def files(self, names: Sequence[str], contents: Sequence[np.ndarray]) -> None:
        """Add lines that write files (their bytes are the arrays) and keep their paths under these names."""
        self.add("folder = tempfile.mkdtemp()")
        for name, content in zip(names, contents, strict=True):
            self.add(
                f'{name} = folder + "/{name}.gz"',
                f'with open({name}, "wb") as file:',
                f"    file.write({literals.data_text(content.tobytes())})",
            )

    def imported_lines(self, names: list[str]) -> list[str]:
        """Return the imports from the homework, with these names from needle.autograd."""
        autograd = [f"from needle.autograd import {', '.join(names)}"] if names else []
        lines = sorted({*self.imports, *autograd})
        needle = any("needle" in line for line in (*lines, *self.lines))
        return ["import needle", *lines] if needle else lines


Printer = Callable[[Code, Ask], None]
