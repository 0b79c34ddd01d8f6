"""Takes a submission: finds the homework's root in it, copies it, lays it over the starter."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from grader import places
from grader.classroom import hygiene
from grader.classroom.files import MOST_BYTES, Listing, listing
from grader.errors import UsageError
from grader.homework.submission import Submission

HOMEWORKS = ("hw0", "hw1", "hw2")
MOST_IGNORES, LONGEST_IGNORE = 20, 64 * 1024  # files of rules that are looked at, and bytes of each


def take(path: Path, homework: str, into: Path) -> Submission:
    """Copy the homework's root, found wherever it lies in `path`, to `into`.

    Raises `UsageError` when `path` cannot be read, holds no homework, or holds another one.
    """
    found = listing(path)
    prefix = find_root(found, homework, path)
    files = {name[len(prefix) :]: read for name, read in found.files.items() if name.startswith(prefix)}
    notes = left_out(found, prefix)
    total = 0
    for name, read in list(files.items()):
        data = read()
        total += len(data)
        if total > MOST_BYTES:
            raise UsageError(f"{path}: more than {MOST_BYTES // (1 << 20)} MiB in all")
        reason = hygiene.refused(data) if name.endswith(".py") else None
        if reason is not None:
            notes.append({"id": "left-out", "file": name, "message": f"{name} is not used: {reason}"})
            del files[name]
            continue
        notes += hygiene.remarks(name, data) if name.endswith(".py") else []
        write(into / name, data)
    layout = "" if homework == "hw0" else _layout(files)
    notes += _lay_over_starter(files, homework, layout, into, found, prefix)
    sources = sorted(
        file.relative_to(into).as_posix()
        for file in into.rglob("*.py")
        if _may_be_imported(file.relative_to(into), homework)
    )
    return Submission(str(path), into, layout, sources, notes)


def write(path: Path, data: bytes) -> None:
    """Write a file of the copy, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def kinds(files: Iterable[str], prefix: str) -> set[str]:
    """Return the homeworks that the files below `prefix` can be."""
    inside = {name[len(prefix) :] for name in files if name.startswith(prefix)}
    needle = _needle(inside)
    found = {"hw0"} if inside & {"src/simple_ml.py", "src/simple_ml_ext.cpp"} else set()
    if needle is not None:
        has_nn = any(name.startswith(f"{needle}/nn") for name in inside)
        has_apps = bool(inside & {"apps/simple_ml.py", "simple_ml.py"})
        is_hw2 = has_nn or bool(inside & {"apps/mlp_resnet.py", f"{needle}/optim.py"})
        found |= {"hw1"} if has_apps or not is_hw2 else set()
        found |= {"hw2"} if is_hw2 else set()
    return found


def find_root(found: Listing, homework: str, path: Path) -> str:
    """Return the prefix ("" or "a/b/") of the homework's root among the files."""
    prefixes = sorted(set(_prefixes(found.files)), key=lambda prefix: (prefix.count("/"), prefix))
    by_kind = {prefix: kinds(found.files, prefix) for prefix in prefixes}
    fitting = [prefix for prefix in prefixes if homework in by_kind[prefix]]
    if fitting:
        return min(fitting, key=lambda prefix: _unlikeliness(prefix, homework))
    others = sorted(set().union(*by_kind.values())) if by_kind else []
    if others:
        raise UsageError(
            f"{path}: this looks like {others[-1]}, not {homework}; "
            f"try `python -m grader {others[-1]} {path}`"
        )
    wanted = "src/simple_ml.py" if homework == "hw0" else "python/needle"
    empty = (
        f" (empty: {', '.join(found.empty_folders[:3])}; a nested repository?)" if found.empty_folders else ""
    )
    raise UsageError(f"{path}: not a homework: no folder in it holds {wanted}{empty}")


def _unlikeliness(prefix: str, homework: str) -> tuple[bool, bool, int, str]:
    """Return the sorting key of a root: its folder's own name counts most, then its path, then its depth."""
    own = PurePosixPath(prefix.lower()).name
    return homework not in own, homework not in prefix.lower(), prefix.count("/"), prefix


def _prefixes(files: Iterable[str]) -> Iterable[str]:
    for name in files:
        parts = PurePosixPath(name).parts
        for at, part in enumerate(parts[:-1]):
            if part in ("python", "needle", "src", "apps"):
                yield "/".join(parts[:at]) + "/" if at else ""


def _needle(inside: set[str]) -> str | None:
    """Return where needle lies below a root: `python/needle` or `needle`."""
    for place in ("python/needle", "needle"):
        if any(name.startswith(place + "/") and name.endswith(".py") for name in inside):
            return place
    return None


def _layout(files: Iterable[str]) -> str:
    place = _needle(set(files))
    return "2022" if f"{place}/ops.py" in files else "2023"


def _may_be_imported(path: Path, homework: str) -> bool:
    """Tell whether a file belongs to the homework: what lies at the root counts, tests do not."""
    folders = ("src",) if homework == "hw0" else ("python", "needle", "apps")
    return len(path.parts) == 1 or (path.parts[0] in folders and "tests" not in path.parts)


def left_out(found: Listing, prefix: str) -> list[dict[str, Any]]:
    """Return a note for each source below `prefix` that is not used, with the reason."""
    return [
        {"id": "left-out", "file": name, "message": f"{name} is not used: {reason}"}
        for name, reason in found.left_out.items()
        if name.startswith((prefix, "'", '"')) and name.endswith((".py", ".cpp", "'", '"'))
    ][:20]


def _lay_over_starter(
    files: Iterable[str], homework: str, layout: str, into: Path, found: Listing, prefix: str
) -> list[dict[str, Any]]:
    """Add the files of the starter that the submission lacks; return a note for each."""
    here = set(files)
    place = _needle(here)
    notes = []
    for source in sorted(places.starter(homework).rglob("*.py")):
        name = source.relative_to(places.starter(homework)).as_posix()
        if name.startswith("tests/"):
            continue
        name = name if place is None else name.replace("python/needle", place, 1)
        if name in here or _has_other_form(name, place, here):
            continue
        if layout == "2022" and not _is_mentioned(PurePosixPath(name).stem, into):
            continue
        write(into / name, source.read_bytes())
        notes.append(
            {
                "id": "missing-file",
                "file": name,
                "message": f"{name} is missing: taken from the starter{_why(name, found, prefix)}",
            }
        )
    return notes


def _is_mentioned(module: str, root: Path) -> bool:
    """Tell whether any source of the submission names a module."""
    return any(module.encode() in source.read_bytes() for source in root.rglob("*.py"))


def _has_other_form(name: str, place: str | None, here: set[str]) -> bool:
    """Tell whether a package of the starter is a single file in the submission, or lies elsewhere."""
    if name == "apps/simple_ml.py" and "simple_ml.py" in here:
        return True
    if place is None or not name.startswith(place + "/"):
        return False
    part = name[len(place) + 1 :].split("/")
    return len(part) > 1 and f"{place}/{part[0]}.py" in here


def _why(name: str, found: Listing, prefix: str) -> str:
    """Return the line of a .gitignore that explains a missing file, "" if none does."""
    ignored = set(PurePosixPath(name).parts)
    ignores = [one for one in found.files if PurePosixPath(one).name == ".gitignore"]
    for ignore in ignores[:MOST_IGNORES]:
        text = found.files[ignore]()[:LONGEST_IGNORE].decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            rule = line.strip()
            if not rule.startswith(("#", "!")) and rule.strip("/") in ignored:
                return f" ({ignore}:{number} ignores `{rule}`)"
    return ""
