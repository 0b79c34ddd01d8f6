"""What the doctor says of one thing."""

from __future__ import annotations

from dataclasses import asdict, dataclass

OK, REMARK, TROUBLE = "ok", "remark", "trouble"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: its state, what was found, and the fix in one sentence if it needs one.

    A remark is something to know; with trouble the grader cannot do (part of) its work.
    """

    name: str
    state: str
    found: str
    fix: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the finding as plain data."""
        return asdict(self)


def ok(name: str, found: str) -> Finding:
    """Return that nothing is wrong."""
    return Finding(name, OK, found)


def remark(name: str, found: str, fix: str) -> Finding:
    """Return something to know."""
    return Finding(name, REMARK, found, fix)


def trouble(name: str, found: str, fix: str) -> Finding:
    """Return something that has to be mended."""
    return Finding(name, TROUBLE, found, fix)
