"""The order of experiments and what is concluded from them, with faults that are sets of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.blame.blame import FEW_EDITS, Blame
from grader.blame.ranking import causes
from grader.blame.units import Unit
from grader.report.model import CheckResult

OPS = ("MatMul.gradient", "Exp.gradient", "Log.compute", "Log.gradient", "Summation.compute")
UNITS = [
    *(Unit(f"needle.ops.{name}", "") for name in OPS),
    *(Unit(f"needle.nn.{name}", "") for name in ("Linear", "ReLU", "Dropout")),
    Unit("needle.optim.Adam", ""),
]
EDITED = Unit("needle.autograd.Tensor.__add__", "", given=True)


def _check(id_: str, points: float = 1.0, **more: object) -> CheckResult:
    return CheckResult(id_, "values", str(more.pop("verdict", "failed")), 0.0, points, **more)  # type: ignore[arg-type]


def _blame(
    needs: Mapping[str, set[str]],
    targets: Mapping[str, str],
    isolated: Sequence[str] = (),
    seconds: float = 5.0,
    edits: Sequence[Unit] = (),
) -> tuple[Blame, list[tuple[str, tuple[str, ...]]]]:
    """A search in which a check passes once all it needs is replaced, and the experiments it makes."""
    made: list[tuple[str, tuple[str, ...]]] = []

    def passes(check: str, units: Sequence[Unit], _: float) -> bool:
        names = tuple(unit.name for unit in units)
        made.append((check, names))
        return needs[check] <= set(names)

    search = Blame(UNITS, passes, targets.__getitem__, isolated.__contains__, lambda: edits, seconds)
    return search, made


def test_isolated_failures_cost_nothing() -> None:
    """An op that fails by itself is named without an experiment."""
    search, made = _blame({}, {"op": "needle.ops.MatMul.gradient"}, ["op"])

    search.find([_check("op")])

    assert search.explained == {"op": ("MatMul.gradient",)}
    assert made == []


def test_known_causes_are_tried_first() -> None:
    """What an op's own check has shown explains a module's failure in one experiment."""
    targets = {"op": "needle.ops.MatMul.gradient", "linear": "needle.nn.Linear"}
    search, made = _blame({"linear": {"MatMul.gradient"}}, targets, ["op"])

    search.find([_check("op"), _check("linear")])

    assert search.explained["linear"] == ("MatMul.gradient",)
    assert made == [("linear", ("MatMul.gradient",))]


def test_own_function_is_tried_before_all_others() -> None:
    """A check's own function is the next candidate."""
    search, made = _blame({"linear": {"Linear"}}, {"linear": "needle.nn.Linear.forward"})

    search.find([_check("linear")])

    assert search.explained == {"linear": ("Linear",)}
    assert len(made) == 1


def test_a_class_does_not_cover_its_namesake() -> None:
    """A fault in the op ReLU is not looked for in the module ReLU."""
    search, made = _blame({"relu": {"Exp.gradient"}}, {"relu": "needle.ops.Exp.gradient"})

    search.find([_check("relu")])

    assert ("relu", ("ReLU",)) not in made


def test_cause_elsewhere_is_found() -> None:
    """A function that nobody suspected is found among all."""
    search, _ = _blame({"adam": {"Dropout"}}, {"adam": "needle.optim.Adam.step"})

    search.find([_check("adam")])

    assert search.explained == {"adam": ("Dropout",)}


def test_two_faults_in_one_check() -> None:
    """Two faults that hit one check are both named; with one known, the other costs little."""
    targets = {"op": "needle.ops.MatMul.gradient", "linear": "needle.nn.Linear"}
    search, made = _blame({"linear": {"MatMul.gradient", "Linear"}}, targets, ["op"])

    search.find([_check("op"), _check("linear")])

    assert set(search.explained["linear"]) == {"MatMul.gradient", "Linear"}
    assert len(made) <= 6


def test_gradient_that_fails_through_a_compute() -> None:
    """A gradient built on a wrong sum is not at fault itself."""
    targets = {"sum": "needle.ops.Summation.compute", "exp": "needle.ops.Exp.gradient"}
    search, _ = _blame({"exp": {"Summation.compute"}}, targets, ["sum", "exp"])

    search.find([_check("exp"), _check("sum")])

    assert search.explained["exp"] == ("Summation.compute",)


def test_edited_scaffold_is_named() -> None:
    """A function of the scaffold that is not as given is tried before any of a student's."""
    needs = {"linear": {"Tensor.__add__"}}
    search, made = _blame(needs, {"linear": "needle.nn.Linear"}, edits=[EDITED])

    search.find([_check("linear")])

    assert search.explained == {"linear": ("Tensor.__add__",)}
    assert search.changed() == [EDITED]
    assert made == [("linear", ("Tensor.__add__",))]


def test_edit_explains_what_follows() -> None:
    """One experiment a check is enough once an edit of the scaffold is known to be at fault."""
    checks = ("linear", "relu", "op", "other")
    targets = dict(zip(checks, ("nn.Linear", "nn.ReLU", "ops.Log.gradient", "ops.Log.compute"), strict=True))
    needs = {check: {"Tensor.__add__"} for check in checks}
    targets = {check: f"needle.{path}" for check, path in targets.items()}
    search, made = _blame(needs, targets, ["op", "other"], edits=[EDITED])

    search.find([_check(check) for check in checks])

    assert set(search.explained.values()) == {("Tensor.__add__",)}
    assert len(made) == len(checks)


def test_edit_that_is_not_at_fault() -> None:
    """An edit that explains nothing costs one experiment for each kind of check, and changes no cause."""
    targets = {"op": "needle.ops.MatMul.gradient", "linear": "needle.nn.Linear", "relu": "needle.nn.ReLU"}
    needs = {"op": {"MatMul.gradient"}, "linear": {"Linear"}, "relu": {"ReLU"}}
    search, made = _blame(needs, targets, ["op"], edits=[EDITED])

    search.find([_check(check) for check in targets])

    assert search.explained == {"op": ("MatMul.gradient",), "linear": ("Linear",), "relu": ("ReLU",)}
    assert made.count(("linear", ("Tensor.__add__",))) + made.count(("op", ("Tensor.__add__",))) == 2
    assert not any("Tensor.__add__" in names for check, names in made if check == "relu")


def test_another_starter_is_not_an_edit() -> None:
    """Where much of what was given differs, a student's own functions are tried first."""
    many = [Unit(f"needle.autograd.Tensor.method_{i}", "", given=True) for i in range(FEW_EDITS + 1)]
    search, made = _blame({"linear": {"Linear"}}, {"linear": "needle.nn.Linear"}, edits=many)

    search.find([_check("linear")])

    assert made == [("linear", ("Linear",))]


def test_edited_scaffold_clears_ops() -> None:
    """An op that failed by itself is cleared when an edit of the scaffold explains that too."""
    targets = {"op": "needle.ops.MatMul.gradient", "linear": "needle.nn.Linear"}
    search, _ = _blame(
        {"op": {"Tensor.__add__"}, "linear": {"Tensor.__add__"}}, targets, ["op"], edits=[EDITED]
    )

    search.find([_check("op"), _check("linear")])

    assert set(search.explained.values()) == {("Tensor.__add__",)}


def test_many_failures_by_themselves_are_doubted() -> None:
    """Four ops that fail at once are each tried; what does not help is not named."""
    targets = {name: f"needle.ops.{name}" for name in OPS[:4]}
    search, _ = _blame({name: {"Tensor.__add__"} for name in OPS[:4]}, targets, OPS, edits=[EDITED])

    search.find([_check(name) for name in OPS[:4]])

    assert set(search.explained.values()) == {("Tensor.__add__",)}


def test_nothing_helps() -> None:
    """A check that no replacement mends is left open."""
    search, _ = _blame({"linear": {"somewhere else"}}, {"linear": "needle.nn.Linear"})

    search.find([_check("linear")])

    assert search.explained == {}
    assert search.outside == ["linear"]


def test_time_runs_out() -> None:
    """Without time the search says which checks it leaves open."""
    search, made = _blame({"linear": {"Linear"}}, {"linear": "needle.nn.Linear"}, seconds=-1.0)

    search.find([_check("linear")])

    assert search.cut_short == ["linear"]
    assert made == []


def test_cause_of_most_wins() -> None:
    """A check that two replacements mend goes to the cause that explains other checks too."""
    targets = {"drop": "needle.nn.Dropout", "a": "needle.optim.Adam", "b": "needle.optim.Adam"}
    made: list[str] = []

    def passes(check: str, units: Sequence[Unit], _: float) -> bool:
        made.append(check)
        names = {unit.name for unit in units}
        return "Adam" in names or (check == "drop" and "Dropout" in names)

    search = Blame(UNITS, passes, targets.__getitem__, lambda _: False)
    search.find([_check("drop"), _check("a"), _check("b")])

    assert set(search.explained.values()) == {("Adam",)}


def test_causes_are_ranked_by_points() -> None:
    """The cause of the most points is first; blocked checks count with what blocks them."""
    checks = [
        _check("q.Exp.gradient", 0.5),
        _check("q.Linear.forward", 1.0),
        _check("q.Linear.gradient", 4.0, verdict="blocked", blocked_by="q.Linear.forward"),
        _check("q.Linear.again", 4.0, verdict="blocked", blocked_by="q.Linear.gradient"),
        _check("q.Free.advice", 0.0),
    ]
    explained = {
        "q.Exp.gradient": ("Exp.gradient",),
        "q.Linear.forward": ("Linear",),
        "q.Free.advice": ("Log.gradient",),
    }

    found = causes(explained, checks, {"Linear": {"file": "nn.py", "line": 7}})

    assert [cause.functions for cause in found] == [["Linear"], ["Exp.gradient"], ["Log.gradient"]]
    assert found[0].explains == ["q.Linear.forward", "q.Linear.gradient", "q.Linear.again"]
    assert (found[0].file, found[0].line) == ("nn.py", 7)


def test_edits_come_first() -> None:
    """A function of the scaffold is ahead of a cause that costs more."""
    checks = [_check("q.Exp.gradient", 0.5), _check("q.Linear.forward", 1.0)]
    explained = {"q.Exp.gradient": ("Tensor.__add__",), "q.Linear.forward": ("Linear",)}

    found = causes(explained, checks, {}, {"Tensor.__add__"})

    assert [cause.functions for cause in found] == [["Tensor.__add__"], ["Linear"]]


def test_a_pair_of_known_causes_is_told_apart() -> None:
    """A check with two faults, each of which is a cause elsewhere, is listed under both."""
    checks = [_check("q.a.x"), _check("q.b.x"), _check("q.c.x")]
    explained = {"q.a.x": ("A",), "q.b.x": ("B",), "q.c.x": ("A", "B")}

    found = causes(explained, checks, {})

    assert {tuple(cause.functions): cause.explains for cause in found} == {
        ("A",): ["q.a.x", "q.c.x"],
        ("B",): ["q.b.x", "q.c.x"],
    }


def test_place_of_a_failure_in_the_function() -> None:
    """A line inside the function at fault is told rather than its first one."""
    place = {"file": "ops.py", "line": 31, "function": "Exp.gradient"}
    checks = [_check("q.Exp.gradient", location=place)]

    (found,) = causes(
        {"q.Exp.gradient": ("Exp.gradient",)}, checks, {"Exp.gradient": {"file": "x", "line": 1}}
    )

    assert (found.file, found.line) == ("ops.py", 31)
