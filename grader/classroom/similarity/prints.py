"""Fingerprints of what was written, by copydetect: names, comments and layout do not count.

copydetect writes code with one letter for each name and without comments, and hashes all its stretches of
`LENGTH` characters. Its winnowing (keeping the least hash of each window) is left out: Python's hashes of
text differ from run to run, and so would what is kept. A submission's prints are those of its functions
together, so that their order does not matter.

Why copydetect: it is a library (tokens by pygments, boilerplate, places of the matches), pure Python of the
MIT license, for 3.7 and later. compare50 is newer, but pins attrs below 21, which Hypothesis refuses, and is
GPL; Dolos and JPlag need node and Java; MOSS sends the code to a server.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from grader.classroom.similarity.pieces import Piece
from grader.errors import UsageError

if TYPE_CHECKING:
    from copydetect import CodeFingerprint

LENGTH = 20
MISSING = "similarity needs a library: pip install 'needle-grader[similarity]'"


@dataclass
class Prints:
    """One submission: `hashes` are distinct, `places` those of each piece, `size` how many there are."""

    name: str
    pieces: Sequence[Piece]
    hashes: np.ndarray
    by_piece: list[CodeFingerprint] = field(repr=False)

    @property
    def size(self) -> int:
        """Return how many distinct stretches there are."""
        return len(self.hashes)


def require() -> None:
    """Raise `UsageError` where the library is missing."""
    try:
        import copydetect  # noqa: F401
    except ImportError:
        raise UsageError(MISSING) from None


def printed(name: str, written: Sequence[Piece], boilerplate: Iterable[int] = ()) -> Prints:
    """Return the fingerprints of a submission, without those of the scaffold."""
    given = set(boilerplate)
    found = [_of(piece, given) for piece in written]
    mine: set[int] = set().union(*(one.hashes for one in found)) if found else set()
    return Prints(name, written, np.sort(np.fromiter(mine, np.int64, len(mine))), found)


def hashes(written: Sequence[Piece]) -> set[int]:
    """Return the distinct hashes of some code, for what every submission has by itself."""
    return set(printed("", written).hashes.tolist())


def _of(piece: Piece, given: set[int]) -> CodeFingerprint:
    from copydetect import CodeFingerprint

    language = "cpp" if piece.file.endswith((".cpp", ".cc", ".h")) else "python"
    made = CodeFingerprint(piece.file, LENGTH, 1, language=language, fp=io.StringIO(piece.text + "\n"))
    made.hashes = {int(one) for one in made.hashes} - given
    made.hash_idx = {int(one): places for one, places in made.hash_idx.items() if int(one) in made.hashes}
    return made
