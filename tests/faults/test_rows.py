"""Every row of the fault table has a fixture, and the fixture costs what the row says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bank import hw0 as bank_hw0
from tests.bank import hw1 as bank_hw1
from tests.bank import hw2 as bank_hw2
from tests.faults import hw0, hw1, hw2
from tests.faults.model import Fault
from tests.faults.rows import POINTS, ROWS, Row
from tests.homework.planted import PLANTED
from tests.homework.test_nn_programs import PROGRAMS

FAULTS = {
    place: {fault.id: fault for fault in module.FAULTS}
    for place, module in (("hw0", hw0), ("hw1", hw1), ("hw2", hw2))
}
PLACES = {
    **FAULTS,
    "planted": {fault.id: fault for fault in PLANTED},
    "programs": {program.name.replace(" ", "-"): program for program in PROGRAMS},
    "bank_hw0": {style.name: style for style in bank_hw0.STYLES},
    "bank_hw1": {style.name: style for style in bank_hw1.STYLES},
    "bank_hw2": {style.name: style for style in bank_hw2.STYLES},
}
TESTS = Path(__file__).parents[1]


def exists(fixture: str) -> bool:
    """Whether a fixture is where the row says."""
    place, id_ = fixture.split(":", 1)
    if place == "test":
        file, function = id_.split("::")
        return f"def {function}(" in (TESTS / file).read_text(encoding="utf-8")
    return id_ in PLACES[place]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_row_has_its_fixtures(row: Row) -> None:
    """Each fixture exists, and there is one at least."""
    assert row.fixtures
    assert [fixture for fixture in row.fixtures if not exists(fixture)] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_fixtures_cost_what_the_row_says(row: Row) -> None:
    """Points are lost for what costs points, and for nothing else."""
    found = [FAULTS.get(place, {}).get(id_) for place, id_ in (one.split(":", 1) for one in row.fixtures)]

    for fault in found:
        if fault is not None:
            assert loses_points(fault) == (row.costs == POINTS), fault.id


def loses_points(fault: Fault) -> bool:
    """Whether the fault costs anything beyond hw0's extension, which those fixtures leave out."""
    left_out = hw0.CPP in fault.files and fault.files[hw0.CPP] == hw0.NO_CPP
    return fault.expect.points_lost and not (left_out and fault.expect.score == 0.8)


def test_ids_are_unique() -> None:
    """No two rows share an id."""
    ids = [row.id for row in ROWS]

    assert len(ids) == len(set(ids))


def test_every_fault_of_hw2_has_a_row() -> None:
    """A fixture that no row asks for is a row that was forgotten."""
    listed = {fixture for row in ROWS for fixture in row.fixtures}

    assert {f"hw2:{fault.id}" for fault in hw2.FAULTS} - listed <= OTHERS


OTHERS = {"hw2:sgd-none"}
