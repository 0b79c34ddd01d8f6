"""How the faults of hw0 are written: the reference's text with pieces replaced, and what then fails."""

from __future__ import annotations

from tests.faults.model import Expect, Fault
from tests.support.compiling import extension
from tests.support.splice import extract
from tests.support.tree import base_tree

CPP = "src/simple_ml_ext.cpp"
ALL_CPP = ("softmax_regression_epoch_cpp.*",)
Q = {
    name: f"{name}.{name}.values"
    for name in (
        "parse_mnist",
        "softmax_loss",
        "softmax_regression_epoch",
        "nn_epoch",
        "softmax_regression_epoch_cpp",
    )
}
PARSE_ROW, SHORT_ROW = "hw0 parse_mnist", "hw0 short last batch"
REGRESSION, TWO_LAYER = "softmax_regression_epoch", "nn_epoch"

# The stub of the handout: these faults are about Python, and nothing has to be compiled for them.
NO_CPP = extension('    throw std::logic_error("softmax_regression_epoch_cpp is not written yet");')


def altered(name: str, *changes: tuple[str, str]) -> dict[str, str]:
    """The reference's function with pieces of its text replaced."""
    source = extract(base_tree("hw0"), name)
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return {name: source}


def python(id_: str, row: str, solutions: dict[str, str], expect: Expect) -> Fault:
    return Fault(id_, row, expect, solutions, files={CPP: NO_CPP})


def failing(name: str, *says: str, check: str = "", mistake: str = "") -> Expect:
    said = (*says, f'"known_mistake": "{mistake}"') if mistake else says
    return Expect((check or Q[name],), said, consequences=(f"{name}.*", *ALL_CPP))


def advised(check: str, *says: str, mistake: str = "") -> Expect:
    said = (*says, f'"known_mistake": "{mistake}"') if mistake else says
    return Expect(ALL_CPP, advice=(check,), advice_says=said, score=0.8)
