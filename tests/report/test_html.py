"""The page of one submission: what it says and in which order, that hostile text is text, how it opens."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.report import html
from grader.report.escape import terminal
from grader.report.html.elements import Markup, element, prose, text
from tests.report.browser import Opened, chromium
from tests.report.pictures import hostile, leaking
from tests.report.rendered import ALL, MARKUP
from tests.report.reports import NASTY

etree = pytest.importorskip("lxml.html", reason="lxml reads the pages")
PAGES = {**ALL}
for name, data in (("leak", leaking()), ("hostile-picture", hostile())):
    PAGES[name] = copy.deepcopy(ALL["faulty"])
    PAGES[name].picture = data
ELEMENTS = """html head meta title style body header main section article footer h1 h2 h3 p strong b i div span
code pre mark table thead tbody tr th td a ul li dl dt dd figure figcaption details summary
svg g rect line path polygon polyline circle text"""


@pytest.mark.parametrize("name", PAGES)
def test_elements(name: str) -> None:
    """Only our elements and attributes, whatever the report says; links lead within the page."""
    tree = etree.fromstring(html.render(PAGES[name]))

    assert {one.tag for one in tree.iter() if isinstance(one.tag, str)} <= set(ELEMENTS.split())
    assert not [key for one in tree.iter() for key in one.attrib if key.lower().startswith("on")]
    names = {one.get("id") for one in tree.iter() if one.get("id")}
    assert all(one.get("href")[1:] in names for one in tree.iter("a"))
    assert not tree.xpath("//*[@src]")


@pytest.mark.parametrize("hostile_text", [MARKUP, NASTY], ids=["markup", "control"])
def test_hostile_text_is_shown(hostile_text: str) -> None:
    """Text of a submission is there to be read, with its control characters written out."""
    found = etree.fromstring(html.render(ALL["markup" if hostile_text is MARKUP else "control"]))

    shown = terminal(hostile_text)
    assert found.xpath("string(//p[@class='submission'])") == shown * 3
    assert found.xpath("string(//article/p[@class='message'])").replace(
        "`", ""
    ) == f"message {shown}".replace("`", "")
    assert {one for one in found.text_content() if one in "\x00\x07\x1b\u202e\u2028"} == set()


def test_order() -> None:
    """The cause is first, with the sentence, the hint, the input, yours, expected and the line of code."""
    tree = etree.fromstring(html.render(ALL["faulty"]))
    first, second = tree.xpath("//article")

    words = first.text_content()
    places = [
        words.index(one)
        for one in (
            "MatMul.gradient",
            "−10",
            "is not summed",
            "sum over the batch",
            "[1, 2]",
            "[4]",
            "[3]",
            "off by 12 times",
            "my ops: one, two.py:2",
            "return out_grad",
            "printed by the submission",
            "backward.MatMul.second_order",
            "--only backward.MatMul.gradient",
        )
    ]
    assert places == sorted(places)
    assert first.xpath("string(.//mark)").strip().endswith("2     return out_grad")
    assert "Log adds one" in second.text_content()


@pytest.mark.parametrize("name", PAGES)
def test_pure(name: str) -> None:
    """The report stays as it is."""
    before = copy.deepcopy(PAGES[name])
    html.render(PAGES[name])

    assert before == PAGES[name]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("full", "All 2 checks passed. Full marks."),
        ("stubs", "forward: Negate.compute, Exp.compute"),
        ("stopped", "not a grade"),
        ("empty", "not a grade"),
        ("leak", "Norm.mean holds 36 nodes of past steps"),
    ],
)
def test_says(name: str, word: str) -> None:
    """Each state of a report is told."""
    assert word in etree.fromstring(html.render(PAGES[name])).text_content()


@pytest.mark.parametrize(
    ("made", "written"),
    [
        (element("p", "<b>", Markup("<i>"), None), "<p>&lt;b&gt;<i></p>"),
        (
            element("a", title='"x"\n', hidden=True, open=False, id=None),
            '<a title="&quot;x&quot;\\x0a" hidden></a>',
        ),
        (element("meta", http_equiv="x"), '<meta http-equiv="x">'),
        (text("a\nb\x1b", lines=True), "a\nb\\x1b"),
        (prose("use `a<b` now"), "use <code>a&lt;b</code> now"),
        (prose("a ` b"), "a ` b"),
    ],
)
def test_written(made: str, written: str) -> None:
    """What is not Markup is escaped."""
    assert written == made


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all pages."""
    with chromium() as found:
        yield found


@pytest.mark.parametrize("name", PAGES)
def test_opens(name: str, browser: Any, tmp_path: Path) -> None:
    """No request but the file, no error, no script; nothing sticks out at 390 pixels."""
    file = tmp_path / "report.html"
    file.write_text(html.render(PAGES[name]), encoding="utf-8")

    with Opened(browser, file, width=390) as opened:
        wide = opened.page.evaluate("document.documentElement.scrollWidth")

    assert (opened.asked, opened.said) == ([file.as_uri()], [])
    assert wide == 390


def test_schemes(browser: Any, tmp_path: Path) -> None:
    """Dark where the reader's system is dark, with contrast enough (WCAG AA) in both."""
    file = tmp_path / "report.html"
    file.write_text(html.render(PAGES["leak"]), encoding="utf-8")
    grounds = set()
    for scheme in ("light", "dark"):
        with Opened(browser, file, scheme=scheme) as opened:
            colors = opened.page.evaluate(COLORS)
            grounds.add(colors[0][1])
            assert [pair for pair in colors if _contrast(*pair) < 4.5] == []

    assert len(grounds) == 2


# colour of each text, and of the nearest ground under it
COLORS = """[...document.querySelectorAll('body *')].filter(e => !e.closest('svg') && !e.closest('[aria-hidden]') &&
  [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())).map(e => {
    let g = e; while (g && getComputedStyle(g).backgroundColor == 'rgba(0, 0, 0, 0)') g = g.parentElement;
    return [getComputedStyle(e).color, getComputedStyle(g || document.body).backgroundColor]; })"""


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    parts = [int(part) / 255 for part in color.partition("(")[2].rstrip(")").split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_keyboard(browser: Any, tmp_path: Path) -> None:
    """Tab reaches links, folds and what scrolls; Enter opens a fold."""
    file = tmp_path / "report.html"
    file.write_text(html.render(PAGES["leak"]), encoding="utf-8")
    with Opened(browser, file) as opened:
        reached = []
        for _ in range(14):
            opened.page.keyboard.press("Tab")
            name = opened.page.evaluate(
                "document.activeElement.tagName + ' ' + document.activeElement.className"
            )
            reached.append(name.strip())
            if name.startswith("SUMMARY"):
                before = opened.page.evaluate("document.activeElement.parentElement.open")
                opened.page.keyboard.press("Enter")
                assert opened.page.evaluate("document.activeElement.parentElement.open") is not before

    assert {"A", "PRE", "SUMMARY", "DIV drawing", "DIV drawing wide"} <= set(reached)
