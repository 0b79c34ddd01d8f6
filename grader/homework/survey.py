"""What is known of a submission before its checks run: starter, imports, remarks."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from grader import places
from grader.homework.check import Homework
from grader.homework.submission import Submission
from grader.homework.trial import failure_of
from grader.replies import READING
from grader.sandbox.channel import Raised, Ticket, Worker, WorkerFault
from grader.sandbox.host import Zygote

REMARK_SECONDS = 5.0
UNREAD_SECONDS = 0.5  # for an answer that came long ago, and has not been read in a long run
UNREAD = {
    "id": "scaffold-edited",
    "file": "",
    "line": 0,
    "message": "edits of the scaffold could not be looked for: its sources take too long to read; "
    "for staff to look at",
}


@dataclass
class Facts:
    """The starter's year, remarks, where functions are defined, and modules that do not import.

    `broken` maps a module (`needle`, `simple_ml`) to the sentence that says why it cannot be used.
    """

    starter: str = "2024"
    notes: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, dict[str, Any] | None] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def cannot_import(self, module: str, text: str) -> None:
        """Note that a module cannot be used, and why."""
        self.broken[module] = f"{module} does not import: {text}"
        self.notes.append({"id": "import-failed", "message": self.broken[module]})

    def blocked(self, target: str) -> str:
        """Return why a check of `target` cannot run, "" if it can."""
        module = target.partition(".")[0]
        return self.broken.get(module) or self.broken.get("needle", "") if self.broken else ""


def survey(zygote: Zygote, taken: Submission, homework: Homework) -> Facts:
    """Look at the sources and import the modules, each in a worker; never raises for the submission's faults.

    The zygote has been started with `description(taken, homework)`.
    """
    facts = Facts()
    module = homework.modules[0]
    static = _ask(zygote, "survey.static", {}, facts, module, only="timeout")
    if zygote.is_unreadable:
        facts.cannot_import("needle", "the sources crash Python's own compiler, or keep it busy too long")
    facts.starter = "" if homework.id == "hw0" else _starter(taken.layout, static.get("only_raises", []))
    if not static and facts.broken:  # a worker imports needle before it answers, and that has not ended
        return facts
    unresolved = [one for one in static.get("unresolved", []) if isinstance(one, dict)]
    if unresolved:
        stubs = {one["module"].partition(".")[0] for one in unresolved if one["problem"] == "module"}
        dropped = [one for one in unresolved if not one["used"]]
        zygote.load({**zygote.submission, "dropped": dropped, "stubs": sorted(stubs)})
    own = homework.extension.module if homework.extension else ""
    facts.notes += [_copy_note(one) for one in static.get("copies", [])[:1]]
    facts.notes += [_import_note(one) for one in unresolved if one["module"] != own]
    _imports(zygote, homework, facts)
    return facts


def description(taken: Submission, homework: Homework) -> dict[str, Any]:
    """Return what the zygote needs to know of a submission."""
    tops = {*homework.folders, *homework.modules}
    return {
        "root": str(taken.root),
        "paths": search_paths(taken.root, homework),
        "compile": [name for name in taken.sources if name.partition("/")[0] in tops or "/" not in name],
        "eager": list(homework.eager),
    }


class Remarks:
    """Remarks that take a worker some time to find: asked for early, read at the end of the run."""

    def __init__(self, zygote: Zygote, homework: Homework, facts: Facts) -> None:
        self.zygote = zygote
        self.asked: dict[str, tuple[Worker, Ticket]] = {}
        if facts.places and not facts.broken:  # names that are not there are no typos where an import failed
            self._ask("typos", zygote.worker(), "survey.typos", [])
        given = np.frombuffer(json.dumps(_given(homework)).encode(), np.uint8)
        self._ask("edits", zygote.reader(), "survey.scaffold", [given])

    def _ask(self, key: str, worker: Worker, probe: str, arrays: list[np.ndarray]) -> None:
        worker.allow(min(REMARK_SECONDS, self.zygote.limits.check_seconds))
        self.asked[key] = worker, worker.post(probe, {}, arrays)

    def notes(self) -> list[dict[str, Any]]:
        """Return the remarks, none if the worker did not find them in time."""
        found = {key: _found(*asked, key) for key, asked in self.asked.items()}
        for worker, _ in self.asked.values():
            self.zygote.end(worker)
        edits = found["edits"]
        remarks = [_typo_note(one) for one in found.get("typos") or []]
        return remarks + ([UNREAD] if edits is None else [_edit_note(one) for one in edits])


def _found(worker: Worker, ticket: Ticket, key: str) -> list[dict[str, Any]] | None:
    """Return what was found, None if it was not in time, or could not be looked for."""
    worker.deadline = max(worker.deadline, time.monotonic() + UNREAD_SECONDS)
    try:
        found: list[dict[str, Any]] = worker.collect(ticket).values[key]
        return found
    except (WorkerFault, Raised):
        return None


def _given(homework: Homework) -> list[str]:
    """Return the handout's sources in which the scaffold's classes stand."""
    needle = places.starter(homework.id) / "python/needle"
    files = [needle / name for name in ("autograd.py", "nn/nn_basic.py", "optim.py")]
    return [file.read_text(encoding="utf-8") for file in files if file.exists()]


def search_paths(root: Path, homework: Homework) -> list[str]:
    """Return the folders that a student's modules are imported from, the homework's own first."""
    return [str(root / folder) for folder in homework.folders if (root / folder).is_dir()]


def _imports(zygote: Zygote, homework: Homework, facts: Facts) -> None:
    targets = {check.target for check in homework.checks() if check.target}
    targets |= {one.replace("__getitem__", "__init__") for one in targets}  # where a dataset is read
    paths = sorted(targets)
    arguments = {"modules": list(homework.modules), "paths": paths}
    found = _ask(zygote, "survey.imports", arguments, facts, module=homework.modules[0])
    for failed in found.get("failed", []):
        what = failed["raised"]
        failure = failure_of(what, failed["module"])
        place = what.get("syntax") or failure.location
        where = f" at {place['file']}:{place['line']}" if place else ""
        text = f"{failed['module']} does not import: {what['type']}: {what['text']}{where}"
        facts.broken[failed["module"]] = text
        note = {"id": "import-failed", "message": text, "help": failure.help}
        facts.notes.append(note | ({"file": place["file"], "line": place["line"]} if place else {}))
    facts.places = dict(zip(paths, found.get("places", []), strict=False))


def _ask(
    zygote: Zygote, probe: str, arguments: dict[str, Any], facts: Facts, module: str = "", only: str = ""
) -> dict[str, Any]:
    """Ask one question of a fresh worker; a worker that dies of it breaks `module` and is said.

    With `only`, a fault of another verdict says nothing: the next question tells.
    """
    worker = zygote.reader() if probe in READING else zygote.worker()
    worker.allow(zygote.limits.check_seconds)
    try:
        return worker.ask(probe, arguments, []).values
    except (WorkerFault, Raised) as fault:
        if module and only in ("", getattr(fault, "verdict", "raised")):
            facts.cannot_import(module, str(fault))
        return {}
    finally:
        zygote.end(worker)


def _starter(layout: str, only_raises: list[dict[str, Any]]) -> str:
    """Return the year of the starter: 2022 has single files, 2023 an EWisePow gradient that always raises."""
    if layout == "2022":
        return "2022"
    for one in only_raises:
        if one["function"] == "EWisePow.gradient" and one["raises"] in ("guard", "ValueError", "TypeError"):
            return "2023"
    return "2024"


def _import_note(one: dict[str, Any]) -> dict[str, Any]:
    what = f"`{one['module']}`" if one["problem"] == "module" else f"`{one['name']}` of `{one['module']}`"
    how = (
        "it is used, so code that reaches it fails"
        if one["used"]
        else "nothing uses it, so the import is passed over"
    )
    return {
        "id": "import-missing",
        "file": one["file"],
        "line": one["line"],
        "message": f"{one['file']}:{one['line']} imports {what}, which the grader does not have; {how}",
    }


def _copy_note(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "two-tensor-classes",
        "file": one["file"],
        "line": one["line"],
        "message": f"{one['file']}:{one['line']} imports `{one['module']}`: run as it is, two Tensor "
        "classes are loaded; import from `needle` everywhere",
    }


def _edit_note(one: dict[str, Any]) -> dict[str, Any]:
    where = f"{one['file']}:{one['line']}: " if one["file"] else ""
    return {
        "id": "scaffold-edited",
        "file": one["file"],
        "line": one["line"],
        "message": f"{where}{one['how']}: an edit that touches {one['what']}; for staff to look at",
    }


def _typo_note(one: dict[str, Any]) -> dict[str, Any]:
    meant = f"; did you mean `{one['meant']}`?" if one.get("meant") else ""
    return {
        "id": "typo",
        "file": one["file"],
        "line": one["line"],
        "message": f"{one['file']}:{one['line']}: `{one['text']}` does not exist{meant}",
    }
