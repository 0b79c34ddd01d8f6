"""Whether a catalogue holds what the source says, and the catalogue with what it lacks put in."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from grader.report.language import catalogue
from grader.report.language.catalogue import FIELD, shape
from grader.report.language.extract import Sentence

# Fields that a translation may leave out: Chinese does not tell "is" from "are", "check" from "checks".
DROPPED = ("verb", "plural")
HEADER = r"""# Sentences of the grader in Simplified Chinese.
# `python -m grader.report.language` adds what is new in the source and takes out what is gone.
msgid ""
msgstr ""
"Project-Id-Version: needle-grader\n"
"Language: zh_CN\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=1; plural=0;\n"

"""


def problems(found: Iterable[Sentence], text: str, name: str) -> list[str]:
    """Return one line for each sentence without a translation, and for each fault of the catalogue."""
    known = catalogue.read(text)
    shapes = {shape(one) for one in known}
    wanted = {shape(one.text): one for one in found}
    lines = [
        f"{one.file}:{one.line}: not in Chinese: {one.text!r}; put a translation into {name} "
        "(`python -m grader.report.language` adds the entry to fill in), "
        "or the text into NOT_READ of grader/report/language/extract.py if no student reads it"
        for key, one in wanted.items()
        if key not in shapes
    ]
    lines += [
        f"{name}: {one!r} is not in the source any more: `python -m grader.report.language` takes it out"
        for one in known
        if shape(one) not in wanted
    ]
    lines += [f"{name}: {line}" for one, said in known.items() for line in _fields(one, said)]
    return lines + [
        f"{name}:{number}: {line.strip()}: check the translation and take this line out"
        for number, line in enumerate(text.splitlines(), 1)
        if line.startswith(("#, fuzzy", "#~"))
    ]


def _fields(msgid: str, msgstr: str) -> Iterable[str]:
    asked, given = set(FIELD.findall(msgid)), set(FIELD.findall(msgstr))
    if given - asked or asked - given - set(DROPPED):
        yield f"{msgid!r}: the translation has the fields {sorted(given)}, expected {sorted(asked)}"


def merged(found: Iterable[Sentence], text: str) -> str:
    """Return a catalogue of these sentences in their order, with the translations of the catalogue `text`.

    An entry stays as it is when only the names of its fields have changed. Needs Babel (extra `test`).
    """
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import write_po

    known = {shape(one): (one, said) for one, said in catalogue.read(text).items()}
    made = Catalog(locale="zh_CN")
    for one in found:
        msgid, msgstr = known.get(shape(one.text), (one.text, ""))
        made.add(msgid, msgstr, locations=[(one.file, 0)]).flags.clear()
    buffer = io.BytesIO()
    write_po(buffer, made, width=110, omit_header=True, include_lineno=False)
    return HEADER + buffer.getvalue().decode().lstrip("\n")


def here() -> str:
    """Return the catalogue's path as it is told to a person."""
    path = catalogue.file()
    return path.relative_to(Path(__file__).resolve().parents[3]).as_posix()
