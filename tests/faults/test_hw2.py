"""Each fault of hw2 costs what it should cost, and the report names what must be named."""

from pathlib import Path

import pytest

from grader.classroom.grade import grade
from grader.sandbox.limits import Limits
from tests.faults.hw2 import FAULTS
from tests.faults.model import Fault, differences


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_fault_is_reported(fault: Fault, tmp_path: Path) -> None:
    """The report of a faulty submission is as the fault's row expects."""
    submission = fault.build(tmp_path, "hw2")
    limits = Limits(check_seconds=fault.seconds)

    report = grade(submission, "hw2", seed=0, limits=limits).as_dict()

    assert differences(report, fault.expect) == []


def test_ids_are_unique() -> None:
    """No two faults share an id, so that a failing test names one fault."""
    ids = [fault.id for fault in FAULTS]

    assert len(ids) == len(set(ids))
