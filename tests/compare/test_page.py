"""The page in a browser, by real clicks: it sorts, filters and opens failures, and asks nobody for anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.compare.gather import Comparison
from grader.classroom.compare.rows import Entry, table
from grader.report.compare_page import document
from tests.compare.people import CLASS_WIDE, Planted, entry, many
from tests.report.browser import Opened, chromium

SIZE = 120
NASTY = (
    "</script><script>document.title='hacked'</script>",
    "<img src=x onerror=\"document.title='hacked'\">",
    "a\u2028b\u2029c \u202egnp.exe \x1b[31m \u200b<!--",
    "{{data}} ${1} \\u003c ]]> &lt; '\"`",
    "n" * 3000,
    "\ud800 lone",
)
LOST = CLASS_WIDE[0]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def similar() -> dict[str, Any]:
    region = {
        "name": NASTY[0],
        "a": [NASTY[1], "x = 1"],
        "b": ["y = 1", NASTY[2][:9]],
        "in_a": [1],
        "in_b": [0],
    }
    pair = {"a": NASTY[0], "b": "bob", "share": 88.5, "above": True, "earlier": False, "functions": ["Adam.step"],
            "regions": [region], "left_out": ""}  # fmt: skip
    return {"text": "Baseline.", "baseline": 9.2, "baseline_text": "Baseline.", "short": [], "pairs": [pair]}


def entries() -> list[Entry]:
    made = []
    for text in NASTY:
        hostile = Planted(
            f"nn1.{text}",
            "nn.nn1.forward",
            f"says {text}",
            more={"output": text, "actual": text, "help": text},
        )
        made.append(entry(text, hostile))
    return [*many(SIZE - len(NASTY))[0], *made]


def page(folder: Path, made: list[Entry]) -> Path:
    old = table([entry(one.student, LOST) for one in made[:40]])
    found = Comparison(table(made), old, similar(), [("eve", "no <b>archive</b>")], "hw2: a class")
    file = folder / "class.html"
    file.write_text(document(found.as_dict()), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page(tmp_path_factory.mktemp("page"), entries())


@pytest.fixture
def opened(browser: Any, file: Path) -> Iterator[Opened]:
    with Opened(browser, file, width=1280) as found:
        found.page.wait_for_selector("html[data-ready]")
        yield found
        assert found.asked == [file.as_uri()]
        assert found.said == []
        assert found.page.title() == "hw2: a class"


def names(opened: Opened) -> list[str]:
    return opened.page.locator("#table tbody th").all_inner_texts()


def scores(opened: Opened) -> list[float]:
    return [float(text) for text in opened.page.locator("#table tbody td:nth-child(2)").all_inner_texts()]


def test_a_click_sorts_the_table(opened: Opened) -> None:
    """By points downwards, then upwards; by name; the header says so to those who do not see it."""
    header = opened.page.locator("#table th", has_text="Points")
    header.locator("button").click()
    down, said = scores(opened), header.get_attribute("aria-sort")
    header.locator("button").click()

    assert (down, said) == (sorted(down, reverse=True), "descending")
    assert scores(opened) == sorted(scores(opened))
    assert scores(opened)[0] < down[-1]
    assert header.get_attribute("aria-sort") == "ascending"

    opened.page.locator("#table thead button", has_text="Student").click()

    assert "student 0000" in names(opened)
    assert "student 0100" not in names(opened)

    opened.page.locator("#table-pages button", has_text="Next").click()

    assert "student 0000" not in names(opened)


def test_filters_leave_those_that_fit(opened: Opened) -> None:
    """By name, by check and result, by mistake; Clear brings all back."""
    opened.page.fill("#search", "STUDENT 001")
    assert sorted(names(opened)) == [f"student 001{i}" for i in range(10)]
    assert opened.page.inner_text("#count") == f"10 of {SIZE} submissions"

    opened.page.click("#filters button[type=reset]")
    assert opened.page.inner_text("#count") == f"{SIZE} of {SIZE} submissions"

    opened.page.select_option("#check", label="optim.optim1.graph")
    opened.page.select_option("#verdict", label="failed")
    count = opened.page.inner_text("#count")
    opened.page.click("#filters button[type=reset]")
    tally = opened.page.locator("#mistake-list li", has_text="optim1.u keeps")
    expected = tally.locator(".tally").inner_text().split()[0]
    assert count == f"{expected} of {SIZE} submissions"

    tally.locator("button", has_text="Show").click()
    assert opened.page.inner_text("#count") == f"{expected} of {SIZE} submissions"


def across(opened: Opened, check: str) -> float:
    """Where the column of a check is on the heat map, in pixels."""
    return opened.page.evaluate(
        """(check) => {
          const { checks } = JSON.parse(document.getElementById("data").textContent);
          const wide = document.getElementById("map").clientWidth;
          const left = Math.min(150, Math.max(90, Math.round(wide * 0.28)));
          const cell = Math.max(6, (wide - left) / checks.length);
          return left + (checks.findIndex((one) => one.id === check) + 0.5) * cell;
        }""",
        check,
    )


def test_a_cell_opens_its_failure(opened: Opened) -> None:
    """A click on the heat map, where the row of a person and the column of a check meet."""
    opened.page.click("#zoom")
    opened.page.select_option("#mistake", index=1)
    data = json.loads(opened.page.locator("#data").text_content())
    opened.page.click("#heat", position={"x": across(opened, data["mistakes"][0]["check"]), "y": 64 + 9})

    assert opened.page.inner_text("#details-title") == f"{data['mistakes'][0]['check']}: failed"
    assert data["mistakes"][0]["sentence"] in opened.page.inner_text("#details-body")
    assert "expected" in opened.page.inner_text("#details-body")

    opened.page.keyboard.press("Escape")
    assert not opened.page.locator("#details").is_visible()


def test_the_keyboard_reaches_a_failure(opened: Opened) -> None:
    """Arrow keys move over the heat map and say where they are; Enter opens, Escape closes."""
    opened.page.focus("#heat")
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowRight")
    said = opened.page.inner_text("#map-status")
    opened.page.keyboard.press("Enter")

    assert "init.init0.gradient" in said
    assert opened.page.inner_text("#details-title").startswith("init.init0.gradient: ")
    assert opened.page.evaluate("document.activeElement.id") == "details-title"


def test_a_bar_sorts_by_its_check(opened: Opened) -> None:
    """A click on a bar above the map brings those who fail the check to the top of the table."""
    opened.page.select_option("#order", value="name")
    opened.page.click("#heat", position={"x": across(opened, LOST.check), "y": 50})
    order = opened.page.locator("#order option:checked").inner_text()
    first = names(opened)[0]
    opened.page.locator("#table tbody button").first.click()

    assert order == f"result of {LOST.check}"
    assert opened.page.inner_text("#details-title") == first
    assert f"{LOST.check} failed" in opened.page.inner_text("#details-body")


def test_hostile_text_is_text(opened: Opened) -> None:
    """Names and outputs that would be markup, end the script or turn the line show as they are written."""
    opened.page.fill("#search", "</script>")
    assert names(opened) == [NASTY[0]]
    opened.page.fill("#search", "gnp.exe")
    assert names(opened)[0] == "a\\u2028b\\u2029c \\u202egnp.exe \\x1b[31m \\u200b<!--"

    opened.page.fill("#search", "<img")
    opened.page.locator("#table tbody button").first.click()
    opened.page.locator("#details-body li button").first.click()
    shown = opened.page.inner_text("#details-body")
    assert f"says {NASTY[1]}" in shown
    assert opened.page.locator("main img, dialog img").count() == 0

    opened.page.keyboard.press("Escape")
    opened.page.locator("#pairs button", has_text="Open").click()
    assert opened.page.inner_text("#details-title") == f"{NASTY[0]} resembles bob"
    assert opened.page.locator("#details mark").count() == 2
    assert "no <b>archive</b>" in opened.page.inner_text("#problem-list")


def test_a_paragraph_is_copied(browser: Any, file: Path) -> None:
    """The button puts the announcement of its mistake on the clipboard, and says that it did."""
    with Opened(browser, file) as opened:
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened.page.wait_for_selector("html[data-ready]")
        opened.page.locator("#mistake-list button", has_text="Copy").first.click()
        opened.page.locator("#said", has_text="copied").wait_for(state="attached")
        text = opened.page.evaluate("navigator.clipboard.readText()")

        assert text == json.loads(opened.page.locator("#data").text_content())["mistakes"][0]["announcement"]
        assert opened.said == []


def test_the_changes_are_there(opened: Opened) -> None:
    """What changed since the last run: counts by cause, and each person's checks."""
    said = opened.page.inner_text("#changes-text")
    differ, higher, lower, same = map(int, re.findall(r"\d+", said))
    rows = opened.page.locator("#causes tbody tr").inner_text().split("\t")

    assert differ + same == 40
    assert rows == ["perhaps the code (a report does not hold it)", *map(str, (differ, higher, lower))]

    opened.page.locator("#changed tbody button").first.click()

    assert "nn.nn0.forward" in opened.page.inner_text("#details-body")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_and_can_be_read(browser: Any, file: Path, scheme: str, width: int) -> None:
    """Nothing is wider than the window, and text stands out by 4.5 to 1 in light and in dark."""
    with Opened(browser, file, width, scheme) as opened:
        opened.page.wait_for_selector("html[data-ready]")
        wide = opened.page.evaluate("document.documentElement.scrollWidth")
        colors = opened.page.evaluate(
            """() => ["ink", "soft", "accent", "good", "bad"].map((name) => [name,
              getComputedStyle(document.documentElement).getPropertyValue(`--${name}`),
              getComputedStyle(document.documentElement).getPropertyValue("--paper")])"""
        )

        assert wide <= width
        assert {name: contrast(one, paper) >= 4.5 for name, one, paper in colors} == dict.fromkeys(
            ["ink", "soft", "accent", "good", "bad"], True
        )


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color.strip()[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_switch_changes_light_and_dark(opened: Opened) -> None:
    """The button goes from the system's choice to light to dark."""
    paper = "getComputedStyle(document.body).backgroundColor"
    before = opened.page.evaluate(paper)
    opened.page.click("#theme")
    opened.page.click("#theme")

    assert before == "rgb(255, 255, 255)"
    assert opened.page.evaluate(paper) == "rgb(19, 23, 30)"


def test_everything_has_a_name(opened: Opened) -> None:
    """Every button, field and table has a name for those who listen to the page."""
    unnamed = opened.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, table, section, canvas, dialog")]
          .filter((one) => !(one.textContent.trim() || one.labels?.length || one.getAttribute("aria-label")
            || one.getAttribute("aria-labelledby"))).map((one) => one.outerHTML.slice(0, 80))"""
    )

    assert unnamed == []


def test_a_thousand_submissions_are_under_eight_megabytes(tmp_path: Path) -> None:
    """Reckoned from 200, with 168 checks each and failures in everybody's own numbers."""
    empty = page(tmp_path, [entry("nobody")]).stat().st_size
    some = page(tmp_path, many(200)[0]).stat().st_size

    assert empty < 1e6
    assert empty + 5 * (some - empty) < 8e6


def test_the_page_holds_nothing_that_loads(file: Path) -> None:
    """No address is in its markup, and what came from submissions cannot end the block of data."""
    text = file.read_text(encoding="utf-8")
    head, _, rest = text.partition('<script type="application/json" id="data">')
    block, _, script = rest.partition("</script>")

    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?!#|data:,)\w", head)
    assert "<" not in block
    assert json.loads(block)["title"] == "hw2: a class"
    assert script.count("</script>") == 1
