"""What a hostile submission is made of: a right hw1 with one wrong function, and the attack around it."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import build

# Every file that an attack makes outside its own folder has this in its name; runs do not see each other's.
MARK = f"needle-hostile-{os.getpid()}"
SHM_KEY = 0x4E470000 + os.getpid() % 0x10000
REPOSITORY = Path(__file__).resolve().parents[2]
WRONG = "array_api.matmul(a, b) + 1"

PRELUDE = f"""
import ctypes, errno, fcntl, gc, os, resource, signal, socket, struct, sys, threading, time
ROOT, REPORT, MARK, SHM_KEY = @ROOT@, @REPORT@, "{MARK}", {SHM_KEY}
LIBC = ctypes.CDLL(None, use_errno=True)
def call(number, *words):
    if LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(word) for word in words]) == -1:
        raise OSError(ctypes.get_errno(), "")
ZYGOTE = os.getppid()
def parents():
    with open(f"/proc/{{ZYGOTE}}/stat") as file:
        found = [ZYGOTE, int(file.read().rpartition(")")[2].split()[1])]
    return [one for one in found if one not in (1, @SPARED@)]  # not the tests: they adopt what is orphaned
"""


@dataclass(frozen=True)
class Attack:
    """One hostile submission, as data.

    `number` is its place in the list of the trust boundary, 0 for what was added. `at_import` runs when
    needle is imported, `in_call` in each call of MatMul with `a` and `b` at hand, `result` is what the call
    returns. `files` lie over the submission; `make` turns its folder into what is handed in. `only` names the
    checks that run. `held_by` are the areas of confinement that stop it: at a level that lacks one of them
    nothing is promised but that `--require-sandbox full` refuses. `refused` means exit code 2.
    `hides` is text that the report must not hold. `base` are the functions of the same submission without its
    attack, where they are not the wrong MatMul; then `functions` are those with it.
    """

    id: str
    number: int
    says: str
    at_import: str = ""
    in_call: str = ""
    result: str = WRONG
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    make: Callable[[Path], Path] | None = None
    only: str = "*.MatMul.*"
    held_by: tuple[str, ...] = ()
    refused: bool = False
    hides: tuple[str, ...] = ()
    base: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path, report: Path, spared: int = 0) -> Path:
        """Write the submission into `folder` and return the path to grade; process `spared` is no victim."""
        root = build(folder, solutions=self.solutions(report, spared), extra_files=self.files)
        return self.make(root) if self.make else root

    def solutions(self, report: Path, spared: int = 0) -> dict[str, str]:
        """The functions to replace, see `tests.support`."""
        call = f"def compute(self, a, b):\n{_guarded(self.in_call)}    return {self.result}\n"
        found = {**self.base, **self.functions} if self.base else {"MatMul.compute": call}
        if self.at_import or self.in_call or self.result != WRONG:
            prelude = PRELUDE.replace("@ROOT@", repr(str(REPOSITORY))).replace("@REPORT@", repr(str(report)))
            prelude = prelude.replace("@SPARED@", str(spared))
            found.setdefault("before:MatMul", prelude + textwrap.dedent(_guarded(self.at_import)))
        return found


def _guarded(code: str) -> str:
    """The code, indented; what is refused is passed over: an attacker goes on to hand in something."""
    if not code:
        return ""
    inner = textwrap.indent(textwrap.dedent(code).strip("\n"), "        ")
    return f"    try:\n{inner}\n    except Exception:\n        pass\n"


def without(attack: Attack) -> Attack:
    """The same submission without its attack."""
    return Attack("honest", 0, "the wrong function alone", base=attack.base, only=attack.only)
