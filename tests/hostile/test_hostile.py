"""Nothing is gained, nothing is left, and the report stands, whatever a submission does."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.attack import Attack
from tests.hostile.bench import CHECK_SECONDS, Bench, Outcome, ordinary
from tests.hostile.levels import (
    AS_ROOT,
    EVERYTHING,
    FULL,
    IS_ROOT,
    LEVELS,
    LEVELS_OF_OTHERS,
    OFFERED,
    ORDINARY,
    PROCESS_ONLY,
    Level,
)
from tests.hostile.probes import PROBES
from tests.hostile.processes import PROCESS
from tests.hostile.results import RESULTS
from tests.hostile.sources import READING
from tests.hostile.system import SYSTEM

pytestmark = pytest.mark.skipif(not OFFERED, reason="the machine lacks Landlock or seccomp")
ATTACKS = [*RESULTS, *PROBES, *PROCESS, *SYSTEM, *READING]
# one or two of each kind, where nothing of the kernel's holds; fewer at the levels between
QUICK = [
    "exit-call",
    "nonce",
    "equal-object",
    "patched-numpy",
    "deaf-loop",
    "forks",
    "daemon",
    "kill-parents",
    "read-reference",
    "forge",
    "disk",
    "shm",
    "sysv-shm",
    "own-source",
    "late-thread",
]
FEW = [
    "exit-call",
    "read-reference",
    "forge",
    "kill-parents",
    "daemon",
    "disk",
    "forks",
    "fcntl-kill",
]
SLACK = 1.5  # of seconds: a process more to be started, a machine that does other things


def chosen(level: Level, names: list[str]) -> list[Attack]:
    """The attacks that are run at a level, by the user that runs the tests."""
    if EVERYTHING or level is FULL:
        return ATTACKS
    return [one for one in ATTACKS if one.id in names]


CASES = [
    pytest.param(attack, level, id=f"{level.id}-{attack.id}")
    for level in LEVELS
    for attack in chosen(level, QUICK if level is PROCESS_ONLY else FEW)
]
ORDINARY_CASES = [
    pytest.param(attack, level, id=f"{level.id}-{attack.id}")
    for level in (LEVELS_OF_OTHERS if EVERYTHING else [FULL, PROCESS_ONLY])
    for attack in ATTACKS
    if EVERYTHING or attack.id in FEW
]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """A driver as this user."""
    with Bench() as one:
        yield one


@pytest.fixture(scope="module")
def ordinary_bench() -> Iterator[Bench]:
    """A driver as an ordinary user, where root runs these tests and there is one."""
    if not IS_ROOT:
        pytest.skip("only root runs things as another user")
    with tempfile.TemporaryDirectory() as folder:
        found = ordinary(ORDINARY, Path(folder))
        if found is None:
            pytest.skip(f"no user {ORDINARY}, or no Python that this user can run")
        with found:
            yield found


@pytest.mark.parametrize(("attack", "level"), CASES)
def test_attack(attack: Attack, level: Level, bench: Bench) -> None:
    """As the user that runs the tests: root, whose workers are another user, or an ordinary one."""
    judge(attack, level, bench)


@pytest.mark.skipif(not IS_ROOT, reason="only root can stay root")
@pytest.mark.parametrize("attack", chosen(AS_ROOT, FEW), ids=lambda attack: attack.id)
def test_attack_as_root(attack: Attack, bench: Bench) -> None:
    """By a worker that stays root."""
    judge(attack, AS_ROOT, bench)


@pytest.mark.parametrize(("attack", "level"), ORDINARY_CASES)
def test_attack_as_an_ordinary_user(attack: Attack, level: Level, ordinary_bench: Bench) -> None:
    """By a worker that is the same user as its grader."""
    judge(attack, level, ordinary_bench)


def judge(attack: Attack, level: Level, bench: Bench) -> None:
    """Grade with and without the attack and compare; or see that the level is refused."""
    outcome = bench.run(attack, level)
    if not level.lost.isdisjoint(attack.held_by):
        refused = bench.run(attack, level, "full")
        assert (refused.code, refused.report, refused.left) == (3, None, [])
        assert "SECURITY.md" in refused.text
        return
    assert outcome.left == []
    if attack.refused:
        assert (outcome.code, outcome.report) == (2, None)
        return
    honest = bench.honest(attack, level)
    assert outcome.code == 0, outcome.text
    assert_valid(outcome, level, honest)
    assert outcome.passed() - honest.passed() == set()
    assert outcome.report is not None and honest.report is not None
    assert outcome.report["score"] <= honest.report["score"]
    assert [text for text in attack.hides if text in outcome.text] == []
    assert_in_time(attack, level, bench, outcome, honest)


def assert_valid(outcome: Outcome, level: Level, honest: Outcome) -> None:
    """The report is whole and names the level; no fault of the grader's own is in it."""
    assert outcome.report is not None
    assert outcome.report["complete"] is True
    assert outcome.report["confinement"]["level"] == level.named
    assert [one["id"] for one in outcome.checks()] == [one["id"] for one in honest.checks()]
    assert [one for one in outcome.checks() if "grader_fault" in one["measurements"]] == []


def assert_in_time(attack: Attack, level: Level, bench: Bench, outcome: Outcome, honest: Outcome) -> None:
    """Within three times the honest run and the limit of a check; measured once more if the machine is busy."""
    if outcome.seconds > 3 * honest.seconds + CHECK_SECONDS + SLACK:
        honest = bench.honest(attack, level, again=True)
        outcome = bench.run(attack, level)
    assert outcome.seconds <= 3 * honest.seconds + CHECK_SECONDS + SLACK


def test_the_whole_list_is_here() -> None:
    """Each of the sixty entries but the two of other files, fifteen of our own, no name twice."""
    numbers = {attack.number for attack in ATTACKS}
    assert set(range(1, 61)) - numbers == {57, 60}  # test_hidden.py
    assert len([one for one in ATTACKS if one.number == 0]) >= 15
    assert len({one.id for one in ATTACKS}) == len(ATTACKS)
    assert set(QUICK) | set(FEW) <= {one.id for one in ATTACKS}
