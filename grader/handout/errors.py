"""The error of this room."""

from grader.errors import UsageError


class HandoutError(UsageError):
    """One line for a person: the file, what is wrong with it, and the next step."""
