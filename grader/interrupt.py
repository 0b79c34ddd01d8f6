"""Ctrl-C is never lost.

Python drops a `KeyboardInterrupt` that reaches it in a `__del__` or in a weak reference's callback (an
import runs one), and compiled modules catch everything while they load (numpy.random registers its
types so): the program would go on. Here it is raised again: a moment later, or at the next `check`.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

MOMENT = 0.01  # seconds; by then the callback has returned

_pressed = False


def listen() -> None:
    """Have Ctrl-C raise `KeyboardInterrupt`, unless this process was started to ignore it."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_DFL, signal.default_int_handler):
        signal.signal(signal.SIGINT, _press)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            sys.unraisablehook = _dropped


def check() -> None:
    """Raise `KeyboardInterrupt` if Ctrl-C was pressed and nobody has heard of it."""
    if _pressed:
        raise KeyboardInterrupt


def heard() -> None:
    """Note that the `KeyboardInterrupt` has arrived."""
    global _pressed
    _pressed = False


def _press(number: int, frame: object) -> None:
    global _pressed
    _pressed = True
    raise KeyboardInterrupt


def _dropped(unraisable: Any) -> None:
    if unraisable.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
    else:
        sys.__unraisablehook__(unraisable)
