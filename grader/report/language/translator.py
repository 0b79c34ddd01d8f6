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
LONGEST = 1500  # characters; no sentence of ours is longer
MOST_TRIES = 400  # comparisons that fit, for one sentence: a submission's text must not cost seconds
DEEPEST = 6
# less than a word: what is not translated at all, a clause where a name belongs, a word that may be a name
ANY, CLAUSE, MAYBE_NAME = 0.9, 0.25, 0.3
IS_CLAUSE = re.compile(r" (?:is|are|has|have|does|makes) |, expected |; ")
DROPPED, LOST = re.compile(r"[a-z]*"), 100  # a word such as "is" may be left out, nothing else
NAME = re.compile(r"[A-Za-z_][\w.]*")
MAYBE = re.compile(r"(?!(?:and|are|at|by|for|from|in|is|it|its|no|not|of|on|or|the|this|to|with)$)\S+")
OF_NAME = re.compile(r"^([A-Za-z_][\w.]*): (?=[\w.]+$)")
# English as it is written in sentences: not in backticks, not a part of a name, a call, a number or a path.
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
WORD = re.compile(r"(?<![\w.=*/\\\[(-])(?:[a-z]{2,}|an?(?= [A-Za-z]))(?![\w.=*/\\\[(-])")
OF_CODE = (
    "axes axis batch beta bias bool bytes dict dim dtype epoch eps eval exp float gain hidden homework "
    "hw inf init int list log logits lr max mean model momentum nan ndarray norm numpy object "
    "opt padding python relu seed shuffle softmax str sum theta train tuple weight"
)
NAMES = frozenset(OF_CODE.split())
SEAM = re.compile(r"[\u4e00-\u9fff][\w`(\[-]|[\w`)\]%][\u4e00-\u9fff]", re.ASCII)
LOWER = re.compile(r"\b[a-z]{2,}\b")
WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\u3000-\u303f]")


class Chinese(Speaker):
    """Says sentences in Simplified Chinese, in English where the catalogue has none."""

    code = CHINESE

    def __init__(self, sentences: dict[str, str]) -> None:
        self.by_shape = {catalogue.shape(one): catalogue.entry(one, said) for one, said in sentences.items()}
        self.plain = {one: said for one, said in sentences.items() if not catalogue.FIELD.search(one)}
        templates = [one for one in self.by_shape.values() if one.fields and one.words]
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
        if len(english) > LONGEST:
            return self.text(english[:LONGEST]) + english[LONGEST:]
        if english not in self.known:
            if len(self.known) > 5000:
                self.known.clear()
            self.known[english] = self._parsed(english)
        return self.known[english]

    def _parsed(self, english: str) -> str:
        said = _Parse(self).best(english)[1]
        bare = english.strip()
        return said if said != english or bare == english else english.replace(bare, self.text(bare))


class _Parse:
    """One sentence: what its parts cost in English words, each part looked at once."""

    def __init__(self, speaker: Chinese) -> None:
        self.speaker = speaker
        self.seen: dict[str, tuple[float, str]] = {}
        self.tries = 0

    def best(self, text: str, depth: int = 0, *, alone: bool = True) -> tuple[float, str]:
        """Return the number of English words left and the text; a word that stands `alone` may be a label."""
        said = self.speaker.plain.get(text)
        if said is not None and (alone or " " in text):
            return 0, said
        cost: float = english_words(text)
        if not cost and depth:
            return 0, OF_NAME.sub(r"\1：", text)
        if not LOWER.search(text) or depth > DEEPEST:
            return cost, text
        if text not in self.seen:
            self.seen[text] = cost, text  # for a text that leads back to itself
            self.seen[text] = self._of_a_function(text, depth) or self._templates(text, depth, cost)
        return self.seen[text]

    def _of_a_function(self, text: str, depth: int) -> tuple[float, str] | None:
        """Return a name and what is said of it, as most messages are made, if that is known as a whole."""
        name, joint, rest = text.partition(": ")
        if not joint or not NAME.fullmatch(name):
            return None
        cost, said = self.best(rest, depth + 1)
        return (cost, f"{name}：{said}") if cost < 1 and said != rest else None

    def _templates(self, text: str, depth: int, words: float) -> tuple[float, str]:
        found = max(words, ANY), text  # a line of names only can be a sentence too
        for longest, entry in self.speaker.templates:
            if longest not in text:
                continue
            for values in entry.matches(text):
                self.tries += 1
                if text in values or self.tries > MOST_TRIES:
                    break
                cost, parts = self._fields(entry, values, depth + 1)
                if cost < found[0] and (cost < 1 or entry.words > 1):
                    found = cost, joined(entry, parts)
            if not found[0] or self.tries > MOST_TRIES:
                return found
        return self._split(text, depth, found) if words and found[0] else found

    def _fields(self, entry: Entry, values: list[str], depth: int) -> tuple[float, list[str]]:
        """Return the cost of the fields that the translation uses, and their texts."""
        total: float = 0
        parts = []
        for number, value in enumerate(values):
            if number in entry.verbatim:
                cost, said = 0.0, value
            else:
                cost, said = self.best(value, depth)
                cost = MAYBE_NAME if cost and MAYBE.fullmatch(value) else cost
                cost += CLAUSE if IS_CLAUSE.search(value) and not entry.holds_clauses(number) else 0
            if number not in entry.order and value != values[entry.fields.index(entry.fields[number])]:
                cost = LOST
            elif number not in entry.order and entry.fields.index(entry.fields[number]) == number:
                cost = 0 if DROPPED.fullmatch(value) else LOST
            total += cost
            parts.append(said)
        return total, parts

    def _split(self, text: str, depth: int, found: tuple[float, str]) -> tuple[float, str]:
        """Try the text as two sentences with a joint between them, then as a name and what is said of it."""
        for joint, wide in (*JOINTS, (" ", " ")):
            start = text.find(joint)
            while start >= 0 and found[0] and self.tries <= MOST_TRIES:
                self.tries += 1
                left = self.best(text[:start], depth + 1, alone=False)
                right = self.best(text[start + len(joint) :], depth + 1, alone=False)
                cost = left[0] + right[0]
                if cost < found[0] and (cost < 1 or joint != " "):
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
    """Join two texts: one space between a Chinese character and a Latin one, none between two Chinese."""
    if left.endswith(" ") and WIDE.match(left[-2:-1]) and WIDE.match(right[:1]):
        return left[:-1] + right
    if right.startswith(" ") and WIDE.match(left[-1:]) and WIDE.match(right[1:2]):
        return left + right[1:]
    seam = left[-1:] + right[:1]
    return f"{left} {right}" if SEAM.fullmatch(seam) else left + right


@lru_cache(maxsize=1)
def chinese() -> Chinese:
    """Return the one speaker of Chinese, its catalogue read once."""
    return Chinese(catalogue.read(catalogue.file().read_text(encoding="utf-8")))
