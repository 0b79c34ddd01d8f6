"""Known mistakes of the optimisers: each is a wrong rule, a wrong home for the state, or a wrong clock."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from grader.oracle import optim
from grader.oracle.mistakes import Mistake, Question
from grader.oracle.optim import Array, Settings, State


def _wrong(rule: optim.Rule, **how: Any) -> Callable[[Question], list[Array]]:
    """Make a mistake's answer; the question's parameters are (settings, rows of gradients)."""
    return lambda q: optim.trajectory(rule, q.inputs, q.parameters[1], q.parameters[0], **how)


def _settings(rule: optim.Rule, change: Callable[[Settings], Settings]) -> Callable[[Question], list[Array]]:
    return lambda q: optim.trajectory(rule, q.inputs, q.parameters[1], change(q.parameters[0]))


def _last(state: State, name: str, p: Array) -> Array:
    return state.get(name, np.zeros(p.shape))


def _velocity(p: Array, g: Array, state: State, s: Settings) -> Array:
    state["u"] = s.momentum * _last(state, "u", p) + (1 - s.momentum) * g
    return state["u"]


def _undamped(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    state["u"] = s.momentum * _last(state, "u", p) + grad + s.weight_decay * p
    return p - s.lr * state["u"]


def _swapped(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    state["u"] = (1 - s.momentum) * _last(state, "u", p) + s.momentum * g
    return p - s.lr * state["u"]


def _decoupled(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    return p - s.lr * _velocity(p, grad, state, s) - s.lr * s.weight_decay * p


def _decay_unscaled(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    return p - s.lr * _velocity(p, grad, state, s) - s.weight_decay * p


def _nesterov(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    return p - s.lr * (s.momentum * _velocity(p, g, state, s) + (1 - s.momentum) * g)


def _first_undamped(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    state["u"] = s.momentum * state["u"] + (1 - s.momentum) * g if "u" in state else g
    return p - s.lr * state["u"]


def _old_velocity(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    old = _last(state, "u", p)
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


def _no_decay(s: Settings) -> Settings:
    return replace(s, weight_decay=0.0)


def _common(name: str, rule: optim.Rule, state: str) -> list[Mistake]:
    """Return what goes wrong in the same way in both optimisers; `state` is what they remember."""
    return [
        Mistake(
            f"{name}-ascends",
            "the parameters move up the gradient: the sign of the update is wrong",
            _settings(rule, lambda s: replace(s, lr=-s.lr)),
        ),
        Mistake(
            f"{name}-unchanged",
            "the parameters do not change: `p = p - ...` binds a local name, assign `p.data`",
            _wrong(_unchanged),
        ),
        Mistake(
            f"{name}-lr-ignored",
            "the learning rate is not used: it is 1",
            _settings(rule, lambda s: replace(s, lr=1.0)),
        ),
        Mistake(f"{name}-decay-ignored", "weight decay is not used", _settings(rule, _no_decay)),
        Mistake(
            f"{name}-decay-sign",
            "weight decay has the wrong sign: it is g = grad + weight_decay * p",
            _settings(rule, _negative_decay),
        ),
        Mistake(
            f"{name}-keyed-by-gradient",
            f"{state} by gradient, which is a new object each step: keep it by parameter",
            _wrong(rule, key=_by_gradient),
        ),
        Mistake(
            f"{name}-state-reset",
            f"{state} from one step only: it is set back in every step",
            _wrong(rule, key=_by_step),
        ),
        Mistake(
            f"{name}-state-shared",
            f"{state} for all parameters together: each parameter has its own",
            _wrong(rule, key=_shared),
        ),
        Mistake(
            f"{name}-gradient-in-place",
            "the gradient is changed in place by weight decay: the next step with it decays twice",
            _wrong(_in_place(rule)),
        ),
    ]


SGD = [
    *_common("sgd", optim.sgd, "u is kept"),
    Mistake(
        "sgd-no-dampening",
        "the factor (1 - momentum) is missing: u = momentum * u + (1 - momentum) * g",
        _wrong(_undamped),
    ),
    Mistake("sgd-momentum-swapped", "momentum and 1 - momentum have changed places", _wrong(_swapped)),
    Mistake(
        "sgd-momentum-ignored",
        "momentum is not used",
        _settings(optim.sgd, lambda s: replace(s, momentum=0.0)),
    ),
    Mistake(
        "sgd-decay-decoupled",
        "weight decay is taken from the parameter beside the momentum: it belongs into g, before u",
        _wrong(_decoupled),
    ),
    Mistake(
        "sgd-decay-unscaled",
        "weight decay is taken from the parameter without the learning rate: it belongs into g",
        _wrong(_decay_unscaled),
    ),
    Mistake("sgd-nesterov", "this is Nesterov's momentum: the step is lr * u", _wrong(_nesterov)),
    Mistake(
        "sgd-first-undamped",
        "u starts as the first gradient: it starts at 0, so that u = (1 - momentum) * g in the first step",
        _wrong(_first_undamped),
    ),
    Mistake(
        "sgd-old-velocity", "the step uses u from before this gradient: update u first", _wrong(_old_velocity)
    ),
]


def _moments(p: Array, g: Array, state: State, s: Settings) -> tuple[Array, Array]:
    state["m"] = s.beta1 * _last(state, "m", p) + (1 - s.beta1) * g
    state["v"] = s.beta2 * _last(state, "v", p) + (1 - s.beta2) * g * g
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

    return _wrong(rule)


def _stored(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    _moments(p, grad + s.weight_decay * p, state, s)
    state["m"] = state["m"] / (1 - s.beta1**t)
    state["v"] = state["v"] / (1 - s.beta2**t)
    return p - s.lr * state["m"] / (np.sqrt(state["v"]) + s.eps)


def _decoupled_adam(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    return optim.adam(p, grad, state, t, _no_decay(s)) - s.lr * s.weight_decay * p


def _undamped_moments(first: bool, second: bool) -> Callable[[Question], list[Array]]:
    def rule(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
        g = grad + s.weight_decay * p
        state["m"] = s.beta1 * _last(state, "m", p) + (1.0 if first else 1 - s.beta1) * g
        state["v"] = s.beta2 * _last(state, "v", p) + (1.0 if second else 1 - s.beta2) * g * g
        m_hat, v_hat = state["m"] / (1 - s.beta1**t), state["v"] / (1 - s.beta2**t)
        return p - s.lr * m_hat / (np.sqrt(v_hat) + s.eps)

    return _wrong(rule)


def _late_epsilon(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    """Step with the reordered update of the paper's section 2, where eps escapes the correction."""
    m, v = _moments(p, grad + s.weight_decay * p, state, s)
    rate = s.lr * np.sqrt(1 - s.beta2**t) / (1 - s.beta1**t)
    return p - rate * m / (np.sqrt(v) + s.eps)


def _v_undecayed(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    g = grad + s.weight_decay * p
    state["m"] = s.beta1 * _last(state, "m", p) + (1 - s.beta1) * g
    state["v"] = s.beta2 * _last(state, "v", p) + (1 - s.beta2) * grad * grad
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
    *_common("adam", optim.adam, "m and v are kept"),
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
        "adam-correction-stored",
        "the corrected m and v are stored back, so that the correction piles up: keep the uncorrected ones",
        _wrong(_stored),
    ),
    Mistake(
        "adam-betas-swapped",
        "beta1 and beta2 have changed places",
        _settings(optim.adam, lambda s: replace(s, beta1=s.beta2, beta2=s.beta1)),
    ),
    Mistake(
        "adam-default-betas",
        "the betas that are passed in are not used: they are 0.9 and 0.999",
        _settings(optim.adam, lambda s: replace(s, beta1=0.9, beta2=0.999)),
    ),
    Mistake(
        "adam-decay-decoupled",
        "weight decay is taken from the parameter, as AdamW does: here it belongs into g, before m and v",
        _wrong(_decoupled_adam),
    ),
    Mistake(
        "adam-v-undecayed",
        "v is made from the gradient without weight decay: both moments take g = grad + weight_decay * p",
        _wrong(_v_undecayed),
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
        _settings(optim.adam, lambda s: replace(s, beta1=0.0)),
    ),
]

EPSILON = [
    Mistake(
        "adam-eps-inside",
        "eps is under the root: it is sqrt(v) + eps",
        _adam(divide=lambda m, v, s: m / np.sqrt(v + s.eps)),
    ),
    Mistake(
        "adam-eps-default",
        "the eps that is passed in is not used",
        _settings(optim.adam, lambda s: replace(s, eps=1e-8)),
    ),
    Mistake(
        "adam-eps-uncorrected",
        "eps is added before v is corrected: it is sqrt(v / (1 - beta2**t)) + eps",
        _wrong(_late_epsilon),
    ),
]
