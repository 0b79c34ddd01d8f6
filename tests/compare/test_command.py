"""The commands, as they are called: what they write where, and one line for what cannot be done."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from grader.classroom import store
from grader.classroom.store.writing import Graded
from grader.report.model import Report
from tests.cli.commands import call
from tests.compare.people import CLASS_WIDE, ENVIRONMENT, person

TWO = (CLASS_WIDE[0], CLASS_WIDE[9])


def kept(folder: Path, *reports: Report) -> list[Path]:
    """Report files, as `--json` writes them."""
    paths = []
    for number, report in enumerate(reports):
        paths.append(folder / f"s{number}.json")
        paths[-1].write_text(json.dumps(report.as_dict()))
    return paths


def filled(path: Path) -> Path:
    """A store with two runs: ann has mended her fault in the second, bob has broken something."""
    with store.create(path) as db:
        for number, faults in enumerate([{"ann": TWO, "bob": ()}, {"ann": TWO[:1], "bob": TWO[1:]}]):
            run = db.start("hw2", "0", ENVIRONMENT, {}, False)
            for name, some in faults.items():
                key = f"{name}{number}"
                data = person(name, *some).as_dict()
                db.add(run, Graded(name, {}, key, key, "", b"", name, data))
            db.finish(run)
    return path


def test_report_files_become_a_page(tmp_path: Path) -> None:
    """Without options the page is written beside the caller, and the commonest mistakes are told."""
    kept(tmp_path, person("a", *TWO), person("b", TWO[0]), person("c"))

    done = call("compare", "s0.json", "s1.json", "s2.json", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "hw2: 3 submissions" in done.stdout
    assert "2 of 3  nn0.forward" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "<title>hw2: 3 submissions</title>" in (tmp_path / "compare.html").read_text()


def test_a_page_with_marks_is_private(tmp_path: Path) -> None:
    """Page and tables of a class can be read by nobody else."""
    kept(tmp_path, person("a", *TWO), person("b", TWO[0]), person("c"))
    written = ("compare.html", "wide.csv")

    done = call(
        "compare", "s0.json", "s1.json", "s2.json", "--html", written[0], "--csv", written[1], cwd=tmp_path
    )

    assert done.returncode == 0
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in written] == [0o600, 0o600]


def test_two_reports_are_old_and_new(tmp_path: Path) -> None:
    """Check by check what came of it, on the terminal; no page unless it is asked for."""
    kept(tmp_path, person("a", CLASS_WIDE[0]), person("a", CLASS_WIDE[9]))

    done = call("compare", "s0.json", "s1.json", cwd=tmp_path)

    assert done.returncode == 0
    assert "up     nn.nn0.forward: failed -> passed" in done.stdout
    assert "down   optim.optim0.forward: passed -> failed" in done.stdout
    assert "optim0.step: way 1 of being wrong" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not (tmp_path / "compare.html").exists()


def test_a_store_is_compared_with_its_run_before(tmp_path: Path) -> None:
    """The last run, what changed since the one before, and that the code did."""
    path = filled(tmp_path / "class.db")

    done = call("compare", path, "--json", "-")
    data = json.loads(done.stdout)

    assert data["students"] == ["ann", "bob"]
    assert data["scores"] == [139.0, 167.0]
    assert [(one["before"], one["after"], one["causes"]) for one in data["changes"]] == [
        (138.0, 139.0, ["code"]),
        (168.0, 167.0, ["code"]),
    ]
    assert "1 higher, 1 lower, 0 the same" in done.stderr


def test_two_runs_can_be_named(tmp_path: Path) -> None:
    """--run and --before choose them; the first run alone has none before it."""
    path = filled(tmp_path / "class.db")

    first = json.loads(call("compare", path, "--run", 1, "--json", "-").stdout)
    turned = json.loads(call("compare", path, "--run", 1, "--before", 2, "--json", "-").stdout)

    assert (first["scores"], first["compared"]) == ([138.0, 168.0], False)
    assert [(one["before"], one["after"]) for one in turned["changes"]] == [(139.0, 138.0), (167.0, 168.0)]


def test_tables_go_where_they_are_sent(tmp_path: Path) -> None:
    """CSV on standard output is nothing but CSV; the summary goes to the other stream."""
    kept(tmp_path, person("a", *TWO), person("b"), person("c"))

    done = call(
        "compare", "s0.json", "s1.json", "s2.json", "--csv", "-", "--csv-long", "long.csv", cwd=tmp_path
    )
    lines = list(csv.DictReader(io.StringIO(done.stdout)))

    assert [line["student"] for line in lines] == ["s0", "s1", "s2"]
    assert len((tmp_path / "long.csv").read_text().splitlines()) == 1 + 3 * 168
    assert "hw2: 3 submissions" in done.stderr


def test_time_can_be_held_against_the_reference(tmp_path: Path) -> None:
    """The reference's report says how long its checks take: 168 of a hundredth of a second each."""
    kept(tmp_path, person("a"), person("b"), person("c"))

    words = ("s0.json", "s1.json", "s2.json", "--reference", "s1.json", "--json", "-")
    data = json.loads(call("compare", *words, cwd=tmp_path).stdout)

    assert data["facts"]["reference_seconds"] == 1.68


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """Two reports in folders of their own go by folder and name."""
    for name in ("ann", "bob", "eve"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(json.dumps(person(name).as_dict()))

    paths = [tmp_path / name / "report.json" for name in ("ann", "bob", "eve")]
    data = json.loads(call("compare", *paths, "--json", "-").stdout)

    assert data["students"] == ["ann/report", "bob/report", "eve/report"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.json"], "missing.json: cannot be read"),
        (["text.json"], "text.json: not a report of this grader"),
        (["s0.json", "class.db"], "not mixed"),
        (["s0.json", "other.json", "s1.json"], "hw1 and hw2"),
        (["s0.json", "s1.json", "--run", "3"], "--run and --before choose runs of a store"),
        (["class.db", "--run", "9"], "there is no run 9; the runs there are: 1 (hw2), 2 (hw2)"),
        (["class.db", "--homework", "hw0"], "there is no run of hw0"),
        (["class.db", "--html", "no/where/page.html"], "no/where/page.html: cannot be written"),
        (["s0.json", "s1.json", "--similar"], "reports hold no code"),
        (["class.db", "class.db", "class.db"], "two of them (OLD NEW)"),
    ],
    ids=[
        "missing",
        "text",
        "mixed",
        "homeworks",
        "runs",
        "no-run",
        "no-homework",
        "unwritable",
        "similar",
        "three",
    ],
)
def test_what_cannot_be_compared_is_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    """Exit 2, the reason and nothing else, nothing written."""
    kept(tmp_path, person("a"), person("b"))
    (tmp_path / "text.json").write_text("{}")
    (tmp_path / "other.json").write_text(json.dumps({**person("c").as_dict(), "homework": "hw1"}))
    filled(tmp_path / "class.db")

    done = call("compare", *words, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "compare.html").exists()
