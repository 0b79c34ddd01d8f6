"""Known mistakes of Adam."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from grader.oracle import optim
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.mistakes_optim import common, last_of, no_decay, other_settings, wrong_rule
from grader.oracle.optim import Array, Settings, State


def _moments(p: Array, g: Array, state: State, s: Settings) -> tuple[Array, Array]:
    state["m"] = s.beta1 * last_of(state, "m", p) + (1 - s.beta1) * g
    state["v"] = s.beta2 * last_of(state, "v", p) + (1 - s.beta2) * g * g
    return state["m"], state["v"]


def _adam(
    first: Callable[[int, Settings], float] = lambda t, s: 1 - s.beta1**t,
    second: Callable[[int, Settings], float] = lambda t, s: 1 - s.beta2**t,
    divide: Callable[[Array, Array, Settings], Array] = lambda m, v, s: m / (np.sqrt(v) + s.eps),
) -> Callable[[Question], list[Array]]:
    """Make an Adam with other corrections of m and v, or another quotient."""

    def rule(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
        m, v = _moments(p, grad + s.weight_decay * p, state, s)
        return p - s.lr * divide(m / first(t, s), v / second(t, s), s)

    return wrong_rule(rule)


def _stored(names: str) -> Callable[[Question], list[Array]]:
    """Make an Adam that keeps the corrected m or v, or both, by their letters."""

    def rule(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
        m, v = _moments(p, grad + s.weight_decay * p, state, s)
        corrected = {"m": m / (1 - s.beta1**t), "v": v / (1 - s.beta2**t)}
        state.update({name: corrected[name] for name in names})
        return p - s.lr * corrected["m"] / (np.sqrt(corrected["v"]) + s.eps)

    return wrong_rule(rule)


def _decoupled_adam(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    return optim.adam(p, grad, state, t, no_decay(s)) - s.lr * s.weight_decay * p


def _undamped_moments(first: bool, second: bool) -> Callable[[Question], list[Array]]:
    def rule(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
        g = grad + s.weight_decay * p
        state["m"] = s.beta1 * last_of(state, "m", p) + (1.0 if first else 1 - s.beta1) * g
        state["v"] = s.beta2 * last_of(state, "v", p) + (1.0 if second else 1 - s.beta2) * g * g
        m_hat, v_hat = state["m"] / (1 - s.beta1**t), state["v"] / (1 - s.beta2**t)
        return p - s.lr * m_hat / (np.sqrt(v_hat) + s.eps)

    return wrong_rule(rule)


def _one_array(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    """Step with m and v in one array, each written over the other."""
    g = grad + s.weight_decay * p
    both = s.beta1 * last_of(state, "m", p) + (1 - s.beta1) * g
    state["m"] = both = s.beta2 * both + (1 - s.beta2) * g * g
    with np.errstate(invalid="ignore"):
        return p - s.lr * both / (1 - s.beta1**t) / (np.sqrt(both / (1 - s.beta2**t)) + s.eps)


def _moments_with(first: str, second: str) -> Callable[[Question], list[Array]]:
    """Make an Adam whose m or v is averaged with the other's beta; the corrections are right."""

    def rule(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
        g, b1, b2 = grad + s.weight_decay * p, getattr(s, first), getattr(s, second)
        state["m"] = b1 * last_of(state, "m", p) + (1 - b1) * g
        state["v"] = b2 * last_of(state, "v", p) + (1 - b2) * g * g
        return p - s.lr * state["m"] / (1 - s.beta1**t) / (np.sqrt(state["v"] / (1 - s.beta2**t)) + s.eps)

    return wrong_rule(rule)


def _eps_after(m: Array, v: Array, s: Settings) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return m / np.sqrt(v) + s.eps


def _eps_added(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    m, v = _moments(p, grad + s.weight_decay * p, state, s)
    with np.errstate(invalid="ignore", divide="ignore"):
        return p - s.lr * m / (1 - s.beta1**t) / np.sqrt(v / (1 - s.beta2**t)) + s.eps


def _v_of_m(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    state["m"] = s.beta1 * last_of(state, "m", p) + (1 - s.beta1) * (grad + s.weight_decay * p)
    state["v"] = s.beta2 * last_of(state, "v", p) + (1 - s.beta2) * state["m"] ** 2
    return p - s.lr * state["m"] / (1 - s.beta1**t) / (np.sqrt(state["v"] / (1 - s.beta2**t)) + s.eps)


def _v_of_gradient(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    state["m"] = s.beta1 * last_of(state, "m", p) + (1 - s.beta1) * g
    state["v"] = s.beta2 * last_of(state, "v", p) + (1 - s.beta2) * g
    with np.errstate(invalid="ignore"):
        return p - s.lr * state["m"] / (1 - s.beta1**t) / (np.sqrt(state["v"] / (1 - s.beta2**t)) + s.eps)


def _late_epsilon(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    """Step with the reordered update of the paper's section 2, where eps escapes the correction."""
    m, v = _moments(p, grad + s.weight_decay * p, state, s)
    rate = s.lr * np.sqrt(1 - s.beta2**t) / (1 - s.beta1**t)
    return p - rate * m / (np.sqrt(v) + s.eps)


def _v_undecayed(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    state["m"] = s.beta1 * last_of(state, "m", p) + (1 - s.beta1) * g
    state["v"] = s.beta2 * last_of(state, "v", p) + (1 - s.beta2) * grad * grad
    return p - s.lr * state["m"] / (1 - s.beta1**t) / (np.sqrt(state["v"] / (1 - s.beta2**t)) + s.eps)


def _runs_ahead(q: Question) -> list[Array]:
    count = len(q.inputs)
    return optim.trajectory(
        optim.adam,
        q.inputs,
        q.parameters[1],
        q.parameters[0],
        clock=lambda t, position, own: (t - 1) * count + position + 1,
    )


def _one(t: int, s: Settings) -> float:
    return 1.0


ADAM = [
    *common("adam", optim.adam, "m and v are kept"),
    Mistake(
        "adam-no-correction",
        "the bias correction is missing: divide m by 1 - beta1**t and v by 1 - beta2**t",
        _adam(_one, _one),
    ),
    Mistake("adam-v-not-corrected", "v is not corrected: divide it by 1 - beta2**t", _adam(second=_one)),
    Mistake("adam-m-not-corrected", "m is not corrected: divide it by 1 - beta1**t", _adam(first=_one)),
    Mistake(
        "adam-v-corrected-by-beta1",
        "v is corrected with beta1: divide it by 1 - beta2**t",
        _adam(second=lambda t, s: 1 - s.beta1**t),
    ),
    Mistake(
        "adam-m-corrected-by-beta2",
        "m is corrected with beta2: divide it by 1 - beta1**t",
        _adam(first=lambda t, s: 1 - s.beta2**t),
    ),
    Mistake(
        "adam-moments-shared",
        "m and v are kept in one array: each parameter has two arrays, made apart",
        wrong_rule(_one_array),
    ),
    Mistake(
        "adam-v-by-beta1", "v is averaged with beta1: its factor is beta2", _moments_with("beta1", "beta1")
    ),
    Mistake(
        "adam-m-by-beta2", "m is averaged with beta2: its factor is beta1", _moments_with("beta2", "beta2")
    ),
    Mistake(
        "adam-v-of-gradient",
        "v is the average of the gradient: it is of the gradient squared",
        wrong_rule(_v_of_gradient),
    ),
    Mistake(
        "adam-v-of-m", "v is the average of m squared: it is of the gradient squared", wrong_rule(_v_of_m)
    ),
    Mistake(
        "adam-correction-stored",
        "the corrected m and v are stored back, so that the correction piles up: keep the uncorrected ones",
        _stored("mv"),
    ),
    Mistake(
        "adam-m-correction-stored",
        "the corrected m is stored back, so that the correction piles up: keep the uncorrected one",
        _stored("m"),
    ),
    Mistake(
        "adam-v-correction-stored",
        "the corrected v is stored back, so that the correction piles up: keep the uncorrected one",
        _stored("v"),
    ),
    Mistake(
        "adam-betas-swapped",
        "beta1 and beta2 have changed places",
        other_settings(optim.adam, lambda s: replace(s, beta1=s.beta2, beta2=s.beta1)),
    ),
    Mistake(
        "adam-default-betas",
        "the betas that are passed in are not used: they are 0.9 and 0.999",
        other_settings(optim.adam, lambda s: replace(s, beta1=0.9, beta2=0.999)),
    ),
    Mistake(
        "adam-decay-decoupled",
        "weight decay is taken from the parameter, as AdamW does: here it belongs into g, before m and v",
        wrong_rule(_decoupled_adam),
    ),
    Mistake(
        "adam-v-undecayed",
        "v is made from the gradient without weight decay: both moments take g = grad + weight_decay * p",
        wrong_rule(_v_undecayed),
    ),
    Mistake(
        "adam-t-runs-ahead",
        "t is counted once per parameter: one step() is one step",
        _runs_ahead,
    ),
    Mistake(
        "adam-t-stands",
        "t stays at 1: count it up in every step",
        _adam(lambda t, s: 1 - s.beta1, lambda t, s: 1 - s.beta2),
    ),
    Mistake(
        "adam-t-late",
        "the correction is one step late or early: t is 1 in the first step",
        _adam(lambda t, s: 1 - s.beta1 ** (t + 1), lambda t, s: 1 - s.beta2 ** (t + 1)),
    ),
    Mistake("adam-no-root", "the root of v is missing", _adam(divide=lambda m, v, s: m / (v + s.eps))),
    Mistake(
        "adam-m-undamped",
        "the factor (1 - beta1) is missing in m",
        _undamped_moments(first=True, second=False),
    ),
    Mistake(
        "adam-v-undamped",
        "the factor (1 - beta2) is missing in v",
        _undamped_moments(first=False, second=True),
    ),
    Mistake(
        "adam-m-missing",
        "the step uses the gradient in the place of m",
        other_settings(optim.adam, lambda s: replace(s, beta1=0.0)),
    ),
]


EPSILON = [
    Mistake(
        "adam-eps-added",
        "eps is added to the parameter: the denominator needs parentheses, m / (sqrt(v) + eps)",
        wrong_rule(_eps_added),
    ),
    Mistake(
        "adam-eps-after",
        "eps is added to the quotient: the denominator needs parentheses, m / (sqrt(v) + eps)",
        _adam(divide=_eps_after),
    ),
    Mistake(
        "adam-eps-inside",
        "eps is under the root: it is sqrt(v) + eps",
        _adam(divide=lambda m, v, s: m / np.sqrt(v + s.eps)),
    ),
    Mistake(
        "adam-eps-default",
        "the eps that is passed in is not used",
        other_settings(optim.adam, lambda s: replace(s, eps=1e-8)),
    ),
    Mistake(
        "adam-eps-uncorrected",
        "eps is added before v is corrected: it is sqrt(v / (1 - beta2**t)) + eps",
        wrong_rule(_late_epsilon),
    ),
]
