"""Elements of SVG as text. Everything that is written passes `text` or `tag`, which escape it."""

from __future__ import annotations

import html
from typing import Any

from grader.report import escape, wrap

# Light, and dark where the reader's system asks for it; scoped, so that a page can have it inline.
STYLE = """
.needle-picture{--paper:#fff;--ink:#1c2330;--soft:#5b6678;--faint:#c3cbd8;--ground:#f4f6f9;--box:#fff;
--edge:#8793a6;--given:#e3eefb;--kept:#fff1dc;--kept-line:#a1560a;--past:#fde0dd;--past-line:#b3261e;
--over:#ece2fd;--over-line:#6527c9;--holder-ink:#fff;--yours:#1f5fbf;
font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;background:var(--paper)}
@media (prefers-color-scheme:dark){.needle-picture{--paper:#14181f;--ink:#e8ecf3;--soft:#a7b1c0;
--faint:#465063;--ground:#1c222c;--box:#252d39;--edge:#7d8aa0;--given:#1c3350;--kept:#43300f;
--kept-line:#f0a63c;--past:#4a1f1d;--past-line:#ff8a80;--over:#37265c;--over-line:#bfa0ff;
--holder-ink:#14181f;--yours:#7fb2ff}}
.needle-picture text{fill:var(--ink);font-size:11px}
.needle-picture .paper{fill:var(--paper)}
.needle-picture .title{font-size:17px;font-weight:600}
.needle-picture .head{font-size:12px;font-weight:600}
.needle-picture .soft{fill:var(--soft);font-size:10px}
.needle-picture .name{font-weight:600}
.needle-picture .group{fill:var(--ground);stroke:var(--faint)}
.needle-picture .box{fill:var(--box);stroke:var(--edge)}
.needle-picture .given .box{fill:var(--given)}
.needle-picture .more .box{stroke-dasharray:4 3}
.needle-picture .kept .box{fill:var(--kept);stroke:var(--kept-line);stroke-width:1.5}
.needle-picture .past .box{fill:var(--past);stroke:var(--past-line);stroke-width:2}
.needle-picture .over .box{fill:var(--over);stroke:var(--over-line);stroke-width:1.5}
.needle-picture .over .inner{fill:none;stroke:var(--over-line)}
.needle-picture .holder .box{fill:var(--past-line);stroke:var(--past-line)}
.needle-picture .holder text{fill:var(--holder-ink)}
.needle-picture .holder .name{font-size:13px}
.needle-picture .tag{font-size:9.5px;font-weight:700;fill:var(--holder-ink)}
.needle-picture .kept .pill{fill:var(--kept-line)}
.needle-picture .past .pill{fill:var(--past-line)}
.needle-picture .over .pill{fill:var(--over-line)}
.needle-picture .flow{fill:none;stroke:var(--edge)}
.needle-picture .across{stroke:var(--edge);stroke-opacity:.4}
.needle-picture .keeps{fill:none;stroke:var(--past-line);stroke-width:2.5;stroke-dasharray:7 3}
.needle-picture .tip{fill:var(--edge)}
.needle-picture .keeps-tip{fill:var(--past-line)}
.needle-picture .grid{stroke:var(--faint);stroke-width:.7}
.needle-picture .yours{fill:none;stroke:var(--yours);stroke-width:2.5}
.needle-picture .yours-dot{fill:var(--yours)}
.needle-picture .reference{fill:none;stroke:var(--soft);stroke-width:2;stroke-dasharray:6 4}
.needle-picture .reference-dot{fill:var(--paper);stroke:var(--soft);stroke-width:1.5}
"""


def tag(name: str, *inside: str, **attributes: Any) -> str:
    """Return an element; `inside` is markup already, an attribute's `_` stands for `-`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{clean(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def text(content: str, x: float, y: float, class_: str = "", anchor: str | None = None) -> str:
    """Return a line of text."""
    return tag("text", clean(content), x=x, y=y, class_=class_ or None, text_anchor=anchor)


def clean(content: str) -> str:
    """Return text that is only text in XML: no markup, and no control or bidirectional characters."""
    return html.escape(escape.terminal(content), quote=True)


def fitted(content: str, width: float, size: float = 6.3) -> str:
    """Return text cut in its middle to a width in pixels; `size` is that of a character, wide ones twice."""
    most = int(width / size)
    if wrap.width(content) <= most:
        return content
    end = most // 2
    return f"{wrap.head(content, most - end - 1)}…{wrap.tail(content, end)}"


def picture(width: float, height: float, label: str, *inside: str) -> str:
    """Return a whole SVG with the style in it; `label` is read out by screen readers."""
    return tag(
        "svg",
        tag("title", clean(label)),
        tag("style", STYLE),
        tag("rect", width=width, height=height, class_="paper"),
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        height=height,
        role="img",
        class_="needle-picture",
    )


def _value(value: Any) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
