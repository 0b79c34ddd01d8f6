"""Solution regions: the lines between the two markers, and how they are emptied."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.handout.errors import HandoutError

BEGIN = "### BEGIN YOUR SOLUTION"
END = "### END YOUR SOLUTION"

# submissions also hold "# BEGIN YOUR CODE" and the like; the course's C++ has three slashes
MARKER = re.compile(r"^\s*(?:#+|/{2,})\s*(BEGIN|END)\s+YOUR\s+(?:SOLUTION|CODE)\b", re.IGNORECASE)

STUB_PYTHON = "raise NotImplementedError()"
STUB_CPP = 'throw std::logic_error("softmax_regression_epoch_cpp is not written yet");'


@dataclass(frozen=True)
class Region:
    """A pair of markers: 0-based indices of the lines that hold BEGIN and END."""

    begin: int
    end: int


def marker(line: str) -> str | None:
    """`"BEGIN"` or `"END"` for a marker line, else None."""
    match = MARKER.match(line)
    return match[1].upper() if match else None


def find_regions(lines: list[str]) -> list[Region] | None:
    """The regions in order, or None when the markers do not pair up."""
    regions: list[Region] = []
    begin: int | None = None
    for index, line in enumerate(lines):
        kind = marker(line)
        if kind is None:
            continue
        if (kind == "BEGIN") != (begin is None):
            return None
        if begin is None:
            begin = index
        else:
            regions.append(Region(begin, index))
            begin = None
    return regions if begin is None else None


def outside(lines: list[str]) -> list[str]:
    """The lines outside the regions, markers left out; all of them when the markers do not pair up."""
    inside = {i for one in find_regions(lines) or () for i in range(one.begin, one.end + 1)}
    return [line for i, line in enumerate(lines) if i not in inside]


def empty(text: str, name: str) -> str:
    """`text` with every region reduced to a stub; `name` is the file, for messages and its suffix.

    A region at the left margin holds helpers and becomes empty. Raises HandoutError for unpaired markers.
    """
    lines = text.splitlines()
    regions = find_regions(lines)
    if regions is None:
        raise HandoutError(f"{name}: the BEGIN and END markers do not pair up; repair them in reference/")
    stub = STUB_CPP if name.endswith((".cpp", ".cc", ".h")) else STUB_PYTHON
    for region in reversed(regions):
        begin = lines[region.begin]
        indent = begin[: len(begin) - len(begin.lstrip())]
        lines[region.begin + 1 : region.end] = [indent + stub] if indent else []
    return "\n".join(lines) + "\n"
