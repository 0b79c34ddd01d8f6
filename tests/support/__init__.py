"""Builds submissions for our tests: from the reference, in either layout, with functions replaced."""

from tests.support.builder import build, reference_function
from tests.support.splice import Solutions, read_solutions

__all__ = ["Solutions", "build", "read_solutions", "reference_function"]
