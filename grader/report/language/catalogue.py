"""A gettext catalogue, and its sentences as templates that a filled-in sentence can be compared with."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("locale")
FIELD = re.compile(r"\{(\w+)\}")
ERROR = re.compile(r"(?:raised|import:) \{\w+\}: \{(\w+)\}")  # the class of an exception and its text
PUNCTUATION = (":", ";", ",", " (")
NUMERIC, NUMBER = ("count", "number", "line"), re.compile(r"[\d,.]+")
LETTERS = re.compile(r"[A-Za-z]+")
LINE = re.compile(r'^(?:(msgid|msgstr)\s+)?(".*")$')


def file(locale: str = "zh_CN") -> Path:
    """Return the catalogue of a locale."""
    return FOLDER / locale / "LC_MESSAGES" / "grader.po"


def read(text: str) -> dict[str, str]:
    """Return msgid and msgstr of every entry of a .po file, those without a translation left out.

    One kind of entry is known: no contexts, no plurals (Chinese has none).
    """
    entries: list[dict[str, str]] = []
    part = ""
    for line in text.splitlines():
        found = LINE.match(line)
        if not found:
            continue
        part = found[1] or part
        if found[1] == "msgid":
            entries.append({"msgid": "", "msgstr": ""})
        entries[-1][part] += json.loads(found[2], strict=False)
    return {one["msgid"]: one["msgstr"] for one in entries if one["msgid"] and one["msgstr"]}


def shape(template: str) -> str:
    """Return a template without the names of its fields: what stays when a variable is renamed."""
    return FIELD.sub("{}", template)


@dataclass(frozen=True)
class Entry:
    """A template as the fixed texts around its fields, and its translation.

    `fixed` has one item more than `fields`; `order` is the translation: fixed texts and field numbers.
    `verbatim` are the fields that stay as they are: names in backticks, and what Python says of an error.
    """

    fixed: tuple[str, ...]
    fields: tuple[str, ...]
    order: tuple[str | int, ...]
    verbatim: frozenset[int] = frozenset()

    @property
    def weight(self) -> int:
        """Return how many letters are fixed: the more, the less it matches by chance."""
        return sum(map(len, self.fixed))

    @property
    def words(self) -> int:
        """Return how many words are fixed: with one alone a template is no sign of whose sentence it is."""
        return sum(len(LETTERS.findall(piece)) for piece in self.fixed)

    def holds_clauses(self, number: int) -> bool:
        """Tell whether a field stands before or behind punctuation, as a whole clause would."""
        return self.fixed[number].endswith((": ", "; ", ", ")) or self.fixed[number + 1].startswith(
            PUNCTUATION
        )

    def matches(self, text: str) -> list[list[str]]:
        """Return the values of the fields, as short as can be from the left, and from the right.

        Both only where they differ. Linear in the text, whatever it holds.
        """
        first, last = self.fixed[0], self.fixed[-1]
        if len(self.fixed) == 1 or not text.startswith(first) or not text.endswith(last):
            return []
        inner, between = text[len(first) : len(text) - len(last)], self.fixed[1:-1]
        if len(first) + len(last) > len(text):
            return []
        left = _cut(inner, between)
        if left is None:
            return []
        mirrored = _cut(inner[::-1], [one[::-1] for one in reversed(between)]) or []
        right = [one[::-1] for one in reversed(mirrored)]
        return [one for one in ([left] if left == right else [left, right]) if self._counts(one)]

    def _counts(self, values: list[str]) -> bool:
        """Tell whether there is a number where one belongs."""
        return all(
            NUMBER.fullmatch(one) for one, field in zip(values, self.fields, strict=True) if field in NUMERIC
        )


def _cut(text: str, between: Sequence[str]) -> list[str] | None:
    """Return the text cut at each of these in turn, at its first place; None if one is not there."""
    values, start = [], 0
    for piece in between:
        at = text.find(piece, start)
        if at < 0:
            return None
        values.append(text[start:at])
        start = at + len(piece)
    return [*values, text[start:]]


def entry(msgid: str, msgstr: str) -> Entry:
    """Return a catalogue's line as an entry; one that starts with a comma, say, stands amid more."""
    pieces = FIELD.split(msgid)
    fixed, fields = pieces[::2], pieces[1::2]
    wanted = FIELD.split(msgstr)
    order: list[str | int] = [fields.index(one) if i % 2 else one for i, one in enumerate(wanted)]
    if fixed[0][:1] in (" ", ",", ";", ":"):
        fixed, fields = ["", *fixed], ["(before)", *fields]
        order = [0, *(one + 1 if isinstance(one, int) else one for one in order)]
    if fixed[-1].endswith((" ", ": ", "; ")):
        order = [*order, len(fields)]
        fixed, fields = [*fixed, ""], [*fields, "(behind)"]
    kept = {fields.index(one) for one in ERROR.findall(msgid)}
    kept |= {i for i, one in enumerate(fixed[:-1]) if one.endswith("`") and fixed[i + 1].startswith("`")}
    return Entry(tuple(fixed), tuple(fields), tuple(order), frozenset(kept))
