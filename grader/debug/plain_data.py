"""Plain calls of transforms, datasets and the loader."""

from __future__ import annotations

from typing import Any

from grader.debug import literals
from grader.debug.code import Code
from grader.debug.record import Ask

OWN = {
    "mirror": "lambda image: np.flip(image, 1) if np.ndim(image) > 1 else image",
    "double": "lambda image: image * 2",
    "lift": "lambda image: image + 1",
}

COUNTED = (
    "seen, reads = [], []",
    "class Counted(needle.data.NDArrayDataset):",
    "    def __getitem__(self, index):",
    "        seen.extend(np.ravel(np.arange(len(self))[index]))",
    "        return super().__getitem__(index)",
)


def transform(code: Code, ask: Ask) -> None:
    """Call a transform several times under a known seed."""
    arguments = ask.arguments
    code.imported("import needle.data")
    made = literals.call(f"needle.data.{arguments['class']}", arguments["parameters"])
    code.add(f"transform = {made}", f"image = {literals.array(ask.arrays[0])}", "before = image.copy()")
    code.add(f"np.random.seed({arguments['seed']})")
    code.add(f"images = [transform(image) for _ in range({arguments['times']})]")
    for i in range(arguments["times"]):
        code.numbers(f"image {i}", f"images[{i}]")
    code.facts["changed"] = "not np.array_equal(image, before)"


def _index(one: Any) -> str:
    if not isinstance(one, dict):
        return repr(one)
    if "int64" in one:
        return f"np.int64({one['int64']})"
    if "slice" in one:
        return ":".join("" if i is None else str(i) for i in one["slice"])
    return f"np.array({one['array']!r})"


def mnist(code: Code, ask: Ask) -> None:
    """Write two small files and read them as an MNISTDataset."""
    code.imported("import needle.data")
    code.files(("images", "labels"), ask.arrays)
    transforms = [OWN[name] for name in ask.arguments["transforms"]]
    counted = bool(transforms) and len(ask.arguments["indices"]) > 1
    if counted:
        transforms.insert(0, "lambda image: seen.append(1) or image")
        code.add("seen, calls = [], []")
        code.facts["calls"] = "calls"
    given = ", [" + ", ".join(transforms) + "]" if transforms else ""
    code.add(f"dataset = needle.data.MNISTDataset(images, labels{given})")
    for number, one in enumerate(ask.arguments["indices"]):
        name = "sample" if len(ask.arguments["indices"]) == 1 else f"sample{number}"
        code.add(f"{name} = dataset[{_index(one)}]")
        if counted:
            code.add("calls.append(len(seen) - sum(calls))")
        code.numbers(f"the image of dataset[{_index(one)}]", f"{name}[0]")
        code.numbers(f"the label of dataset[{_index(one)}]", f"{name}[1]")
    code.facts["length"] = "len(dataset)"


def loader_of_mnist(code: Code, ask: Ask) -> None:
    """Pass twice over a shuffling DataLoader of an MNISTDataset."""
    code.imported("import needle.data")
    code.need("numbers", "is_batch")
    code.files(("images", "labels"), ask.arrays)
    transforms = [OWN[name] for name in ask.arguments["transforms"]]
    code.add(
        f"dataset = needle.data.MNISTDataset(images, labels, [{', '.join(transforms)}])",
        f"loader = needle.data.DataLoader(dataset, batch_size={ask.arguments['batch_size']!r}, shuffle=True)",
        f"np.random.seed({ask.arguments['seed']})",
        "arrays = [numbers(one) for _ in range(2) for batch in loader for one in is_batch(batch)]",
    )
    count = len(ask.reply.arrays) if ask.reply else 0
    code.arrays += [(f"array {i} of the batches", f"arrays[{i}]") for i in range(count)]


def loader(code: Code, ask: Ask) -> None:
    """Pass over a DataLoader."""
    arguments = ask.arguments
    code.imported("import needle.data")
    code.need("numbers", "is_batch")
    arrays = ", ".join(literals.array(one) for one in ask.arrays)
    counted = _is_counted(ask)
    if counted:
        code.add(*COUNTED)
        code.facts["reads"] = "reads"
    code.add(f"dataset = {'Counted' if counted else 'needle.data.NDArrayDataset'}({arrays})")
    code.add(
        f"loader = needle.data.DataLoader(dataset, batch_size={arguments['batch_size']!r}, "
        f"shuffle={arguments['shuffle']!r})",
        "sizes, arrays = [], []",
        f"np.random.seed({arguments['seed']})",
        f"for stop in {arguments['passes']!r}:  # after how many batches a pass is left",
        "    counts = []",
        "    for number, batch in enumerate(loader):",
        "        arrays += [numbers(one) for one in is_batch(batch)]",
        "        counts.append(len(batch))",
    )
    most = 4 * len(ask.arrays[0]) + 4
    if arguments.get("nested"):
        code.add(
            "        if number == 0:  # a second pass inside the first",
            f"            inner = [is_batch(one) for one, _ in zip(loader, range({most}))]",
            "            arrays += [numbers(one) for batch in inner for one in batch]",
            "            sizes.append([len(one) for one in inner])",
        )
    code.add(f"        if len(counts) == stop or len(counts) >= {most}:", "            break")
    code.add("    sizes.append(counts)")
    if counted:
        code.add("    reads.append(len(seen) - sum(reads))")
    code.facts["sizes"] = "sizes"
    count = len(ask.reply.arrays) if ask.reply else 0
    code.arrays += [(f"array {i} of the batches", f"arrays[{i}]") for i in range(count)]


def _is_counted(ask: Ask) -> bool:
    """Tell whether a whole pass read fewer samples than there are."""
    reads = ask.reply.values.get("reads", []) if ask.reply else []
    whole = [count for count, stop in zip(reads, ask.arguments["passes"], strict=False) if stop is None]
    return bool(whole) and min(whole) < len(ask.arrays[0])


def dataset(code: Code, ask: Ask) -> None:
    """Take samples from an NDArrayDataset."""
    code.imported("import needle.data")
    code.add(f"dataset = needle.data.NDArrayDataset({', '.join(literals.array(one) for one in ask.arrays)})")
    for i in ask.arguments["indices"]:
        for part in range(len(ask.arrays)):
            code.numbers(f"dataset[{i}][{part}]", f"dataset[{i}][{part}]")
    code.facts["length"] = "len(dataset)"


PRINTERS = {
    "data.transform": transform,
    "data.mnist": mnist,
    "data.loader": loader,
    "data.loader_of_mnist": loader_of_mnist,
    "data.dataset": dataset,
}
