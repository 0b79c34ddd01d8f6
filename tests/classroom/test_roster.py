"""Whose submissions are found: in folders, archives and exports, in branches, under the names of a list."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.classroom import names, roster
from grader.classroom.roster import Roster
from grader.errors import UsageError
from tests.classroom.archives import write_zip

SOURCE = "python/needle/autograd.py"


def submission(folder: Path, inside: str = "") -> Path:
    """A folder that looks like a homework."""
    target = folder / inside / SOURCE
    target.parent.mkdir(parents=True)
    target.write_text("x = 1\n")
    return folder


def archive(path: Path) -> Path:
    """An archive that looks like a homework."""
    return write_zip(path, [(SOURCE, b"x = 1\n")])


def found(roster: Roster) -> dict[str, dict]:
    return {entry.student: entry.facts for entry in roster.entries}


def test_folders_and_archives_go_by_their_names(tmp_path: Path) -> None:
    """Each child of a folder is a submission; what is neither folder nor archive is not."""
    submission(tmp_path / "jane.doe")
    submission(tmp_path / "mary", "hw1")
    archive(tmp_path / "joe.zip")
    archive(tmp_path / "ann.tar.gz")
    (tmp_path / "notes.txt").write_text("late: joe")
    submission(tmp_path / ".trash")

    assert list(found(roster.collect([tmp_path]))) == ["ann", "jane.doe", "joe", "mary"]


@pytest.mark.parametrize("inside", ["", "hw1", "homework-1"])
def test_a_folder_that_is_a_submission(tmp_path: Path, inside: str) -> None:
    """It is one, whether the homework lies in it or in a folder named for it."""
    assert list(found(roster.collect([submission(tmp_path / "jane", inside)]))) == ["jane"]


def test_canvas(tmp_path: Path) -> None:
    """name_userid_fileid_filename, _LATE_ after the name; a text beside the archive is no second submission."""
    archive(tmp_path / "doejane_123_9001_hw2.zip")
    archive(tmp_path / "roejohn_LATE_124_9002_hw2-1.zip")
    (tmp_path / "doejane_123_9003_readme.pdf").write_bytes(b"%PDF")
    (tmp_path / "smithann_125_9004_oops.pdf").write_bytes(b"%PDF")

    entries = roster.collect([tmp_path])

    assert found(entries) == {
        "doejane": {"id": "123"},
        "roejohn": {"id": "124", "late": True},
        "smithann": {"id": "125"},
    }
    with pytest.raises(UsageError, match="neither a folder nor a readable"):
        entries.entries[-1].read()


def test_moodle(tmp_path: Path) -> None:
    """Full Name_id_assignsubmission_file_, folders or files, whatever is in the name."""
    submission(tmp_path / "Jane Doe_4711_assignsubmission_file_")
    submission(tmp_path / "Ana_María Roe_4712_assignsubmission_file")
    archive(tmp_path / "John Roe_4713_assignsubmission_file_hw2.zip")
    (tmp_path / "Jane Doe_4711_assignsubmission_onlinetext_").mkdir()

    assert found(roster.collect([tmp_path])) == {
        "Jane Doe": {"id": "4711"},
        "Ana_María Roe": {"id": "4712"},
        "John Roe": {"id": "4713"},
    }


def test_what_has_another_name_in_an_export(tmp_path: Path) -> None:
    """An archive or a homework that somebody has put beside an export's goes by its own name."""
    archive(tmp_path / "doejane_123_9001_hw2.zip")
    archive(tmp_path / "roejohn.zip")
    submission(tmp_path / "smithann")
    (tmp_path / "notes").mkdir()

    assert found(roster.collect([tmp_path])) == {"doejane": {"id": "123"}, "roejohn": {}, "smithann": {}}


METADATA = """---
submission_1:
  :submitters:
  - :name: Jane Doe
    :sid: '0042'
    :email: jane@example.org
  :created_at: 2025-01-01 10:00:00.000000000 -05:00
submission_2:
  :submitters:
  - :name: John Roe
    :email: john@example.org
  - :name: Ann Roe
    :email: ann@example.org
"""


def test_gradescope(tmp_path: Path) -> None:
    """Names are in the metadata; a group is one submission of all its members; no metadata, no name."""
    pytest.importorskip("yaml")
    for number in (1, 2, 3):
        submission(tmp_path / f"submission_{number}")
    (tmp_path / "submission_metadata.yml").write_text(METADATA)

    assert found(roster.collect([tmp_path])) == {
        "Jane Doe": {"submission": "1", "email": "jane@example.org", "sid": "0042"},
        "John Roe, Ann Roe": {
            "submission": "2",
            "email": "john@example.org, ann@example.org",
            "members": ["John Roe", "Ann Roe"],
        },
        "submission_3": {"submission": "3"},
    }


def test_gradescope_metadata_that_is_no_data(tmp_path: Path) -> None:
    """Objects are not made of it, and the reason is said."""
    pytest.importorskip("yaml")
    submission(tmp_path / "submission_1")
    (tmp_path / "submission_metadata.yml").write_text("a: !!python/object/apply:os.system ['true']")

    entries = roster.collect([tmp_path])

    assert entries.entries == []
    assert "submission_metadata.yml: cannot be read" in entries.refusals[0].reason


def test_github_classroom(tmp_path: Path) -> None:
    """assignment-username in assignment-submissions; a user's name may have hyphens."""
    for user in ("jane-doe", "joe"):
        folder = submission(tmp_path / "hw2-needle-submissions" / f"hw2-needle-{user}")
        (folder / ".git").mkdir()

    assert list(found(roster.collect([tmp_path / "hw2-needle-submissions"]))) == ["jane-doe", "joe"]


def test_github_by_what_all_share(tmp_path: Path) -> None:
    """Asked for by name, the beginning that all share up to a hyphen is the assignment's."""
    for user in ("jane-doe", "joe"):
        submission(tmp_path / f"hw2-{user}")

    assert list(found(roster.collect([tmp_path], "github"))) == ["jane-doe", "joe"]


def git(repository: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(repository), *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the branches main, hw2/jane and hw2/joe."""
    root = tmp_path / "course"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "commit", "-q", "--allow-empty", "-m", "start")
    for student in ("jane", "joe"):
        git(root, "checkout", "-q", "-b", f"hw2/{student}", "main")
        submission(root)
        (root / SOURCE).write_text(f"by = '{student}'\n")
        (root / "link.py").symlink_to("/etc/passwd")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "done")
    git(root, "checkout", "-q", "main")
    return root


def test_branches(repository: Path) -> None:
    """Each is a submission of its own files; what stands before the star is no part of a name."""
    entries = roster.collect([repository], "branches", "hw2/*")

    assert list(found(entries)) == ["jane", "joe"]
    for entry in entries.entries:
        listing = entry.read()
        assert {name: read() for name, read in listing.files.items()} == {
            SOURCE: f"by = '{entry.student}'\n".encode()
        }
        assert listing.left_out == {"link.py": "a link"}


def test_all_branches_but_the_trunk(repository: Path) -> None:
    """Without a pattern main is none."""
    assert list(found(roster.collect([repository], "branches"))) == ["hw2/jane", "hw2/joe"]


def test_filters_of_a_repository_do_not_run(repository: Path, tmp_path: Path) -> None:
    """A filter that the repository asks for is not called."""
    trace = tmp_path / "called"
    git(repository, "checkout", "-q", "hw2/joe")
    (repository / ".gitattributes").write_text("*.py filter=x\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "filter")
    for word in ("smudge", "process", "clean"):
        git(repository, "config", f"filter.x.{word}", f"touch {trace}")

    (entry,) = roster.collect([repository], "branches", "hw2/joe").entries

    assert entry.read().files[SOURCE]() == b"by = 'joe'\n"
    assert not trace.exists()


def test_not_a_repository(tmp_path: Path) -> None:
    """It is refused with git's reason."""
    (refusal,) = roster.collect([tmp_path], "branches").refusals

    assert "git cannot read it" in refusal.reason


def test_two_of_one_name(tmp_path: Path) -> None:
    """Nobody knows which one counts: both are refused, the others stay."""
    archive(tmp_path / "jane.zip")
    submission(tmp_path / "jane")
    submission(tmp_path / "joe")

    settled = roster.settle(roster.collect([tmp_path]))

    assert list(found(settled)) == ["joe"]
    assert [(one.student, one.kind) for one in settled.refusals] == [("jane", "same-name")] * 2
    assert "--names" in settled.refusals[0].reason


def test_an_export_that_is_still_packed(tmp_path: Path) -> None:
    """Of an archive of the whole class one submission would be found and no other: it is refused."""
    path = tmp_path / "submissions.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(f"Jane Doe_4711_assignsubmission_file_/{SOURCE}", "x = 1\n")

    (refusal,) = roster.collect([path]).refusals

    assert "unpack it" in refusal.reason


def test_a_path_given_twice(tmp_path: Path) -> None:
    """It is one submission."""
    path = archive(tmp_path / "jane.zip")

    assert list(found(roster.settle(roster.collect([path, path])))) == ["jane"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are written out, in names and in reasons, so that they can be stored."""
    archive(tmp_path / "jane.zip").rename(tmp_path / os.fsdecode(b"jan\xe9.zip"))
    (tmp_path / os.fsdecode(b"jo\xe9")).mkdir()

    entries = roster.collect([tmp_path, tmp_path / os.fsdecode(b"\xff")])

    assert list(found(entries)) == ["jan\\udce9", "jo\\udce9"]
    assert entries.refusals[0].reason.encode().endswith(b"\\udcff: no such file or folder")


def test_a_path_without_submissions(tmp_path: Path) -> None:
    """An empty folder and a path that is not there are listed, each with its reason."""
    (tmp_path / "empty").mkdir()

    refusals = roster.collect([tmp_path / "empty", tmp_path / "gone"]).refusals

    assert [one.reason.partition(": ")[2][:20] for one in refusals] == [
        "no submission in it:",
        "no such file or fold",
    ]


def _named(tmp_path: Path, text: str) -> tuple[Roster, list[str]]:
    submission(tmp_path / "class" / "doejane_123_9001_hw2")
    submission(tmp_path / "class" / "roejohn_124_9002_hw2")
    listed = tmp_path / "names.csv"
    listed.write_text(text, encoding="utf-8-sig")
    known = names.read(listed)
    settled = roster.settle(names.apply(known, roster.collect([tmp_path / "class"])))
    return settled, names.missing(known, settled)


def test_names_by_id_or_by_what_the_file_says(tmp_path: Path) -> None:
    """Any column but `name` is a key, without regard to case; the others come along; who is missing is known."""
    text = "Name,ID,Login\nJane Doe,123,jdoe\nJohn Roe,,ROEJOHN\nAnn Smith,125,asmith\n"

    settled, missing = _named(tmp_path, text)

    assert found(settled) == {
        "Jane Doe": {"id": "123", "login": "jdoe"},
        "John Roe": {"id": "124", "login": "ROEJOHN"},
    }
    assert missing == ["Ann Smith"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a first line of headings"),
        ("id,student\n1,Jane\n", "a first line of headings"),
        ("id,name\n1,Jane\n1,John\n", ":3: '1' stands on another line too"),
    ],
)
def test_a_list_of_names_that_is_none(tmp_path: Path, text: str, reason: str) -> None:
    """The line names the file and what is wrong with it."""
    with pytest.raises(UsageError, match=reason):
        _named(tmp_path, text)
