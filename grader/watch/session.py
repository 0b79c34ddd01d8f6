"""The grading of one submission again and again: what is known of it, and what a save changes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom import intake
from grader.classroom.files import listing
from grader.errors import GraderError
from grader.homework import table
from grader.homework.check import Check
from grader.report.model import BLOCKED, CheckResult, Report
from grader.watch import affected, news

SUFFIXES = (".py", ".cpp")
UNSEEN = ("__pycache__", "tests")
Stamp = dict[str, tuple[int, int]]


class Superseded(Exception):
    """Raised out of a run when a file is saved during it: what it finds is no longer asked for."""


Grade = Callable[[str | None, Callable[[CheckResult], None]], Report]


@dataclass
class Session:
    """A submission under watch.

    `grade(only, progress)` grades it; `say` prints a line, `text` puts a message into the reader's language.
    `sources` holds the files as they were graded.
    """

    submission: Path
    homework: str
    grade: Grade
    say: Callable[[str], None]
    text: Callable[[str], str] = str
    results: dict[str, CheckResult] = field(default_factory=dict)
    sources: dict[str, bytes] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.checks = {check.id: check for check in table.find(self.homework).checks() if not check.option}
        prefix = intake.find_root(listing(self.submission), self.homework, self.submission)
        self.root = self.submission / prefix

    def read(self) -> dict[str, bytes]:
        """Return the sources as they are on the disk now."""
        found = {}
        for file in sorted(self.root.rglob("*")):
            name = file.relative_to(self.root)
            if file.suffix in SUFFIXES and not any(_is_unseen(part) for part in name.parts):
                try:
                    found[name.as_posix()] = file.read_bytes()
                except OSError:  # gone between two looks: an editor that saves by renaming
                    continue
        return found

    def stamp(self) -> Stamp:
        """Return size and time of every source, to see quickly whether one was saved."""
        found = {}
        for name in self.sources:
            try:
                status = (self.root / name).stat()
                found[name] = (status.st_mtime_ns, status.st_size)
            except OSError:
                found[name] = (0, 0)
        return found

    def start(self) -> Report:
        """Grade the whole submission."""
        self.sources = self.read()
        report = self.grade(None, lambda result: None)
        self.results = {check.id: check for check in report.checks()}
        return report

    def saved(self) -> bool:
        """Grade what has changed since the last call, the nearest checks first; False if nothing has.

        Raises `Superseded` when a file is saved meanwhile: the next call looks again, at all of it.
        """
        now = self.read()
        changed = {
            name for name in now.keys() | self.sources.keys() if now.get(name) != self.sources.get(name)
        }
        if not changed:
            return False
        before, self.sources = self.sources, now
        self.waiting |= changed
        self.say(f"saved: {', '.join(sorted(changed)[:3])}{' ...' if len(changed) > 3 else ''}")
        error = next((text for name in sorted(self.waiting) if (text := _syntax(name, now.get(name)))), "")
        if error:
            self.say(f"  {error}; nothing is graded until it is mended")
            return True
        functions = {
            name
            for file in changed
            for name in affected.changed_functions(before.get(file, b""), now.get(file, b""))
        }
        self._grade(functions)
        self.waiting.clear()
        self.say(news.standing(self.results))
        return True

    def _grade(self, functions: set[str]) -> None:
        everything = any(one.verdict == BLOCKED and not one.blocked_by for one in self.results.values())
        chosen = list(self.checks.values())
        if not everything:
            chosen = affected.affected(chosen, self.waiting)
        failed = {one.id for one in self.results.values() if not one.passed}
        first = affected.nearest(chosen, functions, failed)  # also what was only to be asked after a failure
        rest = [check for check in chosen if check.id in self.results and check not in first]
        told = [self._stage(stage) for stage in (first, rest) if stage]
        whole = news.News(same=sum(one.same for one in told), failing=sum(one.failing for one in told))
        self.say(whole.rest())

    def _stage(self, checks: list[Check]) -> news.News:
        stamp = self.stamp()

        def look(_: CheckResult) -> None:
            if self.stamp() != stamp:
                raise Superseded

        try:
            report = self.grade(",".join(check.id for check in checks), look)
        except GraderError as error:
            self.say(f"  {error}")
            return news.News()
        found = {check.id: check for check in report.checks()}
        told = news.news(self.results, found.values())
        for line in told.lines(self.text):
            self.say(line)
        self.results |= found
        return told


def _is_unseen(part: str) -> bool:
    return part in UNSEEN or part.startswith(".")


def _syntax(name: str, source: bytes | None) -> str:
    """Return the line that says where a source does not parse, "" if it does."""
    if source is None or not name.endswith(".py"):
        return ""
    try:
        ast.parse(source)
    except SyntaxError as error:
        return f"{name}:{error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"{name}: {error}"
    return ""
