"""`--help` in a language that is wider on the screen than it has letters."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from grader.report import wrap


def apply(parser: argparse.ArgumentParser, text: Callable[[str], str]) -> None:
    """Translate descriptions, headings and the help of every option of one parser."""
    if parser.description:
        parser.description = text(parser.description)
    for group in parser._action_groups:
        group.title = group.title and text(group.title)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action._choices_actions:
                one.help = one.help and text(one.help)
        elif action.help and action.help != argparse.SUPPRESS:
            action.help = text(action.help)
    parser.formatter_class = partial(_Formatter, usage=text("usage: "))


class _Formatter(argparse.HelpFormatter):
    """Breaks lines by columns."""

    def __init__(self, prog: str, usage: str, **options: Any) -> None:
        super().__init__(prog, **options)
        self.usage = usage

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, self.usage if prefix is None else prefix)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap.lines(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(wrap.lines(" ".join(text.split()), width, first=indent, later=indent))
