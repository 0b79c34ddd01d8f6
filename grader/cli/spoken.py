"""The language of a call: `--lang`, the environment, the locale; and what the command line says in it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from grader.report import language

_speaker = language.Speaker()


def use(words: Sequence[str]) -> None:
    """Choose the language for all that is said from here on."""
    global _speaker
    output = getattr(sys.stdout, "encoding", None)
    _speaker = language.speaker(language.choose(words, os.environ, output))
    if _speaker.code != language.ENGLISH:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")


def code() -> str:
    """Return the language's code, as renderings take it."""
    return _speaker.code


def text(english: str) -> str:
    """Return a line in the language of the call."""
    return _speaker.text(english)


def tell(english: str, file: TextIO | None = None) -> None:
    """Print a line in the language of the call."""
    print(text(english), file=file, flush=True)


def finish(parser: argparse.ArgumentParser) -> None:
    """Give every command `--lang`, and its help in the language of the call."""
    for one in _with_commands(parser):
        one.add_argument(
            "--lang",
            choices=language.LANGUAGES,
            help="language to read: en, zh (default: GRADER_LANG or the locale)",
        )
    if _speaker.code != language.ENGLISH:
        from grader.cli import translated_help

        for one in _with_commands(parser):
            translated_help.apply(one, text)


def _with_commands(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in dict.fromkeys(action.choices.values()):
                found += _with_commands(one)
    return found
