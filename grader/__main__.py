"""`python -m grader`, which is also installed as `needle-grader`."""

import gc
import os
import signal

gc.set_threshold(50_000)  # modules are many objects and no garbage: looking for some takes time at the start
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads than work: starting them costs a core
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while it loads, Ctrl-C ends it without a traceback


def run() -> int:
    """Run the command of `sys.argv` and return its exit code."""
    from grader import interrupt
    from grader.cli import main

    interrupt.listen()
    return main()


if __name__ == "__main__":
    raise SystemExit(run())
