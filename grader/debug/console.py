"""Runs a script in the foreground, unconfined, and leaves its variables at a prompt.

It stands alone (`python -c SOURCE SCRIPT NAME`): nothing of the grader comes between students and their code.
"""

from __future__ import annotations

import code
import linecache
import sys
import traceback


def main(script: str, shown: str) -> int:
    """Run a script; on a terminal, offer its variables afterwards. Returns the script's exit code."""
    with open(script, encoding="utf-8") as file:
        source = file.read()
    linecache.cache[shown] = (len(source), None, source.splitlines(keepends=True), shown)
    namespace: dict[str, object] = {"__name__": "__main__", "__file__": shown}
    status = _run(source, shown, namespace)
    sys.stdout.flush()
    if sys.stdin.isatty():
        names = [name for name in namespace if not name.startswith("__")]
        made = [name for name in names if not callable(namespace[name]) and not _is_module(namespace[name])]
        code.interact(banner=f"\nvariables: {', '.join(made)}\n(Ctrl-D ends)", local=namespace, exitmsg="")
    return status


def _is_module(value: object) -> bool:
    return type(value) is type(sys)


def _run(source: str, name: str, namespace: dict[str, object]) -> int:
    """Execute a script; an exception is shown without the frame of this module."""
    try:
        exec(compile(source, name, "exec"), namespace)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException as error:
        sys.stdout.flush()
        inner = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, inner)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
