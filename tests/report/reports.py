"""Reports to render: one that is all right, one of stubs, one in which everything hostile is said."""

from __future__ import annotations

from typing import Any

from grader.report.model import Cause, CheckResult, QuestionResult, Report

# Colours, a title, a link, a clipboard write, cursor moves, bidi, invisible, line ends, C1, a lone surrogate.
NASTY = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://x\x1b\\link \x1b]52;c;YQ==\x07 \x1b[2J\x1b[H\r"
    "\u202edesrever\u202c \u2066\u2069\u200b\ufeff\u00ad \x9b31m \x85\u2028\u2029 \x00\x08\x7f "
    "\ud800 \U000e0041"
)


def check(id_: str, verdict: str = "passed", **more: Any) -> CheckResult:
    """A check of 5 points."""
    return CheckResult(id_, id_.rpartition(".")[2], verdict, 5.0 if verdict == "passed" else 0.0, 5.0, **more)


def report(*checks: CheckResult, **more: Any) -> Report:
    """A report of one question."""
    score, best = sum(one.points for one in checks), sum(one.max_points for one in checks)
    question = QuestionResult("forward", "forward computation", score, best, list(checks))
    environment = {"grader": "0.1.0", "python": "3.11.7", "numpy": "2.1.0", "platform": "linux"}
    confinement = {"level": "process-only", "how": "rlimits"}
    fields: dict[str, Any] = {
        "environment": environment,
        "confinement": confinement,
        "seconds": 1.25,
        "score": score,
        "max_score": best,
        "questions": [question],
        **more,
    }
    return Report("hw1", fields.pop("submission", "hw1"), "2024", 0, **fields)


FULL = report(check("forward.Negate.forward"), check("forward.Exp.forward"))
STUBS = report(
    check("forward.Negate.forward", "error", message="Negate.compute is not filled in yet", unfilled=True),
    check("forward.Exp.forward", "error", message="Exp.compute is not filled in yet", unfilled=True),
)
STOPPED = report(check("forward.Negate.forward"), complete=False)


def hostile(text: str = NASTY) -> Report:
    """A report with `text` in every field that a submission can reach."""
    failed = check(
        "forward.Negate.forward",
        "failed",
        message=f"message {text}",
        help=f"help {text}",
        counterexample={"a": {"text": text}, text: [text, text]},
        expected={"text": text},
        actual=text,
        location={"file": f"{text}.py", "line": 3, "function": text},
        measurements={"nodes": 3, "error_in_tolerances": 1e300, "what": text},
        blame=[text],
        output=text + "\n" + text * 20,
    )
    advice = check(
        "forward.Exp.hygiene", "failed", advice=True, message=text, location={"file": text, "line": 1}
    )
    blocked = check("forward.Exp.forward", "blocked", message=f"not run: {text}", blocked_by=None)
    unfilled = check("forward.Log.forward", "error", message=f"{text} is not filled in yet", unfilled=True)
    causes = [Cause([text], text, 3, ["forward.Negate.forward"])]
    notes = [{"id": "note", "message": f"note {text}", "file": text}]
    checks = (failed, advice, blocked, unfilled)
    return report(*checks, submission=text * 3, notes=notes, causes=causes)
