"""Finds in the source every sentence that a student can read: the list of what a catalogue has to hold.

Everything in the grader counts that looks like English: a string with two words, or an f-string with one.
What no student reads is left out below, by file or by text. Nothing imports this module while grading.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from grader.report.language.catalogue import FIELD, shape

PACKAGE = Path(__file__).resolve().parents[2]
# Files whose sentences only staff or contributors read, or that write code. What `--help` says of a command
# as a whole is for everybody.
NOT_FOR_STUDENTS = (
    "bundle/*",
    "calibrate.py",
    "classroom/batch.py",
    "classroom/branches.py",
    "classroom/child.py",
    "classroom/cluster.py",
    "classroom/compare/*",
    "classroom/executors.py",
    "classroom/handback.py",
    "report/feedback.py",
    "report/gradebook.py",
    "classroom/exports.py",
    "classroom/meter.py",
    "classroom/names.py",
    "classroom/parcel.py",
    "classroom/roster.py",
    "classroom/similarity/*",
    "classroom/summary.py",
    "classroom/tables.py",
    "classroom/task.py",
    "cli/classes.py",
    "cli/comparing.py",
    "debug/code.py",
    "debug/literals.py",
    "debug/plain_*.py",
    "debug/script.py",
    "classroom/session.py",
    "cli/class_progress.py",
    "report/compare_page/*",
    "handout/generate.py",
    "classroom/store/*",
    "report/language/*",
)
# Texts that are no sentences, or that no student reads.
NOT_READ = (
    "### *",
    "raise NotImplementedError()",
    "#*",
    "def *",
    "class {owner}:*",
    "np.*",
    "{value}def *",
    "default-src *",
    "width=device-width,*",
    "light dark",
    " in {suffix}",
    "mark {kind}",
    "mark {state}",
    "soft again",
    "drawing wide",
    "needle-grader {version}",
    "Value Tensor *",
    "* | None",
    "own session",
    "closed descriptors",
    "scrubbed environment",
    "not dumpable",
    "user {user}",
    ", reads past owners",
    "grader {version}",
    "logits = X @ W",
    "Linear, {norm}ReLU, Linear",
    "namespace pybind11 {}",
    "np.random.seed({seed}); *",
    "has no attribute 'compact'",
    "has no attribute 'pow'",
    "axes don't match array",
    "'NoneType' object",
    "python {python}",
    "numpy {numpy}",
)
# A string that is one of these is code, a pattern or a style sheet.
CODE = re.compile(r"\n.*\n|^\s*<|\(\?[:P]|\\[sdw]|^\^|std::|^python -m |::|=\"|\{\{")
# Words that stand alone in the source, labels for the most part.
WORDS = (
    "after again asked at batches budget call calls classes commands compiler counts epochs "
    "evaluation expected formula full function given gradients graph handout hint homework images "
    "index indices inputs kinds labels layers look memory mode modes modules none optimiser "
    "optimisers order outputs partial passes paths pictures pixels printed process-only program "
    "question reference remark samples sandbox secret seen sizes steps system temporary terminal test "
    "times training transforms tried trouble try widths with without yours"
)
# Sentences that are put together or changed after they were made.
JOINED = (
    " in eval",
    " in train",
    "a {name}",
    "wrong for exponent {wrong}; right for {right}",
    "{holder} {verb} {growth} nodes more alive with every batch",
    "{name} is shape {shape}, expected {other}",
    "{name} is {value}, expected {other}",
    "{name} is dtype {dtype}, expected {other}",
    "{name} is not stable: {value} at {at}, expected {expected}",
    "{name} is {value} at {at}, expected {expected}",
    "the image of {where}",
    "the label of {where}",
    "  broken  {check}",
    "  else    {check}",
    "{check}: your own code runs now in this terminal, outside the sandbox, with all your rights.",
    "steps {first} to {last}",
    "{listed}, {count} more",
    "{name}, forward",
    "{name}, backward",
    "+ {count} node",
    "+ {count} nodes",
    "+ {count} more node",
    "+ {count} more nodes",
    "batch {shape}",
    "tensor {shape}",
    "kept",
    "{one} and {other}",
    "{one} or {other}",
)
# What argparse says; its own catalogue is not ours.
ARGPARSE = (
    "usage: ",
    "options",
    "positional arguments",
    "show this help message and exit",
    "show program's version number and exit",
    "unrecognized arguments: {words}",
    "the following arguments are required: {names}",
    "argument {name}: {what}",
    "invalid choice: {value} (choose from {choices})",
    "invalid {type} value: {value}",
    "expected one argument",
    "expected at least one argument",
    "not allowed with argument {other}",
    "ambiguous option: {option} could match {matches}",
    "one of the arguments {names} is required",
)


@dataclass(frozen=True)
class Sentence:
    """A text of the source, its variable parts as `{name}`."""

    text: str
    file: str
    line: int


def sentences(package: Path = PACKAGE) -> list[Sentence]:
    """Return every sentence once, in the order of the files."""
    found: dict[str, Sentence] = {}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        left_out = any(fnmatch(name, pattern) for pattern in NOT_FOR_STUDENTS)
        read = commands if left_out else in_source
        for one in read(path.read_text(encoding="utf-8"), f"{package.name}/{name}"):
            found.setdefault(shape(one.text), one)
    here = f"{package.name}/{Path(__file__).relative_to(PACKAGE).as_posix()}"
    for text in (*WORDS.split(), *JOINED, *ARGPARSE):
        found.setdefault(shape(text), Sentence(text, here, 0))
    return list(found.values())


def in_source(source: str, file: str) -> Iterator[Sentence]:
    """Yield the sentences of one file."""
    for text, line, certain in _Visitor().of(ast.parse(source)):
        if (certain or looks_english(text)) and not any(fnmatch(text, pattern) for pattern in NOT_READ):
            yield Sentence(text, file, line)


def commands(source: str, file: str) -> Iterator[Sentence]:
    """Yield what the file's commands are for, as `--help` lists them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_parser":
            for keyword in node.keywords:
                if keyword.arg == "help" and isinstance(keyword.value, ast.Constant):
                    yield Sentence(str(keyword.value.value), file, keyword.value.lineno)


def looks_english(text: str) -> bool:
    """Tell whether a template has two words of English, or one beside a field, and is not code."""
    if CODE.search(text):
        return False
    fixed = FIELD.sub("\0", text)
    return " " in fixed.strip(" ") and bool(re.search(r"(?<![\w.<$-])[A-Za-z]?[a-z]{2,}\b(?![(=])", fixed))


class _Visitor:
    """Walks a module: docstrings and format specifications are no texts."""

    def of(self, node: ast.AST) -> Iterator[tuple[str, int, bool]]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield _fields(node.value), node.lineno, False
        elif isinstance(node, ast.JoinedStr):
            yield template(node), node.lineno, False
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    yield from self.of(part.value)
        else:
            yield from self._others(node)

    def _others(self, node: ast.AST) -> Iterator[tuple[str, int, bool]]:
        if _is_say(node):
            first = node.args[0]  # type: ignore[attr-defined]
            yield first.value, first.lineno, True
        body = getattr(node, "body", None)
        for child in ast.iter_child_nodes(node):
            is_docstring = isinstance(body, list) and child in body and isinstance(child, ast.Expr)
            if not (is_docstring and isinstance(child.value, ast.Constant)):  # type: ignore[attr-defined]
                yield from self.of(child)


def _is_say(node: ast.AST) -> bool:
    """Tell whether a node is a call `say("...")`, whose text is always a sentence."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name == "say" and isinstance(node.args[0].value, str) and bool(node.args[0].value)


def template(node: ast.JoinedStr) -> str:
    """Return an f-string with `{name}` for what is filled in; neighbours are one field."""
    used: dict[str, str] = {}
    text, open_field = "", False
    for part in node.values:
        if isinstance(part, ast.Constant):
            text, open_field = text + str(part.value), False
        elif isinstance(part, ast.FormattedValue) and not open_field:
            text, open_field = text + "{" + _unique(_name(part.value), ast.dump(part.value), used) + "}", True
    return text


def _unique(name: str, expression: str, used: dict[str, str]) -> str:
    names = [name, *(f"{name}{number}" for number in range(2, 20))]
    chosen = next(one for one in names if used.get(one, expression) == expression)
    used[chosen] = expression
    return chosen


def _name(node: ast.AST) -> str:
    """Return a short name for an expression: what a translator sees."""
    if isinstance(node, ast.Name):
        return node.id.lower().strip("_")
    if isinstance(node, ast.Attribute):
        return node.attr.lower().strip("_")
    if isinstance(node, ast.Subscript):
        key = node.slice
        is_key = isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()
        return key.value if is_key else _name(node.value)  # type: ignore[attr-defined]
    if isinstance(node, ast.Call):
        return _name_of_call(node)
    if isinstance(node, ast.IfExp) and _is_text(node.body) and _is_text(node.orelse):
        return "plural"
    inner = getattr(node, "left", None) or getattr(node, "body", None) or getattr(node, "value", None)
    return _name(inner) if isinstance(inner, ast.AST) else "value"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _name_of_call(node: ast.Call) -> str:
    """Return the name of `x` for `len(x)`, `", ".join(x)`, `x.get("y")`: y; else the function's."""
    function = node.func
    last = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "value")
    if last == "get" and node.args and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    if (
        last in ("len", "join", "str", "sorted", "map", "tuple", "list", "quoted", "listing", "set")
        and node.args
    ):
        return _name(node.args[-1 if last == "map" else 0])
    return last.lower().strip("_")


def _fields(text: str) -> str:
    """Return a text for `str.format` with its conversions and formats left out."""
    return re.sub(r"\{(\w+)(?:![rsa])?(?::[^{}]*)?\}", r"{\1}", text)
