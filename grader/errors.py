"""The errors a person meets, each with the exit code of the command line.

GraderError
├── UsageError    wrong words, or a submission that cannot be read     exit 2
└── NotGraded     a requirement is unmet, or the grader itself failed   exit 3
"""


class GraderError(Exception):
    """One line for a person: what happened, where, and what to do next."""

    exit_code = 3


class UsageError(GraderError):
    """Raised for wrong words on the command line and for submissions that cannot be read."""

    exit_code = 2


class NotGraded(GraderError):
    """Raised when no grade can be given: no worker starts, or the sandbox asked for is not there."""

    exit_code = 3
