"""The languages that a person can read the grader in: English, and Simplified Chinese.

Reports are kept in English whatever is read, so that ids, stored reports and clusters stay the same; a
rendering translates. `speaker("zh")` puts single sentences into Chinese, `translate(report, "zh")` a whole
report. Nothing is loaded for English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.report.model import Report

ENGLISH, CHINESE = "en", "zh"
LANGUAGES = (ENGLISH, CHINESE)


class Speaker:
    """Says sentences in English: what is written in the source."""

    code = ENGLISH

    def __call__(self, template: str, **values: object) -> str:
        """Return a sentence of a renderer's own, its `{name}` filled in; templates have no formats."""
        return template.format(**values)

    def text(self, english: str) -> str:
        """Return a sentence that was made elsewhere, of a report say, in this language."""
        return english


def speaker(language: str = ENGLISH) -> Speaker:
    """Return what speaks a language of `LANGUAGES`; English for any other."""
    if language != CHINESE:
        return Speaker()
    from grader.report.language.translator import chinese

    return chinese()


def translate(report: Report, language: str) -> Report:
    """Return a copy of the report with all that a person reads in another language."""
    if language != CHINESE:
        return report
    from grader.report.language.reports import translated

    return translated(report, speaker(language))


def choose(words: Sequence[str], environment: Mapping[str, str], encoding: str | None = "utf-8") -> str:
    """Return the language of a call: `--lang`, else GRADER_LANG, else the locale's.

    A locale alone does not bring Chinese to an output whose `encoding` has no Chinese characters.
    """
    asked = _asked(words) or environment.get("GRADER_LANG", "")
    if asked:
        return CHINESE if _is_chinese(asked) else ENGLISH
    names = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    first = next((name for name in names if name), "")
    return CHINESE if _is_chinese(first) and _has_characters(encoding) else ENGLISH


def _asked(words: Sequence[str]) -> str:
    """Return what `--lang` says before the words are parsed: errors of parsing are to be read too."""
    for position, word in enumerate(words):
        if word == "--":
            break
        if word.startswith("--lang="):
            return word.partition("=")[2]
        if word == "--lang" and position + 1 < len(words):
            return words[position + 1]
    return ""


def _is_chinese(name: str) -> bool:
    return name.lower().replace("-", "_").partition(".")[0].partition("_")[0] == CHINESE


def _has_characters(encoding: str | None) -> bool:
    try:
        "通过，·".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
