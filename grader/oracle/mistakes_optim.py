"""Known mistakes of SGD and of both optimisers: a wrong rule, a wrong home for the state, a wrong clock."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from grader.oracle import optim
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.optim import Array, Settings, State


def wrong_rule(rule: optim.Rule, **how: Any) -> Callable[[Question], list[Array]]:
    """Make a mistake's answer; the question's parameters are (settings, rows of gradients)."""
    return lambda q: optim.trajectory(rule, q.inputs, q.parameters[1], q.parameters[0], **how)


def other_settings(
    rule: optim.Rule, change: Callable[[Settings], Settings]
) -> Callable[[Question], list[Array]]:
    """Make a mistake's answer: the right rule with other settings."""
    return lambda q: optim.trajectory(rule, q.inputs, q.parameters[1], change(q.parameters[0]))


def last_of(state: State, name: str, p: Array) -> Array:
    """Return what is kept of the last step, zeros before the first."""
    return state.get(name, np.zeros(p.shape))


def _velocity(p: Array, g: Array, state: State, s: Settings) -> Array:
    state["u"] = s.momentum * last_of(state, "u", p) + (1 - s.momentum) * g
    return state["u"]


def _undamped(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    state["u"] = s.momentum * last_of(state, "u", p) + grad + s.weight_decay * p
    return p - s.lr * state["u"]


def _swapped(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    state["u"] = (1 - s.momentum) * last_of(state, "u", p) + s.momentum * g
    return p - s.lr * state["u"]


def _momentum_twice(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    state["u"] = s.momentum * (last_of(state, "u", p) + grad + s.weight_decay * p)
    return p - s.lr * state["u"]


def _decoupled(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    return p - s.lr * _velocity(p, grad, state, s) - s.lr * s.weight_decay * p


def _decay_unscaled(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    return p - s.lr * _velocity(p, grad, state, s) - s.weight_decay * p


def _decay_undamped(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    state["u"] = s.momentum * last_of(state, "u", p) + (1 - s.momentum) * grad + s.weight_decay * p
    return p - s.lr * state["u"]


def _nesterov(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    return p - s.lr * (s.momentum * _velocity(p, g, state, s) + (1 - s.momentum) * g)


def _first_undamped(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    state["u"] = s.momentum * state["u"] + (1 - s.momentum) * g if "u" in state else g
    return p - s.lr * state["u"]


def _old_velocity(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    old = last_of(state, "u", p)
    _velocity(p, grad + s.weight_decay * p, state, s)
    return p - s.lr * old


def _in_place(rule: optim.Rule) -> optim.Rule:
    """Make the rule whose gradient object holds the decayed gradient afterwards."""

    def changed(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
        grad += s.weight_decay * p
        return rule(p, grad, state, t, replace(s, weight_decay=0.0))

    return changed


def _unchanged(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    return p


def _by_gradient(position: int, grad: Array, t: int) -> Hashable:
    return id(grad)


def _by_step(position: int, grad: Array, t: int) -> Hashable:
    return position, t


def _shared(position: int, grad: Array, t: int) -> Hashable:
    return 0


def _negative_decay(s: Settings) -> Settings:
    return replace(s, weight_decay=-s.weight_decay)


def no_decay(s: Settings) -> Settings:
    """Return settings without weight decay."""
    return replace(s, weight_decay=0.0)


def common(name: str, rule: optim.Rule, state: str) -> list[Mistake]:
    """Return what goes wrong in the same way in both optimisers; `state` is what they remember."""
    return [
        Mistake(
            f"{name}-ascends",
            "the parameters move up the gradient: the sign of the update is wrong",
            other_settings(rule, lambda s: replace(s, lr=-s.lr)),
        ),
        Mistake(
            f"{name}-unchanged",
            "the parameters do not change: `p = p - ...` binds a local name, assign `p.data`",
            wrong_rule(_unchanged),
        ),
        Mistake(
            f"{name}-lr-ignored",
            "the learning rate is not used: it is 1",
            other_settings(rule, lambda s: replace(s, lr=1.0)),
        ),
        Mistake(f"{name}-decay-ignored", "weight decay is not used", other_settings(rule, no_decay)),
        Mistake(
            f"{name}-decay-sign",
            "weight decay has the wrong sign: it is g = grad + weight_decay * p",
            other_settings(rule, _negative_decay),
        ),
        Mistake(
            f"{name}-keyed-by-gradient",
            f"{state} by gradient, which is a new object each step: keep it by parameter",
            wrong_rule(rule, key=_by_gradient),
        ),
        Mistake(
            f"{name}-state-reset",
            f"{state} from one step only: it is set back in every step",
            wrong_rule(rule, key=_by_step),
        ),
        Mistake(
            f"{name}-state-shared",
            f"{state} for all parameters together: each parameter has its own",
            wrong_rule(rule, key=_shared),
        ),
        Mistake(
            f"{name}-gradient-in-place",
            "the gradient is changed in place by weight decay: the next step with it decays twice",
            wrong_rule(_in_place(rule)),
        ),
    ]


SGD = [
    *common("sgd", optim.sgd, "u is kept"),
    Mistake(
        "sgd-no-dampening",
        "the factor (1 - momentum) is missing: u = momentum * u + (1 - momentum) * g",
        wrong_rule(_undamped),
    ),
    Mistake(
        "sgd-momentum-twice",
        "the gradient has the factor momentum, as u has: its factor is 1 - momentum",
        wrong_rule(_momentum_twice),
    ),
    Mistake("sgd-momentum-swapped", "momentum and 1 - momentum have changed places", wrong_rule(_swapped)),
    Mistake(
        "sgd-momentum-ignored",
        "momentum has no effect: the step is lr * g, and lr * u is meant",
        other_settings(optim.sgd, lambda s: replace(s, momentum=0.0)),
    ),
    Mistake(
        "sgd-decay-decoupled",
        "weight decay is taken from the parameter beside the momentum: it belongs into g, before u",
        wrong_rule(_decoupled),
    ),
    Mistake(
        "sgd-decay-unscaled",
        "weight decay is taken from the parameter without the learning rate: it belongs into g",
        wrong_rule(_decay_unscaled),
    ),
    Mistake(
        "sgd-decay-undamped",
        "(1 - momentum) is applied before weight decay is added: it belongs to g = grad + weight_decay * p",
        wrong_rule(_decay_undamped),
    ),
    Mistake("sgd-nesterov", "this is Nesterov's momentum: the step is lr * u", wrong_rule(_nesterov)),
    Mistake(
        "sgd-first-undamped",
        "u starts as the first gradient: it starts at 0, so that u = (1 - momentum) * g in the first step",
        wrong_rule(_first_undamped),
    ),
    Mistake(
        "sgd-old-velocity",
        "the step uses u from before this gradient: update u first",
        wrong_rule(_old_velocity),
    ),
]
