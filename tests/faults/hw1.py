"""The fault table of hw1. Add a fault by adding a row to the table of its subject."""

from tests.faults import (
    hw1_abuse,
    hw1_around,
    hw1_autograd,
    hw1_axes,
    hw1_files,
    hw1_numbers,
    hw1_ops,
    hw1_planted,
)

FAULTS = [
    *hw1_ops.FAULTS,
    *hw1_axes.FAULTS,
    *hw1_numbers.FAULTS,
    *hw1_autograd.FAULTS,
    *hw1_planted.FAULTS,
    *hw1_around.FAULTS,
    *hw1_files.FAULTS,
    *hw1_abuse.FAULTS,
]
