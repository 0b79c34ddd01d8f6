"""Puts sentences into Chinese: those of a renderer by their template, any others by comparing them with all.

A sentence in a report is whole, its fields filled in, and a field can hold a sentence of another template.
So it is parsed: of all templates that fit, the one is taken that leaves the fewest English words.
Nothing here looks inside what a submission said: what fits no template stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from grader.report.language import CHINESE, Speaker, catalogue
from grader.report.language.catalogue import Entry

JOINTS = (("; ", "；"), (": ", "："), (", ", "，"), (" / ", " / "))
LONGEST = 1500  # characters; a longer text is nobody's sentence
MOST_TRIES = 400  # comparisons that fit, for one sentence: a submission's text must not cost seconds
DEEPEST = 6
# English as it is written in sentences: not in backticks, not a part of a name, a call, a number or a path.
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
WORD = re.compile(r"(?<![\w.=*/\\\[(-])[a-z]{2,}(?![\w.=*/\\\[(-])")
OF_CODE = (
    "axes axis beta bias bool bytes dict dtype eps float gain hw init int list lr momentum numpy object "
    "padding python str theta tuple weight"
)
NAMES = frozenset(OF_CODE.split())
WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\u3000-\u303f]")


class Chinese(Speaker):
    """Says sentences in Simplified Chinese, in English where the catalogue has none."""

    code = CHINESE

    def __init__(self, sentences: dict[str, str]) -> None:
        self.by_shape = {catalogue.shape(one): catalogue.entry(one, said) for one, said in sentences.items()}
        self.plain = {one: said for one, said in sentences.items() if not catalogue.FIELD.search(one)}
        templates = [catalogue.entry(one, said) for one, said in sentences.items() if one not in self.plain]
        templates.sort(key=lambda one: -one.weight)
        self.templates = [(max(one.fixed, key=len), one) for one in templates]
        self.known: dict[str, str] = {}

    def __call__(self, template: str, **values: object) -> str:
        """Return the translation with the values filled in as they are."""
        entry = self.by_shape.get(catalogue.shape(template))
        if entry is None:
            return template.format(**values)
        names = catalogue.FIELD.findall(template)
        given = [str(values[name]) for name in names]
        return joined(entry, ["", *given] if len(entry.fields) > len(names) else given)

    def text(self, english: str) -> str:
        """Return a filled-in sentence in Chinese as far as the catalogue goes."""
        if english not in self.known:
            if len(self.known) > 5000:
                self.known.clear()
            self.known[english] = _Parse(self).best(english)[1] if len(english) <= LONGEST else english
        return self.known[english]


class _Parse:
    """One sentence: what its parts cost in English words, each part looked at once."""

    def __init__(self, speaker: Chinese) -> None:
        self.speaker = speaker
        self.seen: dict[str, tuple[int, str]] = {}
        self.tries = 0

    def best(self, text: str, depth: int = 0) -> tuple[int, str]:
        """Return the number of English words left and the text."""
        said = self.speaker.plain.get(text)
        if said is not None and (
            not depth or " " in text
        ):  # a lone word is a label, and no part of a sentence
            return 0, said
        cost = english_words(text)
        if not cost or depth > DEEPEST:
            return cost, text
        if text not in self.seen:
            self.seen[text] = cost, text  # for a text that leads back to itself
            self.seen[text] = self._templates(text, depth, (cost, text))
        return self.seen[text]

    def _templates(self, text: str, depth: int, found: tuple[int, str]) -> tuple[int, str]:
        for longest, entry in self.speaker.templates:
            if longest not in text:
                continue
            values = entry.match(text)
            if values is None or text in values:
                continue
            self.tries += 1
            if self.tries > MOST_TRIES:
                return found
            parts = [self.best(value, depth + 1) for value in values]
            cost = sum(one for number, (one, _) in enumerate(parts) if number in entry.order)
            if cost < found[0] and (not cost or entry.words > 1):
                found = cost, joined(entry, [said for _, said in parts])
            if not cost:
                return found
        return self._split(text, depth, found)

    def _split(self, text: str, depth: int, found: tuple[int, str]) -> tuple[int, str]:
        """Try the text as two sentences with a joint between them, then as a name and what is said of it."""
        for joint, wide in (*JOINTS, (" ", " ")):
            start = text.find(joint)
            while start >= 0 and found[0] and self.tries <= MOST_TRIES:
                self.tries += 1
                left = self.best(text[:start], depth + 1)
                right = self.best(text[start + len(joint) :], depth + 1)
                cost = left[0] + right[0]
                if cost < found[0] and (not cost or joint != " "):
                    found = cost, _meet(_meet(left[1], wide), right[1])
                start = text.find(joint, start + 1) if joint != " " else -1
        return found


def english_words(text: str) -> int:
    """Return how many words of a text read as English, and not as code, a name or a number."""
    return sum(word not in NAMES for word in WORD.findall(QUOTED.sub("", text)))


def joined(entry: Entry, values: list[str]) -> str:
    """Return the translation with its fields filled in; no space stays between two Chinese characters."""
    text = ""
    for piece in entry.order:
        text = _meet(text, values[piece] if isinstance(piece, int) else piece)
    return text


def _meet(left: str, right: str) -> str:
    """Join two texts: a space at the seam is for Latin letters beside Chinese ones."""
    if left.endswith(" ") and WIDE.match(left[-2:-1]) and WIDE.match(right[:1]):
        return left[:-1] + right
    if right.startswith(" ") and WIDE.match(left[-1:]) and WIDE.match(right[1:2]):
        return left + right[1:]
    return left + right


@lru_cache(maxsize=1)
def chinese() -> Chinese:
    """Return the one speaker of Chinese, its catalogue read once."""
    return Chinese(catalogue.read(catalogue.file().read_text(encoding="utf-8")))
