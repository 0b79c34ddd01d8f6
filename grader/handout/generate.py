"""`hw0/ hw1/ hw2/` from `reference/`: make them, write them, compare them."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from pathlib import Path

from grader.handout.errors import HandoutError
from grader.handout.filled import has_solution
from grader.handout.narrow import narrow_imports
from grader.handout.regions import empty
from grader.handout.table import HANDOUTS, IGNORED_NAMES, IGNORED_SUFFIXES

REPOSITORY = Path(__file__).resolve().parents[2]


def generate(homework: str, reference: Path = REPOSITORY / "reference") -> dict[str, bytes]:
    """The files of a handout: path relative to its root -> content, the same on every platform.

    Raises HandoutError when a file named in the table is missing or cannot be emptied.
    """
    handout = HANDOUTS[homework]
    texts = reference / "handouts" / homework
    stubs = _matches(reference, handout.stubs)
    made = {name: _stub(path, name, stubs.keys()) for name, path in stubs.items()}
    made |= {name: _copied(path) for name, path in _matches(reference, handout.copies).items()}
    made |= {name: _copied(path) for name, path in _matches(texts, ("**/*",)).items()}
    return dict(sorted(made.items()))


def write(root: Path = REPOSITORY, *, force: bool = False) -> list[str]:
    """Write all handouts below `root`, from `root / "reference"`; the paths that changed.

    Raises HandoutError, and changes nothing, when a file there holds a solution and `force` is not given.
    """
    wanted = _wanted(root)
    changed = [name for name, content in wanted.items() if _read(root / name) != content]
    solved = [name for name in changed if not force and has_solution(_read(root / name), wanted[name], name)]
    if solved:
        raise HandoutError(f"{solved[0]}: holds a solution that would be lost; move it away, then try again")
    for name in changed:
        replace_file(root / name, wanted[name])
    return changed


def check(root: Path = REPOSITORY) -> list[str]:
    """How the handouts below `root` differ from what `root / "reference"` gives; empty when they do not.

    One entry a file: a unified diff, or a line that says it is missing, extra, or not the same bytes.
    """
    wanted = _wanted(root)
    present = {f"{homework}/{name}" for homework in HANDOUTS for name in _matches(root / homework, ("**/*",))}
    found = [f"{name}: extra, reference/ does not give it" for name in sorted(present - wanted.keys())]
    for name, content in wanted.items():
        found += _difference(name, _read(root / name), content)
    return found


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step: after an error the old file is still whole.

    Raises HandoutError when the disk refuses.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        os.replace(temporary, path)
    except OSError as error:
        reason = error.strerror or error
        raise HandoutError(f"{path}: cannot be written ({reason}); it is as it was, try again") from None
    finally:
        temporary.unlink(missing_ok=True)


def _wanted(root: Path) -> dict[str, bytes]:
    return {
        f"{homework}/{name}": content
        for homework in HANDOUTS
        for name, content in generate(homework, root / "reference").items()
    }


def _matches(root: Path, patterns: tuple[str, ...]) -> dict[str, Path]:
    """Files below `root`, by their path with forward slashes. A pattern without `*` must match."""
    found: dict[str, Path] = {}
    for pattern in patterns:
        paths = list(root.glob(pattern))
        if not paths and "*" not in pattern:
            raise HandoutError(f"{root.name}/{pattern}: missing; put it back, or take it out of the table")
        for path in paths:
            relative = path.relative_to(root)
            if (
                path.is_file()
                and not IGNORED_NAMES & set(relative.parts)
                and path.suffix not in IGNORED_SUFFIXES
            ):
                found[relative.as_posix()] = path
    return found


def _stub(path: Path, name: str, files: AbstractSet[str]) -> bytes:
    text = empty(_copied(path).decode("utf-8"), name)
    if path.name == "__init__.py":
        text = narrow_imports(text, name, files)
    return text.encode("utf-8")


def _copied(path: Path) -> bytes:
    """The bytes of a file; text with LF line ends whatever the checkout made of them."""
    content = path.read_bytes()
    return content if _is_binary(path.name, content) else content.replace(b"\r\n", b"\n")


def _is_binary(name: str, content: bytes) -> bool:
    return name.endswith(".gz") or b"\0" in content


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _difference(name: str, present: bytes | None, wanted: bytes) -> list[str]:
    if present == wanted:
        return []
    if present is None:
        return [f"{name}: missing"]
    if _is_binary(name, wanted) or b"\0" in present:
        return [f"{name}: not the same bytes as in reference/"]
    if present.replace(b"\r\n", b"\n") == wanted:
        return [f"{name}: line ends are CRLF, should be LF"]
    import difflib  # only a difference pays for it

    old, new = (content.decode("utf-8", "replace").splitlines() for content in (present, wanted))
    return ["\n".join(difflib.unified_diff(old, new, name, f"{name} (from reference/)", lineterm=""))]
