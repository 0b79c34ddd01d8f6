"""Plain calls of `apps/mlp_resnet.py`."""

from __future__ import annotations

from typing import Any

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask

FILES = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")


def _model(code: Code, arguments: dict[str, Any]) -> None:
    code.imported("import needle.nn as nn")
    code.imported(f"from mlp_resnet import {arguments['function']}")
    sizes = ", ".join(map(str, arguments["sizes"]))
    keywords = "".join(f", {key}={value!r}" for key, value in arguments["keywords"].items())
    code.add(f"model = {arguments['function']}({sizes}, norm=nn.{arguments['norm']}{keywords})")


def structure(code: Code, ask: Ask) -> None:
    """Look at the parameters of a network."""
    code.need("ordered", "numbers")
    _model(code, ask.arguments)
    code.add("parameters = ordered(model)")
    code.facts["distinct"] = "len({id(one) for one in parameters})"
    code.facts["shapes"] = "[list(numbers(one).shape) for one in parameters]"


def forward(code: Code, ask: Ask) -> None:
    """Fill the parameters of a network and run it."""
    code.need("ordered", "drawn")
    _model(code, ask.arguments)
    mode = ask.arguments["mode"]
    code.add(
        f"rng = np.random.RandomState({ask.arguments['seed']})",
        "for one in ordered(model):",
        "    one.cached_data = drawn(rng, one.shape)",
        f"model.{'eval' if mode == 'train' else 'train'}()",
        f"model.{mode}()",
    )
    code.add("parameters = ordered(model)")
    watched = len(ask.reply.values.get("p", [])) if ask.reply else 0
    if ask.arguments.get("watch"):
        _dropouts(code)
    count = len(ask.reply.arrays) - len(ask.arrays) - watched if ask.reply else 0
    for i in range(count):
        code.numbers(f"parameter {i}", f"parameters[{i}]")
    for number, array in enumerate(ask.arrays, 1):
        code.tensor(f"x{number}", array)
        code.add(f"np.random.seed({number})", f"out{number} = model(x{number})")
        code.numbers(f"the output in {mode}", f"out{number}")
    for i in range(watched):
        code.numbers("the input of Dropout", f"dropped[{i}][1]")


def _dropouts(code: Code) -> None:
    """Note the `p` and the input of each Dropout that is called."""
    code.add(
        "dropped, forward = [], nn.Dropout.forward",
        "def noted(module, x):",
        "    dropped.append((float(module.p), x))",
        "    return forward(module, x)",
        "nn.Dropout.forward = noted",
    )
    code.facts["p"] = "[p for p, _ in dropped]"


def growth(code: Code, ask: Ask) -> None:
    """Run a network for some passes and count what stays alive."""
    code.imported("import needle.optim")
    code.need("alive", "tensor", "Descent", "numbers")
    _model(code, ask.arguments)
    training = ask.arguments["mode"] == "train"
    code.add(
        f"model.{ask.arguments['mode']}()",
        f"optimiser = Descent(model.parameters(), {2.0**-10})",
        "counts = []",
        f"for array in [{', '.join(literals.array(one) for one in ask.arrays)}]:",
        "    out = model(tensor(array))",
        *(STEP if training else ()),
        "    out = None",
        "    counts.append(alive())",
    )
    code.facts["alive"] = "counts"


STEP = (
    "    optimiser.reset_grad()",
    "    loss = (out * out).sum()",
    "    loss.backward()",
    "    loss = None",
    "    optimiser.step()",
)


def epoch(code: Code, ask: Ask) -> None:
    """Run one epoch over a small set on a linear model."""
    images, labels, weight = ask.arrays
    size, lr = ask.arguments["batch"], ask.arguments["lr"]
    code.imported("import needle.nn as nn")
    code.imported("import needle.data")
    code.imported("import needle.optim")
    code.imported("from mlp_resnet import epoch")
    code.need("tensor", "numbers", "alive", "Linear", "Loader", "Descent")
    code.add(
        f"images = {literals.array(images)}",
        f"labels = {literals.array(labels)}",
        f"model = Linear({literals.array(weight)})",
        f"loader = Loader(images, labels, {size})",
    )
    optimiser = ""
    if lr is not None:
        code.add(f"optimiser = Descent(model.parameters(), {lr!r})")
        optimiser = ", optimiser"
    code.add(f"model.{'train' if lr is None else 'eval'}()", f"result = epoch(loader, model{optimiser})")
    code.numbers("the error rate", "result[0]")
    code.numbers("the average loss", "result[1]")
    code.numbers("the weight afterwards", "model.weight")
    code.facts["modes"] = "sorted(set(model.modes))"
    code.facts["calls"] = "len(model.modes)"
    if lr is not None:
        code.facts["optimiser"] = "optimiser.calls"
    code.facts["alive"] = "loader.counts"


def train(code: Code, ask: Ask) -> None:
    """Train on four small files with an Adam of the script's own."""
    code.imported("import needle.optim")
    code.imported("from mlp_resnet import train_mnist")
    code.need("Adam", "numbers")
    code.add("folder = tempfile.mkdtemp()")
    for name, array in zip(FILES, ask.arrays, strict=True):
        code.add(f"with open(folder + '/{name}-ubyte.gz', 'wb') as file:")
        code.add(f"    file.write({literals.data_text(array.tobytes())})")
    a = ask.arguments
    code.add(
        f"result = train_mnist({a['batch_size']}, {a['epochs']}, Adam, {a['lr']}, {a['weight_decay']}, "
        f"{a['hidden_dim']}, folder)"
    )
    for i, name in enumerate(("train error", "train loss", "test error", "test loss")):
        code.numbers(f"the {name}", f"result[{i}]")
    code.facts["keywords"] = "made[-1].keywords"
    code.facts["steps"] = "made[-1].steps"
    code.facts["shapes"] = "[list(one.shape) for one in made[-1].params]"
    code.facts["optimisers"] = "len(made)"


PRINTERS = {
    "mlp.structure": structure,
    "mlp.forward": forward,
    "mlp.epoch": epoch,
    "mlp.train": train,
    "mlp.growth": growth,
}
