"""The class's mistakes: each once for a submission, counted right, and told without whose they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.compare.examples import PATHS, Names, announcement, told
from grader.classroom.compare.faults import find_faults, normal
from grader.classroom.compare.mistakes import mistakes
from grader.classroom.compare.rows import Entry, Table, table
from grader.classroom.grade import grade
from grader.report.model import CheckResult, QuestionResult, Report
from tests.compare.people import CLASS_WIDE, Planted, entry, many
from tests.faults import hw1
from tests.support import build


def ranked(rows: Table) -> list[tuple[tuple[str, ...], int]]:
    return [(one.functions, one.count) for one in mistakes(rows.rows)]


def test_twelve_planted_mistakes_are_the_twelve_top_clusters() -> None:
    """Whatever they take down, and though people have several, the counts are those that were planted."""
    entries, counts = many(200)

    found = mistakes(table(entries).rows)
    top = {(one.functions[0], one.count) for one in found[:12]}

    assert top == {(fault.function, count) for fault, count in counts.items()}
    assert all(one.count < min(counts.values()) for one in found[12:])


def test_one_fault_is_one_mistake_however_many_checks_fail() -> None:
    """A fault in an op with thirty failing checks counts once, and lists them."""
    fault = Planted("ops0.gradient", "ops.ops0.gradient", "it is detached", None, ("nn.*", "mlp_resnet.nn*"))

    found = mistakes(table([entry("a", fault), entry("b", fault), entry("c")]).rows)

    assert [(one.functions, one.count) for one in found] == [(("ops0.gradient",), 2)]
    assert len(found[0].checks) == 29
    assert found[0].lost == 29.0


def test_numbers_places_and_quotes_do_not_tell_faults_apart() -> None:
    """The same sentence with another line, count or name is the same mistake; shapes of other rank are not."""
    assert normal("f is detached at a/b.py:12, so") == normal("f is detached at c.py:7, so")
    assert normal("x keeps 40 nodes") == normal("x keeps 8 nodes")
    assert normal("asked 'float64'") == normal("asked 'int8'")
    assert normal("nan at [0, 1]") == normal("-1.5e-3 at [2, 3]")
    assert normal("shape (1, 2)") != normal("shape (1, 2, 3)")
    assert normal("BatchNorm1d: a") != normal("LayerNorm1d: a")


def test_two_faults_of_one_function_are_two_where_others_have_them_alone() -> None:
    """Who has both is counted for both; a pair that always comes together stays one."""
    values = Planted("optim0", "optim.optim0.forward", "values", "wrong-values")
    leak = Planted("optim0", "optim.optim0.graph", "optim0.u keeps 3 nodes alive")
    both = [entry(f"both {i}", values, leak) for i in range(2)]

    apart = ranked(
        table([*both, *(entry(f"v{i}", values) for i in range(5)), *(entry(f"l{i}", leak) for i in range(4))])
    )
    together = ranked(table([*both, entry("other")]))

    assert apart == [(("optim0",), 7), (("optim0",), 6)]
    assert together == [(("optim0",), 2)]


def test_advice_comes_after_what_costs_points() -> None:
    """A remark that many get is no mistake, and stands behind those."""
    advice = Planted("init0", "init.init0.hygiene", "init0 drops **kwargs", advice=True)

    found = mistakes(table([*(entry(f"a{i}", advice) for i in range(5)), entry("b", CLASS_WIDE[0])]).rows)

    assert [(one.functions[0], one.count, one.advice) for one in found] == [
        ("nn0.forward", 1, False),
        ("init0", 5, True),
    ]


def test_what_does_not_import_is_one_mistake() -> None:
    """Checks that a file's error blocks are one fault of the whole."""
    said = "needle does not import: SyntaxError: invalid syntax at python/needle/autograd.py:3"
    checks = [CheckResult(f"nn.A{i}.forward", "forward", "blocked", 0.0, 1.0, message=said) for i in range(9)]
    report = Report("hw2", "x", "2024", 0, questions=[QuestionResult("nn", "N", 0.0, 9.0, checks)])

    found = mistakes(table([Entry("a", report), Entry("b", report)]).rows)

    assert [(one.functions, one.count, len(one.checks)) for one in found] == [((), 2, 9)]


def test_what_is_not_written_yet_is_no_mistake() -> None:
    """Stubs are no fault."""
    check = CheckResult(
        "nn.A.forward", "forward", "error", 0.0, 1.0, message="A is not filled in yet", unfilled=True
    )
    report = Report("hw2", "x", "2024", 0, questions=[QuestionResult("nn", "N", 0.0, 1.0, [check])])

    assert mistakes(table([Entry("a", report)]).rows) == []


SECRETS = ("Ada", "Lovelace", "ada_lovelace", "/home/ada", "hw2_final", "printed words")


def anonymous() -> tuple[Table, Planted]:
    fault = Planted(
        "epoch", "mlp_resnet.mlp_resnet0.graph", "ada_cache in epoch keeps 7 nodes at /home/ada/hw2_final.py:3", None, (),
        False, {"output": "printed words", "help": "see /home/ada/hw2_final.py, Ada Lovelace", "actual": "Ada wrote this"},
    )  # fmt: skip
    return table([entry("Ada Lovelace", fault), *(entry(f"person {i}") for i in range(20))]), fault


def test_an_example_tells_nobody() -> None:
    """Neither name, path, variable with a name in it, output nor words of the submission are in it."""
    rows, _ = anonymous()
    mistake = mistakes(rows.rows)[0]
    what = told(mistake, Names(rows))
    said = f"{what} {announcement(mistake, what, 21, 'hw2')}"

    assert not [word for word in SECRETS if word in said]
    assert "wrote this" not in said
    assert "keeps 7 nodes" in what.sentence


def test_names_that_are_words_of_the_homework_stay() -> None:
    """A student called Adam does not take the optimiser out of the sentence."""
    fault = Planted("Adam", "optim.optim0.forward", "Adam.step of adam_smith is wrong")
    rows = table([entry("Adam Smith", fault), *(entry(f"p{i}") for i in range(20))])

    assert told(mistakes(rows.rows)[0], Names(rows)).sentence == "Adam.step of adam_… is wrong"


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, "data0 raised ValueError"), (3, "data0 raised ValueError: it was Eve")],
)
def test_words_of_an_exception_are_told_only_if_several_have_them(count: int, expected: str) -> None:
    """One person's exception can say anything; what three have in common is the library's."""
    fault = Planted(
        "data0", "data.data0.forward", "data0 raised ValueError: it was Eve", more={"verdict": "error"}
    )
    rows = table([*(entry(f"s{i}", fault) for i in range(count)), *(entry(f"p{i}") for i in range(20))])

    assert told(mistakes(rows.rows)[0], Names(rows)).sentence == expected


def test_an_exception_of_their_own_has_no_name() -> None:
    """A class that a submission defines is named as it likes."""
    fault = Planted("data0", "data.data0.forward", "data0 raised EveError: x", more={"verdict": "error"})
    rows = table([entry("a", fault)])

    assert told(mistakes(rows.rows)[0], Names(rows)).sentence == "data0 raised an exception"


def test_the_smallest_example_is_told() -> None:
    """Of all inputs that show it, the shortest; an announcement says how many, what and how to see it."""
    entries, _ = many(100)
    rows = table(entries)
    mistake = mistakes(rows.rows)[0]
    what = told(mistake, Names(rows))
    inputs = [dict(fault.example)["x"] for fault in mistake.faults]

    assert dict(what.example)["x"] == min(inputs, key=len)
    assert announcement(mistake, what, 100, "hw2") == (
        f"{mistake.count} of 100 submissions of hw2 share this mistake: {what.sentence}. The smallest example: "
        f"x = {min(inputs, key=len)}; expected = [2]. Look at it again. To see whether yours has it: "
        f"python -m grader hw2 --only {what.check}"
    )


def test_a_secret_run_shows_no_input() -> None:
    """Inputs of a secret seed are in no example."""
    rows = table([entry("a", CLASS_WIDE[0])])
    what = told(mistakes(rows.rows)[0], Names(rows), secret=True)

    assert what.example == ()
    assert what.help == ""


@pytest.mark.parametrize("text", ["divide m by 1 - beta1**t", "dX/dW and a / b", "10-414/714", "a @ b.T / n"])
def test_what_is_no_path_stays(text: str) -> None:
    """Fractions and course numbers are left as they are."""
    assert PATHS.sub("…", text) == text


@pytest.mark.parametrize("path", ["/home/ada/x.py", "~/x", "C:\\Users\\ada", "apps/mlp.py", "/tmp/a/b"])
def test_paths_go(path: str) -> None:
    """Absolute paths, and names of files."""
    assert PATHS.sub("…", f"in {path} it is") == "in … it is"


def test_words_of_a_failed_import_are_not_told() -> None:
    """What a file raises when it is imported can say anything too."""
    said = "needle does not import: ImportError: made by Eve (autograd.py, line 3) at python/needle/autograd.py:3"
    check = CheckResult("nn.A.forward", "forward", "blocked", 0.0, 1.0, message=said)
    report = Report("hw2", "x", "2024", 0, questions=[QuestionResult("nn", "N", 0.0, 1.0, [check])])
    rows = table([Entry("a", report)])

    assert told(mistakes(rows.rows)[0], Names(rows)).sentence == "needle does not import: ImportError"


def test_work_of_an_earlier_homework_is_told_by_its_own_checks(tmp_path: Path) -> None:
    """A class is told what the student is told, though those checks carry no points in this homework."""
    (fault,) = [one for one in hw1.FAULTS if one.id == "broadcast-from-left"]
    report = grade(build(tmp_path, "hw2", "2023", fault.solutions), "hw2")

    (found, *_) = find_faults(report)

    assert found.functions == ("BroadcastTo.gradient",)
    assert ("known", "broadcast-left-aligned") in found.symptoms
    assert "compared from the left" in found.message
