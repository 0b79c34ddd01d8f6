"""What students receive: `hw0/ hw1/ hw2/` made from `reference/`, and hw1 carried over into hw2."""

from grader.handout.errors import HandoutError
from grader.handout.generate import check, generate, write
from grader.handout.start import StartResult, start

__all__ = ["HandoutError", "StartResult", "check", "generate", "start", "write"]
