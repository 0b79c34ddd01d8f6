"""The script of a failed check: plain needle calls, what is right, and an exit code."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np

from grader.debug import evidence, literals, record, snippets
from grader.debug.code import Code
from grader.debug.evidence import Evidence, Item, NotCovered
from grader.debug.record import Recording
from grader.report import escape

SECONDS = 20
AUTOGRAD = ("Tensor", "TensorOp", "Value")


def write(recording: Recording) -> str:
    """Return the script of a failed check; raises `NotCovered` when there are no plain calls for it."""
    if recording.broken:
        return _imports_only(recording)
    homework, _ = record.find(recording.homework, recording.check.id)
    answers = record.answers(recording.asks, homework)
    found = evidence.find(recording, answers)
    try:
        return assemble(recording, found)
    except literals.TooLarge as error:
        raise NotCovered(str(error)) from None


def assemble(recording: Recording, found: Evidence) -> str:
    """Return the text of a script."""
    body = _body(found)
    helpers = [snippets.TEXT[name].strip("\n") for name in found.code.helpers]
    needed = "\n".join([*helpers, *found.code.lines, *body])
    parts = [
        _head(recording),
        _imports(recording, found.code, needed),
        *([textwrap.dedent(one) for one in helpers]),
        "\n".join(["# the smallest input that shows it", *found.code.lines]),
        "\n".join(body),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _head(recording: Recording) -> str:
    text = escape.terminal(recording.message).replace("\n", " ")
    lines = textwrap.wrap(text, 96, break_long_words=False)
    about = [
        *lines,
        "",
        "Run it in the root of the homework:  python repro.py",
        "It exits with 1 while the fault is there, with 0 when it is mended.",
    ]
    taken = [one["file"] for one in recording.notes if one.get("id") == "missing-file"][:6]
    if taken:
        about += [f"Missing here, and taken from the handout for grading: {', '.join(taken)}"]
    return "\n".join(f"# {line}".rstrip() for line in about)


def _imports(recording: Recording, code: Code, text: str) -> str:
    standard = [
        name
        for name in ("base64", "faulthandler", "gc", "itertools", "sys", "tempfile", "zlib")
        if name in ("sys", "faulthandler") or f"{name}." in text
    ]
    folders = [folder for folder in recording.folders if folder != "."]
    lines = [f"import {name}" for name in standard]
    lines += ["", f"sys.path[:0] = {folders!r}", f"faulthandler.dump_traceback_later({SECONDS}, exit=True)"]
    lines += ["", "import numpy as np"]
    lines += ["", *code.imported_lines(_autograd(code))]
    return "\n".join(lines)


def _autograd(code: Code) -> list[str]:
    needed = {name for helper in code.helpers for name in snippets.IMPORTS.get(helper, ())}
    return [name for name in AUTOGRAD if name in needed]


def _body(found: Evidence) -> list[str]:
    if not found.items:
        shown = ", ".join(f"{literals.array(one)}" for one in found.answers[:3] if one.size <= 64)
        return [f"print('no error; right is', {shown})" if shown else "print('no error')"]
    lines = ["wrong = False"]
    for item in found.items:
        lines += _compared(item)
    return [*lines, "sys.exit(1 if wrong else 0)"]


def _compared(item: Item) -> list[str]:
    right = literals.array(item.right) if isinstance(item.right, np.ndarray) else repr(item.right)
    lines = ["", f"# {item.name}", f"yours = {item.expression}"]
    if item.rule == "flat":
        return [
            *lines,
            f"print({item.name + ':'!r}, yours)",
            "print('right: the number stays the same after the second step')",
            "wrong |= max(yours[2:]) > yours[1]",
        ]
    lines.append(f"right = {right}")
    lines.append(f"print({item.name!r})")
    lines.append("print('  yours:', yours)")
    lines.append(f"print('  right:', {'right' if item.rule != 'most' else repr('at most') + ', right'})")
    test = {
        "equal": "yours != right",
        "most": "yours > right",
        "values": "yours.dtype.kind not in 'biuf' or yours.size != right.size or not np.allclose("
        f"yours.reshape(right.shape), right, rtol=0, atol={item.allowed:g}, equal_nan=True)",
    }[item.rule]
    return [*lines, f"wrong |= {test}"]


def _imports_only(recording: Recording) -> str:
    module = recording.check.target.partition(".")[0]
    names = dict.fromkeys(("needle", module)) if module != "needle" else {"needle": None}
    lines = [f"import {name}" for name in names]
    return (
        "\n\n".join(
            [
                _head(recording),
                "import sys",
                f"sys.path[:0] = {[one for one in recording.folders if one != '.']!r}",
                "\n".join(lines),
                "print('it imports')",
            ]
        )
        + "\n"
    )


def save(text: str, path: Path) -> None:
    """Write a script."""
    path.write_text(text, encoding="utf-8")
