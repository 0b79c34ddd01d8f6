"""A gettext catalogue, and its sentences as templates that a filled-in sentence can be compared with."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("locale")
FIELD = re.compile(r"\{(\w+)\}")
LETTERS = re.compile(r"[A-Za-z]{2,}")
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
        entries[-1][part] += ast.literal_eval(found[2])
    return {one["msgid"]: one["msgstr"] for one in entries if one["msgid"] and one["msgstr"]}


def shape(template: str) -> str:
    """Return a template without the names of its fields: what stays when a variable is renamed."""
    return FIELD.sub("{}", template)


@dataclass(frozen=True)
class Entry:
    """A template as the fixed texts around its fields, and its translation.

    `fixed` has one item more than `fields`; `order` is the translation: fixed texts and field numbers.
    """

    fixed: tuple[str, ...]
    fields: tuple[str, ...]
    order: tuple[str | int, ...]

    @property
    def weight(self) -> int:
        """Return how many letters are fixed: the more, the less it matches by chance."""
        return sum(map(len, self.fixed))

    @property
    def words(self) -> int:
        """Return how many words are fixed: with one alone a template is no sign of whose sentence it is."""
        return sum(len(LETTERS.findall(piece)) for piece in self.fixed)

    def match(self, text: str) -> list[str] | None:
        """Return the values of the fields, each as short as can be from the left; linear in the text."""
        first, *rest = self.fixed
        if not text.startswith(first):
            return None
        if not rest:
            return [] if text == first else None
        values, start = [], len(first)
        for piece in rest[:-1]:
            at = text.find(piece, start)
            if at < 0:
                return None
            values.append(text[start:at])
            start = at + len(piece)
        end = len(text) - len(rest[-1])
        if end < start or not text.endswith(rest[-1]):
            return None
        return [*values, text[start:end]]


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
    return Entry(tuple(fixed), tuple(fields), tuple(order))
