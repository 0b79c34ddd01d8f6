"""CSV that no spreadsheet runs, figures of the scores, and what changed between two gradings."""

from __future__ import annotations

import csv
import io
import statistics

import pytest

from grader.classroom.compare import tables
from grader.classroom.compare.changes import changes
from grader.classroom.compare.gather import Comparison
from grader.classroom.compare.rows import table
from grader.classroom.compare.spread import spread
from grader.classroom.compare.work import work_of
from grader.homework import budgets
from tests.compare.people import CLASS_WIDE, Planted, entry, many, person

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "=cmd|' /C calc'!A0")


@pytest.mark.parametrize("name", FORMULAS)
def test_text_that_looks_like_a_formula_is_text(name: str) -> None:
    """In both tables a cell of text begins with nothing that a spreadsheet runs."""
    fault = Planted(name, "nn.nn0.forward", f"{name} is wrong")
    made = table([entry(name, fault)])
    found = Comparison(made)

    cells = [cell for text in (tables.wide(made, found.mistakes), tables.long(made)) for cell in _cells(text)]

    assert not [
        cell for cell in cells if cell.lstrip().startswith(("=", "+", "-", "@")) or cell[:1] in ("\t", "\r")
    ]
    assert any(name.strip() in cell for cell in cells)


def _cells(text: str) -> list[str]:
    return [cell for line in csv.reader(io.StringIO(text, newline="")) for cell in line]


def test_the_wide_table_has_a_line_for_each_submission() -> None:
    """Scores, points of each question and a verdict for each check stand in their columns."""
    made = table([entry("a", CLASS_WIDE[0]), entry("b")])

    first, second = csv.DictReader(io.StringIO(tables.wide(made, Comparison(made).mistakes)))

    assert (first["student"], second["student"]) == ("a", "b")
    assert float(second["score"]) == 168.0
    assert float(first["points nn"]) == 27.0
    assert (first["nn.nn0.forward"], second["nn.nn0.forward"]) == ("failed", "passed")
    assert first["mistakes"] == "nn0.forward"


def test_the_long_table_has_a_line_for_each_check() -> None:
    """168 checks of each of two submissions, with what they say."""
    lines = list(csv.DictReader(io.StringIO(tables.long(table([entry("a", CLASS_WIDE[0]), entry("b")])))))
    failed = next(line for line in lines if line["check"] == "nn.nn0.forward")

    assert len(lines) == 2 * 168
    assert (failed["verdict"], failed["message"]) == ("failed", "nn0: mistake number 0")


def test_figures_of_the_scores() -> None:
    """They are those of the standard library."""
    scores = [3.0, 10.0, 7.5, 10.0, 1.0, 8.0]

    found = spread(scores, 10.0)

    assert (found.count, found.low, found.high, found.full) == (6, 1.0, 10.0, 2)
    assert (found.mean, found.median) == (round(statistics.fmean(scores), 2), statistics.median(scores))
    assert spread([4.0], 10.0).three_quarters == 4.0
    assert spread([], 10.0).count == 0


NEW = {"grader": "0.2.0", "python": "3.11.7", "numpy": "2.1.0", "platform": "linux"}


@pytest.mark.parametrize(
    ("old", "new", "causes"),
    [
        ({"content": "a"}, {"content": "b"}, ("code",)),
        ({"content": "a"}, {"content": "a", "environment": NEW}, ("grader (version 0.1.0 -> 0.2.0)",)),
        ({"content": "a"}, {"content": "a", "shown_seed": 7}, ("seed (seed 0 -> 7)",)),
        ({"content": "a"}, {"content": "a"}, ("nothing that was recorded",)),
        ({}, {}, ("perhaps the code (a report does not hold it)",)),
        (
            {"content": "a"},
            {"content": "b", "environment": {**NEW, "numpy": "1.26.4"}},
            ("code", "grader (version 0.1.0 -> 0.2.0)", "environment (numpy 2.1.0 -> 1.26.4)"),
        ),
    ],
    ids=["code", "grader", "seed", "nothing", "unknown", "several"],
)
def test_a_change_has_its_causes(old: dict, new: dict, causes: tuple[str, ...]) -> None:
    """All that differs and can have changed a verdict is named, and nothing else."""
    before, after = table([entry("a", CLASS_WIDE[0], **old)]), table([entry("a", CLASS_WIDE[9], **new)])

    (found,) = changes(before.rows, after.rows)

    assert found.causes == causes


def test_checks_go_up_down_or_stay() -> None:
    """One mended, one broken, the others the same; who is in one run only is not compared."""
    before = table([entry("a", CLASS_WIDE[10]), entry("gone")])
    after = table([entry("new"), entry("a", CLASS_WIDE[9])])

    (found,) = changes(before.rows, after.rows)

    assert [(step.check, step.way) for step in found.steps] == [
        ("optim.optim0.forward", "down"),
        ("optim.optim1.graph", "up"),
    ]
    assert (found.old, found.new, found.same) == (0, 1, 166)


def test_texts_and_failures_stand_once() -> None:
    """What many have in common is in the data once: each text, and each failure."""
    entries, _ = many(120)
    data = Comparison(table(entries)).as_dict()

    assert len(set(data["strings"])) == len(data["strings"])
    assert len(set(map(tuple, data["failures"]))) == len(data["failures"])
    assert all(len(word) == len(data["checks"]) for word in data["cells"])
    assert sum(len(flat) // 2 for flat in data["failed"]) == sum(
        letter != "p" for word in data["cells"] for letter in word
    )


def test_nodes_are_held_against_the_reference() -> None:
    """A training step's nodes where they were measured; else those of the gradients, by the calibrated budgets."""
    step = {
        name: {"value": value, "reference": reference}
        for name, value, reference in (
            ("forward_nodes", 20, 10),
            ("backward_nodes", 30, 20),
            ("step_nodes", 50, 70),
        )
    }
    trained = person("a")
    trained.questions[0].checks[0].measurements = {**step, "live_nodes": {"value": 46, "reference": 46}}
    written = person("b")
    for place, (name, nodes) in enumerate({"backward.MatMul.graph": 9, "backward.Exp.graph": 1}.items()):
        written.questions[0].checks[place].id = name
        written.questions[0].checks[place].measurements = {"nodes": nodes, "budget": 11}
    calibrated = budgets.load()

    assert (work_of(trained).nodes, work_of(trained).reference, work_of(trained).alive) == (
        100.0,
        100.0,
        46.0,
    )
    assert (work_of(written).nodes, work_of(written).reference) == (
        10.0,
        calibrated["gradient.MatMul"].reference + calibrated["gradient.Exp"].reference,
    )
    assert work_of(person("c")).nodes is None
