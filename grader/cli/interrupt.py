"""Ctrl-C is never lost.

Python prints and drops a `KeyboardInterrupt` that reaches it in a `__del__` or in a weak reference's
callback (an import runs one), and the program goes on. Here it is raised again a moment later.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

MOMENT = 0.01  # seconds; by then the callback has returned


def listen() -> None:
    """Have Ctrl-C raise `KeyboardInterrupt`, unless this process was started to ignore it."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_DFL, signal.default_int_handler):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            sys.unraisablehook = _dropped


def _dropped(unraisable: Any) -> None:
    if unraisable.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
    else:
        sys.__unraisablehook__(unraisable)
