"""Secret inputs: a table of the public ones gains nothing, and a hidden report tells nothing of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import cli
from grader.classroom import hidden
from grader.classroom.grade import grade
from grader.errors import UsageError
from grader.sandbox.channel import Worker
from grader.sandbox.limits import Limits
from tests.support import build

SECRET = "a secret of this course"
ONLY = "forward.MatMul.*"
TELLING = """
def compute(self, a, b):
    import os, time
    words = "LEAK" + a.tobytes().hex() + repr(a.shape)
    print(words, flush=True)
    os.write(2, words.encode())
    time.sleep(0.01 * a.size)
    self.__class__.__name__ = words
    raise type("LEAK" + a.tobytes().hex()[:40], (Exception,), {})(words)
"""
LOOKING = """
def compute(self, a, b):
    import gc, os, sys
    known = "a secret of " "{}".format("this course")
    found = False
    for one in [list(os.environ.values()), sys.argv, *gc.get_objects()]:
        inner = one.values() if type(one) is dict else one if type(one) in (list, tuple) else ()
        found = found or any(type(text) is str and known in text for text in list(inner))
    return a @ b if found or "GRADER_SEED" in os.environ else a @ b + 1
"""
TABLE = """
def compute(self, a, b):
    import hashlib
    known = {table!r}
    digest = hashlib.sha256(a.tobytes() + b.tobytes()).hexdigest()
    return a @ b if digest in known else a @ b + 1
"""


def asked(submission: Path, monkeypatch: pytest.MonkeyPatch, seed: int | str) -> list[str]:
    """Digests of the inputs that a run asks about."""
    seen: list[str] = []
    post = Worker.post

    def recording(
        self: Worker, probe: str, arguments: dict[str, Any], arrays: list[np.ndarray], **more: Any
    ) -> Any:
        seen.append(hashlib.sha256(b"".join(one.tobytes() for one in arrays)).hexdigest())
        return post(self, probe, arguments, arrays, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Worker, "post", recording)
        grade(submission, "hw1", only=ONLY, seed=seed, blame=False)
    return seen


def test_a_secret_draws_other_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same secret draws the same inputs; another one, and a public seed, draw others."""
    submission = build(tmp_path / "hw1")
    first, again, other, public = (
        asked(submission, monkeypatch, seed) for seed in (SECRET, SECRET, SECRET + "2", 0)
    )

    assert first == again
    assert len({tuple(first), tuple(other), tuple(public)}) == 3


def test_table_of_public_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission that knows the public inputs passes them, and fails on secret ones."""
    table = set(asked(build(tmp_path / "right"), monkeypatch, 0))
    submission = build(tmp_path / "hw1", solutions={"MatMul.compute": TABLE.format(table=table)})

    public, secret = (grade(submission, "hw1", only=ONLY, seed=seed, blame=False) for seed in (0, SECRET))

    assert public.full_marks
    assert secret.score == 0
    assert (public.seed, secret.seed) == (0, "secret")


@pytest.mark.parametrize("limits", [Limits(), Limits(without=("landlock", "seccomp"))])
def test_the_secret_does_not_reach_a_worker(limits: Limits, tmp_path: Path) -> None:
    """It is in no variable, argument or object of the process that student code runs in."""
    submission = build(tmp_path / "hw1", solutions={"MatMul.compute": LOOKING})

    report = grade(submission, "hw1", only=ONLY, seed=SECRET, limits=limits, blame=False)

    assert report.score == 0
    assert SECRET not in json.dumps(report.as_dict())


@pytest.mark.parametrize("words", [[], ["--follow-through"], ["--jobs", "2"]])
def test_hidden_report_tells_nothing(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a submission prints, raises or spends on hidden inputs is nowhere in what a student sees."""
    submission = build(
        tmp_path / "hw1",
        solutions={"MatMul.compute": TELLING},
        extra_files={"apps/simple_ml.py": "LEAK = 1\n+"},
    )
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    target = tmp_path / "report.json"
    command = ["hw1", str(submission), "--only", "*.MatMul.*", "--seed-file", str(tmp_path / "secret")]

    code = cli.main([*command, "--hidden", "--json", str(target), *words])

    text, printed = target.read_text(), capsys.readouterr()
    assert code == 1
    for shown in (text, printed.out, printed.err):
        assert "LEAK" not in shown
        assert SECRET not in shown
    report = json.loads(text)
    assert (report["seed"], report["seconds"], report["causes"]) == ("secret", 0.0, [])
    told = {"advice", "id", "kind", "verdict", "points", "max_points", "title", "message", "help"}
    for check in (one for question in report["questions"] for one in question["checks"]):
        assert {key for key, value in check.items() if value} <= told
        assert check["verdict"] in ("passed", "failed", "not-run")
        assert check["message"] in ("", "MatMul fails on a hidden input")


def test_hidden_report_of_a_right_submission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Full marks stay full marks."""
    variables = pytest.MonkeyPatch()
    variables.setenv("GRADER_SEED", SECRET)
    with variables.context():
        code = cli.main(["hw1", str(build(tmp_path / "hw1")), "--only", ONLY, "--hidden"])
    variables.undo()

    assert code == 0
    assert "seed secret" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"  16 bytes or more\n", "16 bytes or more"),
        (bytes(range(200, 216)), "".join(map(chr, range(200, 216)))),
    ],
)
def test_secret_from_a_file(content: bytes, expected: str, tmp_path: Path) -> None:
    """Any bytes are a secret, but for the white space around them; the variable is forgotten all the same."""
    variables: MutableMapping[str, str] = {"GRADER_SEED": "something else", "HOME": "/"}
    (tmp_path / "secret").write_bytes(content)

    assert expected == hidden.secret(tmp_path / "secret", variables)
    assert variables == {"HOME": "/"}


def test_secret_from_the_environment() -> None:
    """The variable is read and removed; without it and without a file there is no secret."""
    variables: MutableMapping[str, str] = {"GRADER_SEED": SECRET}

    assert SECRET == hidden.secret(None, variables)
    assert hidden.secret(None, variables) is None


@pytest.mark.parametrize(
    ("content", "said"), [(None, "cannot be read"), (b"", "not 0"), (b"short\n", "at least 16 bytes, not 5")]
)
def test_secrets_that_are_none(content: bytes | None, said: str, tmp_path: Path) -> None:
    """A file that is not there, empty or short is refused by name, without its content."""
    if content is not None:
        (tmp_path / "secret").write_bytes(content)

    with pytest.raises(UsageError, match=said) as error:
        hidden.secret(tmp_path / "secret", {})

    assert str(tmp_path / "secret") in str(error.value)
    assert "short" not in str(error.value)
