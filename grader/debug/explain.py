"""What a check asks for: its formula, where in the handout, the mistakes that people make."""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from grader import places
from grader.debug.formulas import FORMULAS, KINDS
from grader.errors import UsageError
from grader.homework import table
from grader.homework.check import Check, Homework
from grader.homework.selection import unknown
from grader.homework.trial import Trial
from grader.judge.search import Budget
from grader.judge.source import seeded
from grader.oracle.mistakes import Mistake
from grader.report import language, wrap

WIDTH = 80


class Heard(Exception):
    """Ends a check as soon as it has said how it examines."""


@dataclass
class Listener(Trial):
    """A trial without a submission, for hearing which mistakes a check knows."""

    mistakes: list[Mistake] = field(default_factory=list)

    def examined(self, examination: Any) -> None:
        """Keep the mistakes."""
        self.mistakes += examination.mistakes
        raise Heard

    def ask(self, *_: Any, **__: Any) -> Any:
        """There is nobody to ask."""
        raise Heard

    def ahead(self, requests: Iterable[Any]) -> None:
        """There is nobody to ask."""


def text(name: str, homework: str | None = None, lang: str = language.ENGLISH) -> str:
    """Return the page of a check, or the list of those that a pattern or a part of a name matches.

    Raises `UsageError` with the nearest names when nothing matches.
    """
    found = _matching(name, [homework] if homework else table.NAMES)
    if len(found) == 1:
        return "\n".join(_page(*found[0], language.speaker(lang))) + "\n"
    return "\n".join(_list(found, language.speaker(lang))) + "\n"


def _matching(name: str, homeworks: Iterable[str]) -> list[tuple[Homework, Check]]:
    """Return the checks of the first homework that has any; hw1's ops before their repetition in hw2."""
    known: list[str] = []
    for one in map(table.find, homeworks):
        checks = list(one.checks())
        known += [check.id for check in checks]
        found = [check for check in checks if check.id == name]
        found = found or [check for check in checks if _fits(check, name)]
        if found:
            return [(one, check) for check in found]
    raise UsageError(unknown(name, dict.fromkeys(known)))


def _fits(check: Check, name: str) -> bool:
    patterns = (name, f"{name}.*", f"*.{name}", f"*.{name}.*")
    return check.function == name or any(fnmatch.fnmatchcase(check.id, pattern) for pattern in patterns)


def _list(found: list[tuple[Homework, Check]], say: language.Speaker) -> list[str]:
    width = min(44, max(len(check.id) for _, check in found))
    lines = [say("{homework}: {count} checks", homework=found[0][0].id, count=len(found)), ""]
    for _, check in found:
        head = f"{check.id:<{width}}  "
        lines += wrap.lines(say.text(check.title), WIDTH, first=head, later=" " * (width + 2))
    return lines


def _page(homework: Homework, check: Check, say: language.Speaker) -> list[str]:
    question = next(one for one in homework.questions if one.id == check.question)
    title, points = say.text(question.title), f"{question.points:g}"
    title += say(", {points} points in all", points=points) if question.points else ""
    place, said = in_handout(homework.id, check)
    rows = [
        ("question", title),
        ("function", f"{check.function}{f', {place}' if place else ''}"),
        ("handout", said),
        ("formula", FORMULAS.get(check.function, "")),
        ("asked", KINDS.get(check.kind.partition("_eval")[0], "")),
        ("after", ", ".join(check.needs)),
        ("counts", "" if check.weight else "advice: it costs no points"),
    ]
    lines = [f"{homework.id}  {check.id}", *_filled("", check.title, say), ""]
    lines += [line for label, value in rows if value for line in _filled(label, value, say)]
    mistakes = dict.fromkeys(one.says for one in known_mistakes(homework, check))
    if mistakes:
        lines += ["", say("usual mistakes")]
        for one in mistakes:
            lines += wrap.lines(say.text(one), WIDTH, first=" - ", later="   ")
    commands = (("try", "--only"), ("look", "--debug"))
    calls = [(label, f"python -m grader {homework.id} {option} {check.id}") for label, option in commands]
    return [*lines, "", *(f"{_head(label, say)}{call}" for label, call in calls)]


def _filled(label: str, value: str, say: language.Speaker) -> list[str]:
    head = _head(label, say) if label else ""
    return wrap.lines(say.text(value), WIDTH, first=head, later=" " * wrap.width(head))


def _head(label: str, say: language.Speaker) -> str:
    return f"{wrap.pad(say.text(label), 10)} "


def known_mistakes(homework: Homework, check: Check) -> list[Mistake]:
    """Return the mistakes that a check can name, heard from the check itself."""

    def nobody() -> Any:
        raise Heard

    listener = Listener(check, nobody, seeded(0, homework.id, check.id), Budget(total=0.0), "2024")
    try:
        check.run(listener)
    except Exception:  # it wanted an answer, and there is none
        return listener.mistakes
    return listener.mistakes


def in_handout(homework: str, check: Check) -> tuple[str, str]:
    """Return where in the handout a function is written (file:line), and what is said there."""
    root = places.starter(homework)
    owner, _, method = check.function.partition(".")
    for file in sorted(root.rglob("*.py")):
        if "tests" in file.parts:
            continue
        for node in _parsed(file).body:
            if getattr(node, "name", None) == owner and _module_fits(file, check.target):
                return _described(file.relative_to(root), node, method)
    return "", ""


def _module_fits(file: Path, target: str) -> bool:
    """Tell apart what has the same name: the op ReLU and the module ReLU."""
    parts = target.split(".")
    part = parts[1] if parts[0] == "needle" else parts[0]
    return part in (*file.parts, file.stem)


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_bytes())


def _described(file: Path, node: Any, method: str) -> tuple[str, str]:
    methods = [one for one in getattr(node, "body", []) if isinstance(one, ast.FunctionDef)]
    inner = next((one for one in methods if one.name == method), node)
    said = [ast.get_docstring(one) or "" for one in dict.fromkeys((node, inner))]
    return f"{file.as_posix()}:{inner.lineno}", " ".join(" ".join(said).split())
