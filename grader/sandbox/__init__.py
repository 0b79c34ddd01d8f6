"""Starts workers, limits them and talks to them; knows nothing of homework."""

import sys


def host_mode() -> str:
    """Return "fork" where forking a process with numpy in it is safe, else "once": a process per worker."""
    return "fork" if sys.platform.startswith("linux") else "once"
