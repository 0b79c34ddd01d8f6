"""The catalogue holds every sentence of the source, and what finds them finds what it should."""

from __future__ import annotations

import re

import pytest

from grader.report.language import catalogue, check, extract
from grader.report.language.extract import Sentence
from grader.report.language.translator import Chinese
from tests.report.language import left

TEXT = catalogue.file().read_text(encoding="utf-8")
LATIN_COMMA = re.compile(r"[\u4e00-\u9fff][,;:!?]|[,;:!?][\u4e00-\u9fff]")


def test_nothing_is_missing() -> None:
    """Each sentence of the source has a translation with its fields; none is left over or unchecked."""
    lines = check.problems(extract.sentences(), TEXT, check.here())

    assert "\n".join(lines) == ""


def test_punctuation_is_chinese() -> None:
    """Between Chinese characters stand Chinese commas."""
    assert {} == {one: said for one, said in catalogue.read(TEXT).items() if LATIN_COMMA.search(said)}


def test_reader_reads_as_babel_does() -> None:
    """The few lines that read the catalogue find in it what a library for it finds."""
    pofile = pytest.importorskip("babel.messages.pofile")
    with catalogue.file().open("rb") as file:
        expected = {one.id: one.string for one in pofile.read_po(file) if one.id and one.string}

    assert expected == catalogue.read(TEXT)


FOUND = [Sentence("{name} is wrong", "grader/a.py", 7), Sentence("two words", "grader/a.py", 9)]
GOOD = 'msgid "{word} is wrong"\nmsgstr "{word} 有错"\n\nmsgid "two words"\nmsgstr "两个词"\n'


def test_tool_brings_a_catalogue_up_to_date() -> None:
    """New sentences come in empty, old ones stay, gone ones leave; a second time changes nothing."""
    pytest.importorskip("babel")
    made = check.merged(
        [*FOUND, Sentence("a new one", "grader/b.py", 1)], GOOD + 'msgid "left over"\nmsgstr "没了"\n'
    )

    assert {"{word} is wrong": "{word} 有错", "two words": "两个词"} == catalogue.read(made)
    assert '#: grader/b.py\nmsgid "a new one"\nmsgstr ""\n' in made
    assert "left over" not in made
    assert made == check.merged([*FOUND, Sentence("a new one", "grader/b.py", 1)], made)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD, []),
        (GOOD.replace("两个词", ""), ["grader/a.py:9: not in Chinese: 'two words'"]),
        (GOOD.replace("{word} 有错", "{wort} 有错"), ["the translation has the fields ['wort']"]),
        (GOOD.replace("{word} 有错", "有错"), ["the translation has the fields []"]),
        (GOOD + 'msgid "gone away"\nmsgstr "没了"\n', ["'gone away' is not in the source"]),
        (GOOD.replace('msgid "two', '#, fuzzy\nmsgid "two'), ["po:4: #, fuzzy"]),
        (GOOD + '#~ msgid "old"\n', ["po:6: #~ msgid"]),
    ],
)
def test_problems_are_found(text: str, said: list[str]) -> None:
    """A missing, wrong, unused or unchecked entry is told with its place; a renamed variable is none."""
    lines = check.problems(FOUND, text, "po")

    assert len(said) == len(lines)
    assert all(one in line for one, line in zip(said, lines, strict=True))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('x = f"{name} makes {n:.2f} nodes"', ["{name} makes {n} nodes"]),
        ('x = f"{a.name}\'s {rows[0]} in {len(made)}"', ["{name}'s {rows} in {made}"]),
        ('x = f"{a}{b} is lost"', ["{a} is lost"]),
        ('x = f"{a} and {a} of {b.a}"', ["{a} and {a} of {a2}"]),
        ("x = f\"step{'s' if n else ''} of {n}\"", ["step{plural} of {n}"]),
        ("x = f\"{f'inner {one}'} is out\"", ["{value} is out", "inner {one}"]),
        ('x = ("one sentence, "\n "in two pieces")', ["one sentence, in two pieces"]),
        ('x = "fails for axes={axes!r}, though {it:>3} works"', ["fails for axes={axes}, though {it} works"]),
        ('def f():\n    """A docstring of it."""\n    return 1', []),
        ('"""A docstring of the module."""\nx = "word"', []),
        ('say("word", a=1)\nself.say("other")', ["word", "other"]),
        ('x = r"^(\\w+) of (\\d+)$"', []),
        ('x = "import numpy as np\\nprint(np)\\nand more"', []),
    ],
)
def test_sentences_of_a_source(source: str, expected: list[str]) -> None:
    """Strings that read as English come out as templates; names, docstrings and code do not."""
    assert expected == [one.text for one in extract.in_source(source, "a.py")]


def test_commands_of_staff_are_explained_to_all() -> None:
    """Of a file that only staff reads, the list of commands in `--help` is for everybody."""
    source = 'words.add_parser("class", help="grade many of them")\nx = "a sentence for staff"'

    assert ["grade many of them"] == [one.text for one in extract.commands(source, "a.py")]


ENTRIES = [one for one in Chinese(catalogue.read(TEXT)).by_shape.values() if one.fields and one.words > 1]


def filled(one: catalogue.Entry) -> list[str]:
    """A value for each field: a number, a word to leave out, nothing behind a letter, else a name."""
    values: dict[str, str] = {}
    for number, field in enumerate(one.fields):
        name = "3" if field in catalogue.NUMERIC else f"Name{number}.q"
        if number not in one.order:
            name = "is"
        if one.fixed[number][-1:].isalpha():
            name = ""
        values.setdefault(field, name)
    return [values[field] for field in one.fields]


def test_every_sentence_is_recognised() -> None:
    """A sentence with its fields filled in comes out in Chinese, none in the shadow of another."""
    say = Chinese(catalogue.read(TEXT))
    texts = ["".join(a + b for a, b in zip(one.fixed, [*filled(one), ""], strict=True)) for one in ENTRIES]

    assert len(texts) > 400
    assert {} == {text: said for text in texts if left.english(said := say.text(text))}
