"""The comparison page of a class: its size, and how long Chromium takes to open, sort and filter it.

    python benchmarks/page.py [SUBMISSIONS] [FILE]

A few real reports (the reference, and fault fixtures) are graded once and recombined to a class of 1,000 by
chance with a fixed seed: each submission takes some faults, each with its failed checks, causes and texts,
and lines, nodes and times of its own. The page is written to FILE (default: a temporary one).
"""

from __future__ import annotations

import copy
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from grader.classroom.compare.gather import Comparison
from grader.classroom.compare.rows import Entry, table
from grader.classroom.grade import grade
from grader.report import stored
from grader.report.compare_page import document
from tests.faults.hw2 import FAULTS

GRADED = 24  # fixtures that are graded: two seconds each
CHROMIUM = "/usr/bin/chromium"
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
SWITCHES += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def graded(count: int = GRADED) -> list[dict[str, Any]]:
    """Grade the reference, then fixtures spread over the list of faults."""
    reports = [grade(ROOT / "reference", "hw2").as_dict()]
    for fault in FAULTS[:: max(1, len(FAULTS) // count)]:
        with tempfile.TemporaryDirectory() as folder:
            reports.append(grade(fault.build(Path(folder), "hw2"), "hw2").as_dict())
    return reports


def combined(reports: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Return a report with the faults of some others, in lines and times of its own."""
    chance = random.Random(seed)
    made = copy.deepcopy(reports[0])
    made["submission"] = f"submission_{seed}"
    for fault in chance.sample(reports[1:], chance.choice([0, 0, 1, 2, 3, 5, 8])):
        _take(made, copy.deepcopy(fault), chance)
    for question in made["questions"]:
        question["points"] = round(sum(check["points"] for check in question["checks"]), 4)
    made["score"] = round(sum(question["points"] for question in made["questions"]), 2)
    return made


def _take(made: dict[str, Any], fault: dict[str, Any], chance: random.Random) -> None:
    shift = chance.randrange(60)
    mine = {check["id"]: check for question in made["questions"] for check in question["checks"]}
    for question in fault["questions"]:
        for check in question["checks"]:
            if check["verdict"] != "passed" and mine.get(check["id"], {}).get("verdict") == "passed":
                if check["location"]:
                    check["location"]["line"] += shift
                mine[check["id"]].update(check)
    made["causes"] += fault["causes"]
    for check in mine.values():
        check["seconds"] *= chance.uniform(0.8, 1.6)


def build(size: int) -> str:
    """Return the page of a class of that size."""
    reports = graded()
    started = time.perf_counter()
    entries = (
        Entry(f"student {number:04}", stored.load(combined(reports, number))) for number in range(size)
    )
    comparison = Comparison(table(entries), title=f"hw2: {size} submissions")
    page = document(comparison.as_dict())
    print(f"made in {time.perf_counter() - started:.1f} s (the recombining included)")
    return page


def measure(file: Path) -> None:
    """Print size and times; the clock runs from the call to the page's own word that it is ready."""
    from playwright.sync_api import sync_playwright

    print(f"size {file.stat().st_size / 1e6:.2f} MB")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        started = time.perf_counter()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        print(f"open {time.perf_counter() - started:.2f} s")
        for name, act in {
            "sort": lambda: page.click("#table th:nth-child(2) button"),
            "filter by name": lambda: page.fill("#search", "student 00"),
            "filter by check": lambda: page.select_option("#check", index=40),
            "heat map": lambda: page.click("#zoom"),
        }.items():
            started = time.perf_counter()
            act()
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
            print(f"{name} {time.perf_counter() - started:.2f} s")
        print(f"console: {problems or 'nothing'}")
        browser.close()


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        file = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "class.html"
        file.write_text(build(size), encoding="utf-8")
        measure(file.resolve())


if __name__ == "__main__":
    main()
