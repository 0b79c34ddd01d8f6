"""Runs the extension's function under AddressSanitizer and UBSan, called from a small program of its own.

Python is not in that program: the source up to its binding is compiled, with empty headers in pybind11's
place, with a `main` that calls the function on arrays of exactly the right size, so every finding is about
the function itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.judge.failure import Failure
from grader.report.model import NOT_RUN
from grader.sandbox.build import Outcome, Tool, ToolLimits

FLAGS = (
    *("-O1", "-g", "-std=c++17", "-fno-omit-frame-pointer"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
)
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=0",
}
RUN_SECONDS = 20.0
HEADERS = ("pybind11", "numpy", "stl", "operators", "eval", "cast", "pytypes")
# what the source may have had through pybind11's headers
STANDARD = (
    *("algorithm", "cmath", "cstdint", "cstring", "functional", "iostream", "memory", "numeric"),
    *("stdexcept", "string", "utility", "vector"),
)
BINDING = "PYBIND11_MODULE"

# (samples, inputs, classes, batch) and what the case is called; even batches first.
CASES = (((8, 3, 2, 4), "even batches"), ((7, 3, 2, 4), "a short last batch"))

MAIN = """
#include <cstdio>
#include <cstdlib>
int main(int, char **argv)
{{
    const size_t m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
    float *X = static_cast<float *>(std::malloc(m * n * sizeof(float)));
    unsigned char *y = static_cast<unsigned char *>(std::malloc(m));
    float *theta = static_cast<float *>(std::malloc(n * k * sizeof(float)));
    for (size_t i = 0; i < m * n; ++i)
        X[i] = static_cast<float>(i % 7) / 7.0f;
    for (size_t i = 0; i < m; ++i)
        y[i] = static_cast<unsigned char>(i % k);
    for (size_t i = 0; i < n * k; ++i)
        theta[i] = static_cast<float>(i % 5) / 5.0f - 0.4f;
    {function}(X, y, theta, m, n, k, 0.1f, std::atoi(argv[4]));
    std::free(X);
    std::free(y);
    std::free(theta);
    std::puts("done");
}}
"""

_ADDRESS = re.compile(r"ERROR: AddressSanitizer: (?P<what>[^\n]*)")
_UNDEFINED = re.compile(r"(?<![^\s:])(?P<file>[^\s:]+):(?P<line>\d{1,9}):\d+: runtime error: (?P<what>.*)")
_ACCESS = re.compile(r"^(READ|WRITE) of size (\d+)", re.MULTILINE)


@dataclass
class Sanitizing:
    """The instrumented program of one source; `start` compiles it, `check` runs it."""

    source: Path
    function: str
    folder: Path
    compiling: Tool | None = None

    def start(self, compiler: Sequence[str]) -> Tool:
        """Start the compiler on the source, cut before its binding, with a `main` behind it."""
        text = self.source.read_text("utf-8", "replace").partition(BINDING)[0]
        program = self.folder / "sanitized.cpp"
        program.parent.mkdir(parents=True, exist_ok=True)
        name = self.source.name
        main = MAIN.format(function=self.function)
        program.write_text(f'#line 1 "{name}"\n{text}\n#line 1 "main"\n{main}', "utf-8")
        folders = [f"-I{self._headers()}", f"-I{self.source.parent}"]
        command = [*compiler, *FLAGS, *folders, str(program), "-o", str(self._program)]
        read, write = (self.source.parent,), (self.folder,)
        self.compiling = Tool(
            command, self.folder / "sanitize", environment=OPTIONS, readable=read, writable=write
        ).start()
        return self.compiling

    def _headers(self) -> Path:
        """Write empty headers in pybind11's place; return their folder."""
        folder = self.folder / "headers"
        (folder / "pybind11").mkdir(parents=True, exist_ok=True)
        lines = ["#pragma once", *(f"#include <{name}>" for name in STANDARD), "namespace pybind11 {}"]
        for name in HEADERS:
            (folder / "pybind11" / f"{name}.h").write_text("\n".join(lines) + "\n", "utf-8")
        return folder

    @property
    def _program(self) -> Path:
        return self.folder / "sanitized"

    def check(self) -> None:
        """Run the program on every case; raises `Failure` with the first finding."""
        assert self.compiling is not None
        if self.compiling.wait().code != 0:
            raise Failure(
                "not run: the source does not build with -fsanitize=address,undefined outside of Python",
                help=f"`{self.function}` must have the handout's signature",
                verdict=NOT_RUN,
            )
        for sizes, name in CASES:
            self._run(sizes, name)

    def _run(self, sizes: tuple[int, ...], name: str) -> None:
        limits = ToolLimits(seconds=RUN_SECONDS, memory=0)
        command = [str(self._program), *map(str, sizes)]
        run = self.folder / "run"
        with Tool(command, run, limits, OPTIONS, readable=(self.folder,), may_fork=False) as tool:
            outcome = tool.wait()
        if outcome.code != 0 or "done" not in outcome.output:
            raise finding(outcome, self.source, self.function, name)


def finding(outcome: Outcome, source: Path, function: str, case: str) -> Failure:
    """Return the failure that the sanitizer's output stands for, with the line it names in the source."""
    undefined, address = _UNDEFINED.search(outcome.output), _ADDRESS.search(outcome.output)
    line = None
    if undefined is not None:
        what, line = f"undefined behaviour: {undefined['what']}", int(undefined["line"])
    elif address is not None:
        access = _ACCESS.search(outcome.output, address.end())
        kind = address["what"].split(" on ")[0].split(" (")[0].strip()
        what = f"{kind}, a {access[1].lower()} of {access[2]} bytes" if access else kind
        frame = re.search(rf"{re.escape(source.name)}:(\d{{1,9}})", outcome.output[address.end() :])
        line = int(frame[1]) if frame else None
    else:
        what = f"it ended with code {outcome.code}" if outcome.code is not None else "it did not end"
    place = {"file": f"src/{source.name}", "line": line, "function": function} if line else None
    where = f" at src/{source.name}:{line}" if line else ""
    return Failure(
        f"{function}, with {case}: {what}{where}",
        location=place,
        measurements={"sanitizer": outcome.output[:4000]},
        group="sanitizer",
    )
