"""Plain calls of modules: build one, write its parameters, run it, differentiate, look inside."""

from __future__ import annotations

from typing import Any

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask

OWN = {
    "own.Scale": """
class Scale(needle.nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, x):
        return x * self.by
""",
    "own.Shift": """
class Shift(needle.nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, x):
        return x + self.by
""",
    "own.Square": """
class Square(needle.nn.Module):
    def forward(self, x):
        return x * x
""",
    "own.Holder": """
class Holder(needle.nn.Module):
    def __init__(self, held=None):
        super().__init__()
        self.held = held
        self.weight = needle.nn.Parameter(np.ones((2, 2), dtype="float32"))

    def forward(self, x):
        return x
""",
}


def built(code: Code, what: Any) -> str:
    """Return the expression that makes a module from the probe's description of it."""
    code.imported("import needle.nn")
    if isinstance(what, list):
        return "[" + ", ".join(built(code, one) for one in what) + "]"
    if not isinstance(what, dict):
        return repr(what)
    if "tuple" in what:
        inner = ", ".join(built(code, one) for one in what["tuple"])
        return f"({inner},)"
    if "dict" in what:
        return "{" + ", ".join(f"{name!r}: {built(code, one)}" for name, one in what["dict"].items()) + "}"
    name = what["class"]
    if name in OWN and OWN[name] not in code.lines:
        code.lines.insert(0, OWN[name])
    given = [built(code, one) for one in what.get("arguments", [])]
    given += [f"{key}={built(code, one)}" for key, one in what.get("keywords", {}).items()]
    title = name.removeprefix("own.") if name in OWN else f"needle.nn.{name}"
    return f"{title}({', '.join(given)})"


def _module(code: Code, ask: Ask) -> None:
    made = built(code, ask.arguments["module"])
    if ask.arguments.get("seed") is not None:
        code.add(f"np.random.seed({ask.arguments['seed']})")
    code.add(f"module = {made}")


def run(code: Code, ask: Ask) -> None:
    """Run a module, once per step, and differentiate the last output if that was asked for."""
    arguments = ask.arguments
    _module(code, ask)
    written = arguments.get("written", [])
    if written:
        code.need("write")
    for name, array in zip(written, ask.arrays, strict=False):
        code.add(f"write(module, {name!r}, {literals.array(array)})")
    rest = ask.arrays[len(written) :]
    total = sum(count for _, count in arguments["steps"])
    names = [code.tensor(_input(i, total), array) for i, array in enumerate(rest[:total])]
    given = [code.tensor("out_grad", rest[total])] if "gradients" in arguments else []
    code.unchanged([*names, *given])
    calls, at = [], 0
    for number, (mode, count) in enumerate(arguments["steps"], 1):
        out = "out" if len(arguments["steps"]) == 1 else f"out{number}"
        code.add("", f"module.{mode}()", f"{out} = module({', '.join(names[at : at + count])})")
        code.numbers(f"the output in {mode}", out)
        calls.append((out, names[at : at + count]))
        at += count
    for name in arguments.get("read", []):
        code.numbers(name, f"module.{name}")
    if "gradients" in arguments:
        out, inputs = calls[-1]
        code.add(f"{out}.backward(out_grad)")
        code.numbers(f"{inputs[0]}.grad", f"{inputs[0]}.grad")
        for name in arguments["gradients"]:
            code.numbers(f"{name}.grad", f"module.{name}.grad")


def _input(number: int, total: int) -> str:
    return "x" if total == 1 else f"x{number + 1}"


def inspect(code: Code, ask: Ask) -> None:
    """Look at a module's parameters and attributes, after inputs passed in training if there are any."""
    _module(code, ask)
    for i, array in enumerate(ask.arrays):
        code.add(f"module({code.tensor(_input(i, len(ask.arrays)), array)})")
    for name in ask.arguments["attributes"]:
        code.numbers(name, f"module.{name}")
    listed = ", ".join(f"module.{name}" for name in ask.arguments["attributes"])
    code.facts["kinds"] = f"[type(one).__name__ for one in [{listed}]]"
    code.add("names = {id(value): name for name, value in vars(module).items()}")
    code.facts["parameters"] = (
        '[{"name": names.get(id(one), "?"), "shape": list(one.shape)} for one in module.parameters()]'
    )


def modes(code: Code, ask: Ask) -> None:
    """Switch nested modules to eval and back."""
    _module(code, ask)
    code.add(WALK, "training = {path: [] for path, _ in walk(module, 'module')}")
    code.add(
        "for switch in ('eval', 'train'):",
        "    getattr(module, switch)()",
        "    for path, one in walk(module, 'module'):",
        "        training[path].append(one.training)",
    )
    code.facts["training"] = "training"
    code.facts["parameters"] = "len(module.parameters())"


WALK = '''
def walk(value, path):
    """Modules with their paths: the value itself, then those in its attributes and containers."""
    if isinstance(value, dict):
        return [one for key, held in value.items() for one in walk(held, f"{path}[{key!r}]")]
    if isinstance(value, (list, tuple)):
        return [one for i, held in enumerate(value) for one in walk(held, f"{path}[{i}]")]
    if not hasattr(value, "forward"):
        return []
    inner = [one for name, held in vars(value).items() for one in walk(held, f"{path}.{name}")]
    return [(path, value), *inner]

'''


def growth(code: Code, ask: Ask) -> None:
    """Run forward and backward for some steps and count what stays alive."""
    _module(code, ask)
    code.need("alive", "tensor")
    code.add("module.train()", "counts = []")
    code.add(f"for array in [{', '.join(literals.array(one) for one in ask.arrays)}]:")
    code.add("    module(tensor(array)).backward()", "    counts.append(alive())")
    code.facts["alive"] = "counts"


PRINTERS = {"nn.run": run, "nn.inspect": inspect, "nn.modes": modes, "nn.growth": growth}
