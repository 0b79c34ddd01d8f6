"""The comparison as one HTML file that loads nothing: a pure function of plain data.

The page's text is fixed; all that came from submissions travels as JSON in a block that is not run, and
the script puts it into the page as text. A content policy allows the page's own script, by its hash, and
nothing else: no other script and no request. Placeholders need no template library.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LIBRARIES = ("vendor/d3.min.js", "vendor/plot.umd.min.js")
SCRIPTS = (
    "base.js",
    "choice.js",
    "details.js",
    "scores.js",
    "mistakes.js",
    "heat.js",
    "table.js",
    "work.js",
    "similar.js",
    "changes.js",
    "main.js",
)
# what would end the block, or a line of JavaScript, is written in JSON's own escapes
ESCAPES = {ord(one): f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"}
POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def document(data: dict[str, Any]) -> str:
    """Return the page of a comparison (`classroom.compare.gather.Comparison.as_dict`)."""
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _filled(
        _read("page.html"),
        {
            "policy": html.escape(POLICY.format(digest=digest), quote=True),
            "title": html.escape(data.get("title") or "comparison"),
            "style": _read("page.css"),
            "data": embedded(data),
            "script": script,
        },
    )


def embedded(data: dict[str, Any]) -> str:
    """Return data as JSON that can stand inside a script element whatever it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace").decode().translate(ESCAPES)


@functools.cache
def _script() -> str:
    own = "".join(_read(name) for name in SCRIPTS)
    return "\n".join([*(_read(name) for name in LIBRARIES), f'"use strict";(() => {{\n{own}}})();\n'])


@functools.cache
def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _filled(template: str, values: dict[str, str]) -> str:
    """Fill the placeholders in one pass, so that no value is taken for another's place."""
    parts = template.split("{{")
    out = [parts[0]]
    for part in parts[1:]:
        name, _, rest = part.partition("}}")
        out += [values[name], rest]
    return "".join(out)
