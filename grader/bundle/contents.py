"""Which files a bundle is made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from grader import places
from grader.bundle.archive import PLAIN, PROGRAM, SECRET
from grader.bundle.settings import Settings
from grader.errors import UsageError
from grader.report import gradescope, prairielearn

TEMPLATES = Path(__file__).with_name("files")
# what the grader needs to run, as pyproject.toml has it
REQUIREMENTS = ("numpy>=1.26", "hypothesis>=6.100", "numdifftools>=0.9.41", "pybind11>=2.12")
KINDS = ("gradescope", "docker", "prairielearn", "student")
LEFT_OUT = ("__pycache__", ".pyc", ".so")
NOT_GRADED = "grading has not finished: the grader was ended or did not start; ask the staff to grade again"

Contents = dict[str, tuple[bytes, int]]


def of(kind: str, settings: Settings, seed: bytes = b"", wheels: Path | None = None) -> Contents:
    """Return name to content and mode of the files of a bundle.

    `seed` is the secret of the second run; `wheels` a folder of packages to install without a network.
    Raises `UsageError` where the project's own files are not there, as in a student's bundle.
    """
    if not (places.REFERENCE.is_dir() and places.starter(settings.homework).is_dir()):
        raise UsageError("reference/ and the handouts are not here: bundles are made from the whole project")
    if kind == "student":
        return _student(settings)
    found: Contents = {f"project/{name}": one for name, one in _project(settings.homework, "reference")}
    found |= dict(_templates(kind, settings))
    found["settings.json"] = (settings.dumps().encode(), PLAIN)
    found["requirements.txt"] = (_lines(REQUIREMENTS), PLAIN)
    found["not-graded.json"] = (_not_graded(kind, settings), PLAIN)
    if settings.secret:
        found["seed"] = (seed, SECRET)
    for file in sorted(wheels.glob("*.whl")) if wheels else ():
        found[f"wheels/{file.name}"] = (file.read_bytes(), PLAIN)
    return found


def _student(settings: Settings) -> Contents:
    """Return a folder with the grader and the handout, and no solution."""
    top = f"needle-grader-{settings.homework}/"
    found = {top + name: one for name, one in _project(settings.homework)}
    return found | {top + name: one for name, one in _templates("student", settings)}


def _project(homework: str, *more: str) -> Iterator[tuple[str, tuple[bytes, int]]]:
    """Yield the grader, the handout of a homework, and what is named besides."""
    for folder in ("grader", homework, *more):
        for file in sorted((places.ROOT / folder).rglob("*")):
            name = file.relative_to(places.ROOT).as_posix()
            parts = name.split("/")
            is_ours = not any(part.startswith(".") or part.endswith(LEFT_OUT) for part in parts)
            if file.is_file() and not file.is_symlink() and is_ours:
                yield name, (file.read_bytes(), PLAIN)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        yield name, ((places.ROOT / name).read_bytes(), PLAIN)


def _templates(kind: str, settings: Settings) -> Iterator[tuple[str, tuple[bytes, int]]]:
    """Yield the files of one kind of bundle, `@WORD@` in them filled in."""
    words = {"@HOMEWORK@": settings.homework, "@SECONDS@": str(settings.whole_seconds)}
    compiler = "g++ python3-dev" if kind == "gradescope" else "g++"  # Ubuntu has the headers apart
    words |= {"@PACKAGES@": compiler if settings.homework == "hw0" else ""}
    for file in sorted((TEMPLATES / kind).iterdir()):
        text = file.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        yield file.name, (text.encode(), PROGRAM if text.startswith("#!") else PLAIN)


def _not_graded(kind: str, settings: Settings) -> bytes:
    """Return the zero that is put down before anything else."""
    made = {"gradescope": gradescope.failed, "prairielearn": prairielearn.failed}
    if kind in made:
        return json.dumps(made[kind](NOT_GRADED), indent=1).encode() + b"\n"
    from grader.classroom import guard

    return guard.zero(settings.homework, NOT_GRADED).encode()


def _lines(words: tuple[str, ...]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()
