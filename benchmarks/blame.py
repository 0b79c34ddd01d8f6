"""How often blame names the function that has the fault, at how many experiments and at what cost.

    python benchmarks/blame.py [--only WORDS] [--pairs 5] [--no-times] [--no-table]

Faults are planted one at a time, and in pairs, into right solutions of several styles and both layouts
(tests/blame/plantings.py, and what tests/faults and tests/homework plant). Times are ratios of runs that
take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.classroom import causes
from grader.classroom.grade import grade
from grader.report.model import Report
from grader.worker import load, memory
from tests.blame import plantings
from tests.blame.plantings import first_cause_is
from tests.faults import hw1_autograd, hw1_ops
from tests.faults import hw2 as faults_hw2
from tests.homework.planted import PLANTED
from tests.support import build


@dataclass(frozen=True)
class Row:
    """A faulty submission: the functions to be named, how it is written."""

    name: str
    homework: str
    functions: tuple[str, ...]
    build: Callable[[Path], Path]


def singles() -> Iterator[Row]:
    """Yield the single faults: ours, and those of the tests whose checks cost points."""
    for planted in plantings.singles():
        yield Row(planted.name, planted.faults[0].homework, planted.functions, planted.build)
    for homework, table in (
        ("hw1", [*hw1_ops.FAULTS, *hw1_autograd.FAULTS]),
        ("hw2", faults_hw2.FAULTS),
    ):
        for fault in table:
            names = _at_fault(fault.solutions)
            if fault.expect.points_lost and len(names) == 1 and not fault.arrange:
                yield Row(fault.id, homework, names, lambda at, f=fault, h=homework: f.build(at, h))
    for number, one in enumerate(PLANTED):
        names = _at_fault(one.solutions)
        layout = ("2023", "2022")[number % 2]
        if len({name.partition(".")[0] for name in names}) == 1:
            yield Row(one.id, "hw2", names[:1], lambda at, o=one, y=layout: build(at, "hw2", y, o.solutions))


def edits() -> Iterator[Row]:
    """Yield edits of the scaffold."""
    for number, (name, text) in enumerate(plantings.EDITS.items()):
        layout = ("2023", "2022")[number % 2]
        yield Row(
            f"{name}, given, in {layout}",
            "hw2",
            (name,),
            lambda at, n=name, t=text, y=layout: build(at, "hw2", y, {n: t}),
        )


def doubles() -> Iterator[Row]:
    """Yield the pairs."""
    for planted in plantings.doubles():
        yield Row(planted.name, "hw2", planted.functions, planted.build)


def _at_fault(solutions: object) -> tuple[str, ...]:
    return tuple(name for name in solutions if not name.startswith("before:"))  # type: ignore[attr-defined]


def run(row: Row) -> tuple[Report, causes.Findings]:
    """Grade a row's submission; return the report and what the search found."""
    kept: list[causes.Findings] = []
    original = causes.find_causes

    def noted(*arguments: object, **keywords: object) -> causes.Findings:
        kept.append(original(*arguments, **keywords))  # type: ignore[arg-type]
        return kept[-1]

    import grader.classroom.grade as grading

    grading.find_causes = noted
    with tempfile.TemporaryDirectory() as folder:
        report = grade(row.build(Path(folder) / "handed-in"), row.homework)
    grading.find_causes = original
    return report, kept[-1] if kept else causes.Findings()


def named(report: Report) -> list[list[str]]:
    """Return the functions of each cause, in order."""
    return [cause.functions for cause in report.causes]


def show(row: Row, right: bool, report: Report, found: causes.Findings, seconds: float) -> int:
    """Print a line; return the number of experiments."""
    experiments = found.search.experiments if found.search else 0
    cut = (
        f", cut short: {len(found.search.cut_short)} open" if found.search and found.search.cut_short else ""
    )
    first = "; ".join(" and ".join(names) for names in named(report)[: len(row.functions)]) or "no cause"
    mark = "ok" if right else "NO"
    print(
        f"  {mark}  {row.homework}  {row.name:<58.58} {experiments:>4} {seconds:5.1f} s  {first}{cut}",
        flush=True,
    )
    return experiments


def attribution(rows: list[Row], title: str) -> None:
    """Print the table of one kind of fault and its summary."""
    if not rows:
        return
    print(title)
    right, experiments, unseen = 0, [], 0
    for row in rows:
        started = time.monotonic()
        report, found = run(row)
        causes_named = named(report)
        if not any(not check.passed and check.verdict != "not-run" for check in report.checks()):
            unseen += 1
            print(f"  --  {row.homework}  {row.name}: no check fails")
            continue
        ahead = causes_named[: len(row.functions)] if len(row.functions) == 1 else causes_named
        good = all(any(first_cause_is(names, one) for names in ahead) for one in row.functions)
        right += good
        experiments.append(show(row, good, report, found, time.monotonic() - started))
    seen = len(rows) - unseen
    print(
        f"{title}: {right} of {seen} named ({100 * right / max(seen, 1):.1f} %), "
        f"{statistics.median(experiments or [0]):.0f} experiments at the median, "
        f"{max(experiments or [0])} at most\n"
    )


def cost_of_blame(pairs: int) -> None:
    """Print the time of reports with one fault as a multiple of the clean run."""
    timed = ["BroadcastTo.gradient", "MatMul.gradient", "Linear.forward", "BatchNorm1d.forward", "Adam.step"]
    first = {one.function: one for one in reversed(plantings.IN_HW2)}
    with tempfile.TemporaryDirectory() as folder:
        style = plantings.HW2[0]
        clean = build(Path(folder) / "clean", "hw2")
        for name in timed:
            faulty = plantings.Planted(style, (first[name],)).build(Path(folder) / name)
            ratios, without = [], []
            for _ in range(pairs):
                base = _seconds(clean)
                ratios.append(_seconds(faulty) / base)
                without.append(_seconds(faulty, "--no-blame") / base)
            print(
                f"a report with {name} at fault takes {statistics.median(ratios):.2f} x the clean run, "
                f"{statistics.median(without):.2f} x without blame (medians of {pairs})",
                flush=True,
            )


def _seconds(submission: Path, *options: str) -> float:
    started = time.perf_counter()
    command = [sys.executable, "-m", "grader", "hw2", str(submission), *options]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def cost_of_tracing(rounds: int) -> None:
    """Print the time of traced training steps as a multiple of the same steps untraced."""
    submission = load.Submission(
        {"root": str(ROOT / "reference"), "paths": [str(ROOT / "reference/python")], "eager": ["needle"]}
    )
    submission.enter()
    step = _training(submission)
    ratios: dict[str, list[float]] = {"with the line of each node": [], "counting alone": []}
    for _ in range(rounds):
        for places, kept in zip((True, False), ratios.values(), strict=True):
            plain = _clock(step)
            with memory.Watch(submission, places).on():
                kept.append(_clock(step) / plain)
    for what, kept in ratios.items():
        print(f"watched training steps, {what}: {statistics.median(kept):.2f} x the untraced time")


def _training(submission: load.Submission) -> Callable[[], None]:
    """Return a training step of the course's own net: 64-32-16 with BatchNorm1d, Adam, batches of 32."""
    import numpy as np

    nn, optim, tensor = (submission.find(f"needle.{name}") for name in ("nn", "optim", "Tensor"))
    model = nn.Sequential(
        nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 10)
    )
    opt, loss = optim.Adam(model.parameters()), nn.SoftmaxLoss()
    x, y = np.random.randn(32, 64).astype("float32"), np.arange(32) % 10

    def step() -> None:
        for _ in range(20):
            opt.reset_grad()
            loss(model(tensor(x)), tensor(y)).backward()
            opt.step()

    return step


def _clock(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Read the arguments, run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name or homework holds this text")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--no-table", action="store_true")
    options = parser.parse_args()

    def wanted(rows: Iterator[Row]) -> list[Row]:
        return [row for row in rows if options.only in f"{row.homework} {row.name}"]

    if not options.no_table:
        attribution(wanted(singles()), "single faults")
        attribution(wanted(edits()), "edits of the scaffold")
        attribution(wanted(doubles()), "double faults")
    if not options.no_times:
        cost_of_blame(options.pairs)
        cost_of_tracing(20)


if __name__ == "__main__":
    main()
