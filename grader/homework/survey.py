"""What is known of a submission before its checks run: starter, imports, remarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.classroom.intake import Intake
from grader.homework.check import Homework
from grader.homework.trial import failure_of
from grader.sandbox.host import Raised, WorkerFault, Zygote


@dataclass
class Facts:
    """The starter's year, remarks, where functions are defined, and modules that do not import.

    `broken` maps a module (`needle`, `simple_ml`) to the sentence that says why it cannot be used.
    """

    starter: str = "2024"
    notes: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, dict[str, Any] | None] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def blocked(self, target: str) -> str:
        """Return why a check of `target` cannot run, "" if it can."""
        module = target.partition(".")[0]
        return self.broken.get(module) or self.broken.get("needle", "") if self.broken else ""


def survey(zygote: Zygote, taken: Intake, homework: Homework) -> Facts:
    """Read the sources and import the modules, each in a worker of its own; never raises for their faults."""
    facts = Facts()
    static = _ask(zygote, "survey.static", {"files": taken.sources}, facts)
    facts.starter = "" if homework.id == "hw0" else _starter(taken.layout, static.get("only_raises", []))
    unresolved = [one for one in static.get("unresolved", []) if isinstance(one, dict)]
    zygote.load(
        {
            "root": str(taken.root),
            "paths": search_paths(taken.root, homework),
            "compile": [] if facts.broken else taken.sources,
            "dropped": [one for one in unresolved if not one["used"]],
            "stubs": sorted(
                {one["module"].partition(".")[0] for one in unresolved if one["problem"] == "module"}
            ),
            "eager": list(homework.eager),
        }
    )
    facts.notes += [_import_note(one) for one in unresolved]
    facts.notes += [_typo_note(one) for one in static.get("typos", [])]
    _imports(zygote, homework, facts)
    return facts


def search_paths(root: Path, homework: Homework) -> list[str]:
    """Return the folders that a student's modules are imported from, the homework's own first."""
    return [str(root / folder) for folder in homework.folders if (root / folder).is_dir()]


def _imports(zygote: Zygote, homework: Homework, facts: Facts) -> None:
    found = _ask(zygote, "survey.imports", {"modules": list(homework.modules)}, facts, module="needle")
    for failed in found.get("failed", []):
        what = failed["raised"]
        failure = failure_of(what, failed["module"])
        place = what.get("syntax") or failure.location
        where = f" at {place['file']}:{place['line']}" if place else ""
        text = f"{failed['module']} does not import: {what['type']}: {what['text']}{where}"
        facts.broken[failed["module"]] = text
        note = {"id": "import-failed", "message": text, "help": failure.help}
        facts.notes.append(note | ({"file": place["file"], "line": place["line"]} if place else {}))
    for alias in found.get("aliases", [])[:1]:
        facts.notes.append(
            {
                "id": "two-tensor-classes",
                "message": f"`{alias}` is imported beside `needle`: run as it is, two Tensor classes are loaded; "
                "import from `needle` everywhere",
            }
        )
    facts.notes += [_typo_note(one) for one in found.get("typos", [])]
    targets = sorted({check.target for check in homework.checks() if check.target})
    places = _ask(zygote, "survey.definitions", {"paths": targets}, facts).get("places", [])
    facts.places = dict(zip(targets, places, strict=False))


def _ask(
    zygote: Zygote, probe: str, arguments: dict[str, Any], facts: Facts, module: str = ""
) -> dict[str, Any]:
    """Ask one question of a fresh worker; a worker that dies of it breaks `module` and is said."""
    worker = zygote.worker()
    worker.allow(zygote.limits.check_seconds)
    try:
        return worker.ask(probe, arguments, []).values
    except (WorkerFault, Raised) as fault:
        if module:
            text = f"{module} does not import: {fault}"
            facts.broken[module] = text
            facts.notes.append({"id": "import-failed", "message": text})
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


def _typo_note(one: dict[str, Any]) -> dict[str, Any]:
    meant = f"; did you mean `{one['meant']}`?" if one.get("meant") else ""
    return {
        "id": "typo",
        "file": one["file"],
        "line": one["line"],
        "message": f"{one['file']}:{one['line']}: `{one['text']}` does not exist{meant}",
    }
