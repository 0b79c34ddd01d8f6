"""pytest collects the checks of a homework as its own items; registered as an entry point (`pytest11`).

A test module that holds `test_hw2 = Checks("hw2")` stands for every check of that homework, of the submission
that the module lies in. One grading run answers all the items of a session (of each worker of pytest-xdist).
Other test modules are left alone, and nothing heavy is imported for them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from grader.homework.check import Check
    from grader.report.model import CheckResult, Report

ROOTS = {"hw0": ("src",), "hw1": ("python/needle", "needle"), "hw2": ("python/needle", "needle")}


class Checks:
    """Stands in a test module for the checks of a homework."""

    def __init__(self, homework: str) -> None:
        self.homework = homework


class NotPassed(Exception):
    """A check that did not pass; its text is the sentence of the report."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.message)
        self.result = result


@dataclass
class Grading:
    """One submission in this session: graded when its first item runs, for all the items at once."""

    root: Path
    homework: str
    results: dict[str, CheckResult] | None = None
    error: str = ""
    told: set[str] = field(default_factory=set)

    def grade(self, wanted: Iterable[str]) -> None:
        """Grade for these checks, and for those that they need first."""
        from grader.errors import GraderError

        try:
            report = self._report(set(wanted))
            self.results = {check.id: check for check in report.checks()}
        except GraderError as error:
            self.results, self.error = {}, str(error)

    def _report(self, wanted: set[str]) -> Report:
        from grader.classroom.grade import grade

        checks = _checks(self.homework)
        asked = {name for name, check in checks.items() if not check.option}
        only = None if wanted >= asked else ",".join(_with_needs(wanted, checks, _later(self.homework)))
        return _in_language(grade(self.root, self.homework, only=only, blame=False))


def _in_language(report: Report) -> Report:
    from grader.report import language

    return language.translate(report, _language())


def _language() -> str:
    """Return what GRADER_LANG or the locale asks for."""
    from grader.report import language

    return language.choose((), os.environ, getattr(sys.__stdout__, "encoding", None))


def _checks(homework: str) -> dict[str, Check]:
    from grader.homework import table

    return {check.id: check for check in table.find(homework).checks()}


def _later(homework: str) -> set[str]:
    """Return the checks that a run asks only after something else has failed."""
    from grader.homework import table

    questions = table.find(homework).questions
    return {check.id for question in questions if question.on_failure for check in question.checks}


def _with_needs(wanted: set[str], checks: dict[str, Check], later: set[str]) -> list[str]:
    """Return the checks, in order, with those that must have passed before them.

    Those of `later` questions are not among them, as in a whole run.
    """
    found, stack = set(wanted), list(wanted)
    while stack:
        needed = set(checks[stack.pop()].needs) & checks.keys() - found - later
        found |= needed
        stack += needed
    return [name for name in checks if name in found]


GRADINGS = pytest.StashKey[dict[tuple[Path, str], Grading]]()


class CheckItem(pytest.Item):
    """One check."""

    def __init__(self, *, grading: Grading, title: str, **words: Any) -> None:
        super().__init__(**words)
        self.grading, self.title = grading, title

    def runtest(self) -> None:
        """Take this check's result from the grading run; raise what it comes to."""
        if self.grading.results is None:
            mine = [one for one in self.session.items if getattr(one, "grading", None) is self.grading]
            self.grading.grade(one.name for one in mine)
        if self.grading.error:
            pytest.fail(self.grading.error, pytrace=False)
        result = (self.grading.results or {}).get(self.name)
        if result is None:
            pytest.skip("only asked after a failure of a later question")
        self._raise(result)

    def _raise(self, result: CheckResult) -> None:
        first = result.message not in self.grading.told
        self.grading.told.add(result.message)
        if result.verdict == "not-run":
            pytest.skip(result.message)
        if result.verdict == "blocked" and (result.blocked_by or not first):
            pytest.skip(result.message)  # the one that it waits for has failed
        if not result.passed and result.advice:
            pytest.xfail(f"advice, costs no points: {result.message}")
        if not result.passed:
            raise NotPassed(result)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """Return the report's own text of the failure, without a traceback of the grader."""
        if not isinstance(excinfo.value, NotPassed):
            return super().repr_failure(excinfo, style)
        from _pytest._code.code import ExceptionChainRepr, ReprEntryNative, ReprFileLocation, ReprTraceback

        result = excinfo.value.result
        where = ReprFileLocation(self.name, 0, _line(result.message))
        trace = ReprTraceback([ReprEntryNative([f"{line}\n" for line in _text(result)])], None, "native")
        return ExceptionChainRepr([(trace, where, None)])

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return file and title."""
        return self.path, None, self.name


def _line(text: str) -> str:
    from grader.report import escape

    return " ".join(escape.terminal(text).split())


def _text(result: CheckResult) -> list[str]:
    """Return the lines of a failure: the sentence, then the evidence."""
    from grader.report import language
    from grader.report.findings import Finding
    from grader.report.wording import aligned

    say = language.speaker(_language())
    rows = Finding(result.id, result, []).evidence_in(say)
    return [_line(result.message), *aligned((label, _line(text)) for label, text in rows)]


def _items(collector: Any, root: Path, homework: str) -> list[pytest.Item]:
    gradings = collector.config.stash.setdefault(GRADINGS, {})
    grading = gradings.setdefault((root, homework), Grading(root, homework))
    return [
        CheckItem.from_parent(collector, name=check.id, grading=grading, title=check.title)
        for check in _checks(homework).values()
        if not check.option
    ]


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> list[pytest.Item] | None:
    """Turn a `Checks` in a test module into items."""
    if type(obj) is not Checks:
        return None
    root = next((folder for folder in collector.path.parents if _is_root(folder, obj.homework)), None)
    if root is None:
        raise pytest.Collector.CollectError(
            f"{collector.path}: no folder above it is the root of {obj.homework} "
            f"(with {ROOTS[obj.homework][0]})"
        )
    return _items(collector, root, obj.homework)


def pytest_addoption(parser: Any) -> None:
    """Add `--needle hwN`, for submissions that have no tests folder of ours."""
    parser.addoption("--needle", choices=tuple(ROOTS), help="collect the checks of this homework in its root")


class Root(getattr(pytest, "Directory", pytest.Collector)):  # type: ignore[misc]
    """The root of a homework under `--needle`: its checks, and none of its files."""

    def collect(self) -> list[pytest.Item]:
        """Return the checks."""
        return _items(self, self.path, self.config.getoption("needle"))


@pytest.hookimpl(optionalhook=True)
def pytest_collect_directory(path: Path, parent: Any) -> Root | None:
    """Collect the root of a homework as its checks, if that was asked for."""
    homework = parent.config.getoption("needle", None)
    if homework is None or not _is_root(path, homework):
        return None
    found: Root = Root.from_parent(parent, path=path)
    return found


def _is_root(folder: Path, homework: str) -> bool:
    return any((folder / place).is_dir() for place in ROOTS[homework])
