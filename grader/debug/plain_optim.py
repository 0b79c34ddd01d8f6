"""Plain calls of the optimisers: parameters after each step, and what stays alive in training."""

from __future__ import annotations

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask


def run(code: Code, ask: Ask) -> None:
    """Step optimisers over parameters with given gradients."""
    arguments, count = ask.arguments, ask.arguments["parameters"]
    code.imported("import needle.nn")
    code.imported("import needle.optim")
    code.need("numbers", "tensor")
    names = [f"p{i}" for i in range(count)]
    for name, array in zip(names, ask.arrays, strict=False):
        code.add(f"{name} = needle.nn.Parameter(tensor({literals.array(array)}))")
    code.add("gradients = [")
    code.add(*[f"    tensor({literals.array(array)})," for array in ask.arrays[count:]])
    code.add("]", f"given = {arguments['rows']!r}  # per step: the gradient of each parameter")
    optimisers = []
    for number, group in enumerate(arguments["groups"]):
        chosen = "[" + ", ".join(names[i] for i in group) + "]"
        keywords = "".join(f", {key}={value!r}" for key, value in arguments["keywords"].items())
        code.add(f"optimiser{number} = needle.optim.{arguments['class']}({chosen}{keywords})")
        optimisers.append(f"optimiser{number}")
    listed = ", ".join(names)
    code.add("touched, steps = set(), []", "for row in given:")
    code.add(f"    for p, number in zip([{listed}], row):")
    code.add("        p.grad = None if number is None else gradients[number]")
    code.add("    before = [None if p.grad is None else numbers(p.grad).copy() for p in [" + listed + "]]")
    code.add(*[f"    {name}.step()" for name in optimisers])
    code.add(f"    for i, p in enumerate([{listed}]):")
    code.add(
        "        same = p.grad is None if before[i] is None else (",
        "            p.grad is not None and np.array_equal(numbers(p.grad), before[i]))",
        "        touched |= set() if same else {i}",
        f"    steps.append([numbers(p).copy() for p in [{listed}]])",
    )
    for i in range(count):
        code.arrays.append((f"parameter {i} after each step", f"np.stack([step[{i}] for step in steps])"))
    code.facts["touched"] = "sorted(touched)"


def growth(code: Code, ask: Ask) -> None:
    """Train a small model for some steps and count what stays alive."""
    code.imported("import needle.nn as nn")
    code.imported("import needle.optim")
    code.need("alive", "tensor")
    norm = f"nn.{ask.arguments['norm']}(3), " if ask.arguments["norm"] else ""
    keywords = "".join(f", {key}={value!r}" for key, value in ask.arguments["keywords"].items())
    code.add(
        f"layers = [nn.Linear(4, 3), {norm}nn.ReLU(), nn.Linear(3, 2)]",
        "parameters = [p for layer in layers for p in layer.parameters()]",
        f"optimiser = needle.optim.{ask.arguments['class']}(parameters{keywords})",
        "counts = []",
        f"for array in [{', '.join(literals.array(one) for one in ask.arrays)}]:",
        "    x = tensor(array)",
        "    for layer in layers:",
        "        x = layer(x)",
        "    loss = (x * x).sum()",
        "    optimiser.reset_grad()",
        "    loss.backward()",
        "    optimiser.step()",
        "    counts.append(alive())",
    )
    code.facts["alive"] = "counts"


def learn(code: Code, ask: Ask) -> None:
    """Train a two-layer net over one pass of a data set, every eighth step counted; any numbers will do."""
    first, middle, last = ask.arguments["widths"]
    size, examples = ask.arguments["batch"], len(ask.arrays[0])
    code.imported("import needle.nn as nn")
    code.imported("import needle.optim")
    code.need("alive", "tensor")
    code.add(
        "rng = np.random.default_rng(0)",
        f"X = rng.uniform(-1, 1, ({examples}, {first})).astype('float32')",
        f"y = rng.integers(0, {last}, {examples}).astype('uint8')",
        f"model = nn.Sequential(nn.Linear({first}, {middle}), nn.ReLU(), nn.Linear({middle}, {last}))",
        f"optimiser = needle.optim.{ask.arguments['optimiser']}(model.parameters(), lr=0.001)",
        "loss_function, counts, before = nn.SoftmaxLoss(), [], alive()",
        f"for step, start in enumerate(range(0, {examples}, {size}), 1):",
        "    optimiser.reset_grad()",
        f"    batch = slice(start, start + {size})",
        "    loss = loss_function(model(tensor(X[batch])), tensor(y[batch]))",
        "    loss.backward()",
        "    optimiser.step()",
        "    if step % 8 == 0:",
        "        counts.append(alive() - before)",
    )
    code.facts["alive"] = "counts"


PRINTERS = {"optim.run": run, "optim.growth": growth, "optim.learn": learn, "optim.count": learn}
