"""What may be told of a mistake to a whole class: no name, no path, nothing that a submission printed."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.classroom.compare.faults import KNOWN, PLACE, Fault, normal
from grader.classroom.compare.mistakes import Mistake
from grader.classroom.compare.rows import Row, Table, short

RAISED = re.compile(r"\b(raised|does not import:) (\w+)(?:: .*)?", re.DOTALL)
COMMON = 3  # words of an exception are shown when so many submissions have the same
SHORTEST_NAME = 3
PLAIN = {"hw0", "hw1", "hw2", "submission", "needle", "python", "apps", "src", "the", "and", "has", "not"}
PATHS = re.compile(
    r"(?<!\w)(?:~|[A-Za-z]:)?(?:[/\\][\w.+-]+){2,}|(?<!\w)~[/\\][\w.+-]+|[\w.+/\\-]+\.(?:py|cpp|cc|h|gz|npz|txt)\b"
)


@dataclass(frozen=True)
class Told:
    """A mistake in a sentence, its smallest example as labelled texts, a hint, a call that shows it."""

    sentence: str
    example: tuple[tuple[str, str], ...]
    help: str
    check: str


class Names:
    """The words that tell whose a submission is; those that the homework itself uses are none (Adam, Linear).

    A word that a fifth of the class has in its name is none either (final, submission).
    """

    def __init__(self, table: Table) -> None:
        own = " ".join([*table.checks, *(check.title for check in table.checks.values())])
        faults = (name for one in table.rows for fault in one.faults for name in fault.functions)
        self._plain = {*PLAIN, *_words(own.lower()), *_words(" ".join(faults).lower())}
        counts = Counter(word for one in table.rows for word in set(self._all(one)))
        most = max(2, len(table.rows) // 5)
        self._plain |= {word for word, count in counts.items() if count > most}
        self._rows = table.rows

    def hider(self, members: Iterable[int]) -> re.Pattern[str] | None:
        """Return what finds the names of some submissions in a text, None if there is nothing to find."""
        words = {word for member in members for word in self._all(self._rows[member])} - self._plain
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        found = "|".join(map(re.escape, longest_first))
        return re.compile(rf"(?<![A-Za-z])(?:{found})(?![A-Za-z])", re.IGNORECASE) if found else None

    def _all(self, one: Row) -> list[str]:
        names = [one.student.lower(), one.submission.lower()]
        words = [*names, *_words(names[0]), *_words(names[1])]
        return [word for word in words if len(word) >= SHORTEST_NAME and not word.isdigit()]


def _words(text: str) -> list[str]:
    return re.split(r"[\W_]+", text)


def told(mistake: Mistake, names: Names, *, secret: bool = False) -> Told:
    """Return a mistake without whose it is; without inputs when they were `secret`."""
    faults = [fault for fault in mistake.faults if fault.symptoms == mistake.symptoms]
    own = [fault for fault in faults if _tells(fault, mistake)] or faults or list(mistake.faults)
    sentence, times = Counter(_sentence(fault) for fault in own).most_common(1)[0]
    best = min((fault for fault in own if _sentence(fault) == sentence), key=_size)
    if best.raised and times < COMMON:
        sentence = RAISED.sub(_exception, sentence)
    hide = names.hider(mistake.members)
    shown = () if secret else best.example
    return Told(
        short(sentence) if best.known else _without(sentence, hide),
        tuple((_without(label, hide), _without(text, hide)) for label, text in shown),
        "" if secret else _without(best.help, hide),
        best.check,
    )


def _tells(fault: Fault, mistake: Mistake) -> bool:
    """Tell whether a fault's sentence is about the mistake, and not about another of the same function."""
    if fault.known:
        return (KNOWN, fault.known) in mistake.symptoms
    return any(symptom[1] == normal(fault.message) for symptom in mistake.symptoms)


def _sentence(fault: Fault) -> str:
    return PATHS.sub("…", PLACE.sub("", fault.message)).strip()


def _size(fault: Fault) -> tuple[bool, int]:
    return not fault.example, sum(len(label) + len(text) for label, text in fault.example)


def _exception(found: re.Match[str]) -> str:
    """Return an exception without its words; its name only when Python knows it."""
    kind = getattr(builtins, found[2], None)
    known = isinstance(kind, type) and issubclass(kind, BaseException)
    return f"{found[1]} {found[2]}" if known else f"{found[1]} an exception"


def _without(text: str, names: re.Pattern[str] | None) -> str:
    shown = PATHS.sub("…", text)
    return short(names.sub("…", shown) if names is not None else shown)


def announcement(mistake: Mistake, what: Told, size: int, homework: str) -> str:
    """Return a paragraph that can be posted as it is."""
    functions = " and ".join(mistake.functions)
    named = functions and not what.sentence.startswith(functions.partition(".")[0])
    parts = [f"{mistake.count} of {size} submissions of {homework} share this mistake"]
    parts.append(f" in {functions}: " if named else ": ")
    parts.append(_stopped(what.sentence))
    if what.example:
        parts.append(" The smallest example: " + "; ".join(f"{a} = {b}" for a, b in what.example) + ".")
    if what.help:
        parts.append(f" {_stopped(what.help[:1].upper() + what.help[1:])}")
    call = f"python -m grader {homework} --only {what.check}"
    return "".join(parts) + f" To see whether yours has it: {call}"


def _stopped(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
