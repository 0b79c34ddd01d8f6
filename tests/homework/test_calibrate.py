"""The budgets are what reference/ needs now, right solutions keep them, and a node per axis does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import calibrate, cli, places
from grader.classroom.grade import grade
from grader.homework import budgets
from grader.homework.budgets import Figure
from tests.bank import hw1, hw2
from tests.bank.style import Style
from tests.faults.hw1_ops import BROADCAST_NODE_PER_AXIS, DIARY_AFTER, DIARY_BEFORE
from tests.support import build

BANK = [("hw1", style) for style in hw1.STYLES] + [("hw2", style) for style in hw2.STYLES]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the budgets that a test may change."""
    copy = tmp_path / "budgets.json"
    copy.write_bytes(budgets.FILE.read_bytes())
    monkeypatch.setattr(budgets, "FILE", copy)
    budgets.load.cache_clear()
    yield copy
    budgets.load.cache_clear()


def test_budgets_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    """What is recorded is what reference/ needs."""
    code = cli.main(["calibrate", "--check"])

    assert capsys.readouterr().out == "the budgets are up to date\n"
    assert code == 0


def test_stale_budgets_are_said_and_mended(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per entry that is not right, exit code 1; `calibrate` writes the file as it was."""
    before = elsewhere.read_bytes()
    known = json.loads(before)
    known["gradient.Exp"] = {"reference": 2, "least": 1, "greatest": 2, "budget": 5}
    known["gradient.Gone"] = known["gradient.Log"]
    del known["gradient.Log"]
    elsewhere.write_text(json.dumps(known), encoding="utf-8")

    code = cli.main(["calibrate", "--check"])

    assert code == 1
    assert capsys.readouterr().out.splitlines() == [
        "gradient.Exp: reference/ needs 1, not 2: the budget is 3, not 5",
        "gradient.Gone: nothing has this name any more",
        "gradient.Log: reference/ needs 1, no budget is recorded",
    ]
    assert cli.main(["calibrate"]) == 0
    assert calibrate.stale(budgets.read(elsewhere), calibrate.measure(places.REFERENCE)) == []


def test_budgets_follow_the_rule(elsewhere: Path) -> None:
    """A budget that was changed by hand is refused."""
    known = json.loads(elsewhere.read_bytes())
    known["gradient.Log"]["budget"] += 1
    elsewhere.write_text(json.dumps(known), encoding="utf-8")

    with pytest.raises(ValueError, match=r"gradient\.Log: the budget is 4, the rule gives 3"):
        budgets.read(elsewhere)


@pytest.mark.parametrize(("homework", "style"), BANK, ids=lambda one: getattr(one, "name", one))
def test_right_solutions_lie_in_the_bands(homework: str, style: Style, tmp_path: Path) -> None:
    """Every style's figures are between the least and the greatest on record, and within the budget."""
    measured = calibrate.measure(style.build(tmp_path / style.name, homework), [homework])

    known = budgets.load()
    outside = {
        name: value
        for name, value in measured.items()
        if not known[name].least <= value <= min(known[name].greatest, known[name].budget)
    }
    assert len(measured) > 10
    assert outside == {}


@pytest.mark.parametrize(
    ("gradient", "verdict"),
    [(BROADCAST_NODE_PER_AXIS, "failed"), (DIARY_BEFORE, "failed"), (DIARY_AFTER, "passed")],
    ids=["node per axis", "diary, before", "diary, after"],
)
def test_a_node_per_axis_is_over_the_budget(gradient: str, verdict: str, tmp_path: Path) -> None:
    """Both ways to make a node per axis exceed the budget of BroadcastTo; the repaired one keeps it."""
    submission = build(tmp_path / "handed-in", "hw2", "2023", {"BroadcastTo.gradient": gradient})

    report = grade(submission, "hw2", only="optim.graph.BroadcastTo", blame=False).as_dict()

    (check,) = report["questions"][0]["checks"]
    assert check["verdict"] == verdict
    assert (check["location"] or {}).get("function") == (
        "BroadcastTo.gradient" if verdict == "failed" else None
    )


def test_bands_widen_with_the_right_and_reference_moves() -> None:
    """Without other solutions the band stays; with them it is theirs."""
    known = {"a": Figure(3, 2, 5)}

    assert calibrate.update(known, {"a": 6}) == {"a": Figure(6, 2, 6)}
    assert calibrate.update(known, {"a": 6}, [{"a": 7}, {}]) == {"a": Figure(6, 6, 7)}
    assert Figure(10, 10, 16).scale(13) == "1.3 x the reference; right solutions lie between 1.0 and 1.6"
