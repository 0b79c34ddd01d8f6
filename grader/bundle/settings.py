"""What a course decides when it makes a bundle; the bundle carries it as JSON, without the secret itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from grader.sandbox.level import FULL


@dataclass(frozen=True)
class Settings:
    """How a bundle grades: least confinement, seconds for one run, and whether there is a second, secret one.

    `visibility` is when a student sees the secret run's checks, in Gradescope's words.
    """

    homework: str
    sandbox: str = FULL
    seconds: int = 240
    follow_through: bool = False
    secret: bool = False
    visibility: str = "after_published"

    def dumps(self) -> str:
        """Return the settings as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def loads(cls, text: str) -> Settings:
        """Return the settings that `dumps` has written."""
        return cls(**json.loads(text))

    @property
    def words(self) -> list[str]:
        """Return the options of a grading run."""
        return ["--require-sandbox", self.sandbox, *(["--follow-through"] if self.follow_through else [])]

    @property
    def whole_seconds(self) -> int:
        """Return the time after which everything is ended: all runs, and what is around them."""
        return self.seconds * (2 if self.secret else 1) + 60
