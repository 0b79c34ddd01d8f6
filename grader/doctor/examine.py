"""The whole examination, and how it is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from grader.doctor import here, machine, software
from grader.doctor.finding import OK, REMARK, TROUBLE, Finding
from grader.report import language, wrap
from grader.report.escape import terminal as clean

WIDTH = 80
MARKS = {OK: ("ok", "32"), REMARK: ("remark", "33"), TROUBLE: ("trouble", "31")}


def examine(folder: Path) -> Iterator[Finding]:
    """Look at everything, at homeworks in `folder`; one look that fails does not end the rest."""
    yield from _looked("system", lambda: [software.machine()])
    yield from _looked("python", lambda: [software.python()])
    yield from _looked("packages", software.packages)
    yield from _looked("blas", lambda: [software.blas()])
    yield from _looked("sandbox", lambda: [machine.sandbox()])
    yield from _looked("memory", lambda: [machine.memory()])
    yield from _looked("temporary", lambda: [machine.temporary()])
    yield from _looked("terminal", lambda: [machine.terminal()])
    yield from _looked("compiler", software.compiler)
    yield from _looked("pictures", lambda: [software.picture()])
    yield from _looked("needle", lambda: [software.needles()])
    yield from _looked("homework", lambda: here.homeworks(folder))


def _looked(name: str, look: Callable[[], Iterator[Finding] | list[Finding]]) -> Iterator[Finding]:
    try:
        yield from look()
    except Exception as error:  # a machine that is ill may fail anywhere
        yield Finding(
            name, TROUBLE, f"cannot be looked at ({type(error).__name__}: {error})", "please report this"
        )


def lines(finding: Finding, *, color: bool = False, lang: str = language.ENGLISH) -> str:
    """Return a finding in lines of 80 columns: state, name, what was found, and the fix below."""
    say = language.speaker(lang)
    word, code = MARKS[finding.state]
    word = say.text(word)
    head = f"  {wrap.pad(word, 8)} {wrap.pad(say.text(finding.name), 13)} "
    shown = _wrapped(say.text(finding.found), head)
    if color:
        shown = shown.replace(word, f"\x1b[{code}m{word}\x1b[0m", 1)
    fix = say.text(finding.fix)
    return shown + ("\n" + _wrapped(fix, " " * 11 + "-> ", " " * 14) if fix else "")


def _wrapped(text: str, head: str, later: str | None = None) -> str:
    later = " " * wrap.width(head) if later is None else later
    return "\n".join(wrap.lines(clean(text), WIDTH, first=head, later=later))


def summary(findings: list[Finding]) -> str:
    """Return the last line."""
    troubles = sum(one.state == TROUBLE for one in findings)
    remarks = sum(one.state == REMARK for one in findings)
    if troubles:
        return f"{troubles} to mend{f', {remarks} to know' if remarks else ''}"
    return f"nothing to mend{f', {remarks} to know' if remarks else ''}"


def as_json(findings: list[Finding]) -> str:
    """Return all findings as JSON."""
    return json.dumps([one.as_dict() for one in findings], indent=1) + "\n"
