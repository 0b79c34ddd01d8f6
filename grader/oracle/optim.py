"""Truth for the optimisers: the parameters after every step, in float64."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
State = dict[str, Array]
Rows = Sequence[Sequence["Array | None"]]


@dataclass(frozen=True)
class Settings:
    """The constants of SGD and Adam, with the defaults of the homework but for `lr`."""

    lr: float = 0.125
    momentum: float = 0.0
    weight_decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8


Rule = Callable[[Array, Array, State, int, Settings], Array]
Key = Callable[[int, Array, int], Hashable]


def sgd(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    """Return a parameter after one step of gradient descent; `u` is a running average of gradients."""
    g = grad + s.weight_decay * p
    state["u"] = s.momentum * state.get("u", np.zeros(p.shape)) + (1 - s.momentum) * g
    return p - s.lr * state["u"]


def adam(p: Array, grad: Array, state: State, t: int, s: Settings) -> Array:
    """Return a parameter after step `t` (from 1) of Adam (Kingma and Ba, 2015, algorithm 1)."""
    g = grad + s.weight_decay * p
    state["m"] = s.beta1 * state.get("m", np.zeros(p.shape)) + (1 - s.beta1) * g
    state["v"] = s.beta2 * state.get("v", np.zeros(p.shape)) + (1 - s.beta2) * g * g
    m_hat = state["m"] / (1 - s.beta1**t)
    v_hat = state["v"] / (1 - s.beta2**t)
    return p - s.lr * m_hat / (np.sqrt(v_hat) + s.eps)


def by_position(position: int, grad: Array, t: int) -> Hashable:
    """Keep one state per parameter, which is right."""
    return position


def trajectory(
    rule: Rule,
    parameters: Sequence[Array],
    gradients: Rows,
    settings: Settings,
    *,
    key: Key = by_position,
    clock: Callable[[int, int, int], int] = lambda t, position, own: t,
) -> list[Array]:
    """Return each parameter after each step, `(steps, *shape)` float64, one array per parameter.

    `gradients` holds one row per step with an array or None per parameter; the same array object in two
    rows is the same gradient object twice. A parameter without gradient is skipped. `key` says which state
    belongs to a parameter, and `clock(step, position, steps of this parameter)` which t the rule is given:
    both are there for the mistakes that people make.
    """
    now = [p.astype(np.float64) for p in parameters]
    private = {id(g): g.astype(np.float64) for row in gradients for g in row if g is not None}
    states: dict[Hashable, State] = defaultdict(dict)
    own = [0] * len(now)
    steps = []
    for t, row in enumerate(gradients, 1):
        for i, g in enumerate(row):
            if g is not None:
                own[i] += 1
                grad = private[id(g)]
                now[i] = rule(now[i], grad, states[key(i, grad, t)], clock(t, i, own[i]), settings)
        steps.append(list(now))
    return [np.array(column) for column in zip(*steps, strict=True)]
