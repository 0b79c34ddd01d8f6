"""The script of a failed check: plain needle calls, what is right, and an exit code."""

from __future__ import annotations

import textwrap

import numpy as np

from grader.debug import evidence, literals, record, snippets
from grader.debug.code import Code
from grader.debug.evidence import Evidence, Item, NotCovered
from grader.debug.record import Recording
from grader.report import escape

ALARM = "faulthandler.dump_traceback_later(20, exit=True)  # says where it hangs, if it does"
AUTOGRAD = ("Tensor", "TensorOp", "Value")
ENDED = """finished = []


def ended():
    \"\"\"A call that ends the process is a fault as well.\"\"\"
    if not finished:
        print("the process was ended before the end of this script", flush=True)
        os._exit(1)


atexit.register(ended)"""
STANDARD = ("atexit", "base64", "faulthandler", "gc", "itertools", "os", "sys", "tempfile", "zlib")
END = ["", "sys.exit(1 if wrong else 0)"]
TESTS = {
    "equal": "yours != right",
    "most": "yours > right",
    "flat": "max(yours[2:]) > yours[1]",
}


def write(recording: Recording, *, alarm: bool = True) -> str:
    """Return the script of a check; raises `NotCovered` when there are no plain calls for it.

    With `alarm` the script ends itself if a call does not return. A check that has passed is written too.
    """
    if recording.broken:
        return _imports_only(recording)
    homework, _ = record.find(recording.homework, recording.check.id)
    try:
        found = evidence.own(recording) or evidence.find(recording, record.answers(recording.asks, homework))
        text = assemble(recording, found)
        return text if alarm else text.replace(ALARM, "").replace("import faulthandler\n", "")
    except literals.TooLarge as error:
        raise NotCovered(str(error)) from None


def assemble(recording: Recording, found: Evidence) -> str:
    """Return the text of a script."""
    if any(item.rule == "values" for item in found.items):
        found.code.need("compare")
    helpers = [snippets.TEXT[name].strip("\n") for name in found.code.helpers]
    expected = _expected(found) if found.is_raising else []
    calls = "\n".join(["# the smallest input that shows it", *found.code.lines, *_body(found, recording)])
    calls = "\n".join([*expected, calls])
    imports = _imports(recording, found.code, "\n".join([*helpers, calls]))
    parts = [f"{_head(recording)}\n\n{imports}", *helpers, calls]
    return "\n\n\n".join(parts) + "\n"


def _expected(found: Evidence) -> list[str]:
    """Say what is right before the calls that raise."""
    shown = [item for item in found.items if isinstance(item.right, np.ndarray) and item.right.size < 100]
    return [f'print("right: {item.name}", {literals.array(item.right)})' for item in shown]


def _head(recording: Recording) -> str:
    text = " ".join(escape.terminal(recording.message).split())
    about = [
        f"{recording.homework} {recording.check.id}",
        "",
        *textwrap.wrap(text, 96, break_long_words=False),
        "",
        "Run it in the root of the homework: python FILE",
        "It exits with 1 while the fault is there, and with 0 when it is mended.",
    ]
    taken = [str(one["file"]) for one in recording.notes if one.get("id") == "missing-file"][:6]
    if taken:
        about += [f"Missing there, and taken from the handout for grading: {', '.join(taken)}"]
    return "\n".join(f"# {line}".rstrip() for line in about)


def _imports(recording: Recording, code: Code, text: str) -> str:
    text += ENDED if _ends(recording) else ""
    used = [name for name in STANDARD if name in ("sys", "faulthandler") or f"{name}." in text]
    needed = {name for helper in code.helpers for name in snippets.IMPORTS.get(helper, ())}
    return "\n".join(
        [
            *[f"import {name}" for name in used],
            "",
            "import numpy as np",
            "",
            _path(recording),
            ALARM,
            *([ENDED] if _ends(recording) else []),
            "",
            *code.imported_lines([name for name in AUTOGRAD if name in needed]),
        ]
    )


def _ends(recording: Recording) -> bool:
    """Tell whether a call ends the process, as far as that can be caught."""
    return "SystemExit" in recording.message


def _path(recording: Recording) -> str:
    folders = ", ".join(f'"{folder}"' for folder in recording.folders)
    return f"sys.path[:0] = [{folders}]"


def _body(found: Evidence, recording: Recording) -> list[str]:
    compared = [line for item in found.items for line in _compared(item)]
    end = ["", "finished.append(True)", *END[1:]] if _ends(recording) else END
    return ["", "wrong = False", *compared, *end]


def _compared(item: Item) -> list[str]:
    right = literals.array(item.right) if isinstance(item.right, np.ndarray) else repr(item.right)
    lines = ["", f"yours = {item.expression}", f"right = {right}"]
    if item.rule == "values":
        return [*lines, f'wrong |= compare("{item.name}", yours, right, within={item.allowed:g})']
    said = {"flat": "the same from the second step on", "most": f"at most {right}"}.get(item.rule)
    shown = f'"{said}"' if said else "right"
    kept = [one for one in lines if item.rule != "flat" or not one.startswith("right")]
    return [
        *kept,
        f'print("{item.name}")',
        'print("  yours:", yours)',
        f'print("  right:", {shown})',
        f"wrong |= {TESTS[item.rule]}",
    ]


def _imports_only(recording: Recording) -> str:
    module = recording.check.target.partition(".")[0]
    names = dict.fromkeys(("needle", module)) if recording.homework != "hw0" else {module: None}
    ends = _ends(recording)
    standard = ["import atexit", "import os", "import sys"] if ends else ["import sys"]
    lines = [*standard, "", _path(recording), *([ENDED] if ends else []), ""]
    lines += [f"import {name}" for name in names]
    lines += ["", 'print("it imports")', *(["finished.append(True)"] if ends else [])]
    return f"{_head(recording)}\n\n" + "\n".join(lines) + "\n"
