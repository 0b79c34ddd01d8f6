"""The fault table of hw0: functions in numpy, reading MNIST, the C++ extension, and what lies around them."""

from __future__ import annotations

from tests.faults import hw0_sizes
from tests.faults.hw0_source import (
    ALL_CPP,
    CPP,
    NO_CPP,
    PARSE_ROW,
    REGRESSION,
    SHORT_ROW,
    TWO_LAYER,
    Q,
    advised,
    altered,
    failing,
    python,
)
from tests.faults.model import Expect, Fault, fine
from tests.support import transforms as change
from tests.support.compiling import extension


def _parse(id_: str, mistake: str, *changes: tuple[str, str]) -> Fault:
    expect = failing("parse_mnist", mistake=mistake)
    return python(f"parse-{id_}", PARSE_ROW, altered("parse_mnist", *changes), expect)


SCALED = "X.astype(np.float32) / np.float32(255)"
UNPACK = '_, count, rows, columns = struct.unpack(">4I", file.read(16))'
LABELS = "with gzip.open(label_filename"

MNIST = [
    _parse(
        "per-image",
        "parse-per-image",
        (SCALED, "(X / X.max(axis=1, keepdims=True)).astype(np.float32)"),
    ),
    _parse("unscaled", "parse-unscaled", (SCALED, "X.astype(np.float32)")),
    _parse(
        "signed",
        "parse-signed",
        ("dtype=np.uint8).reshape", "dtype=np.int8).reshape"),
    ),
    _parse(
        "labels-from-images",
        "parse-labels-from-images-8",
        (LABELS, "with gzip.open(image_filename"),
        (
            "np.frombuffer(file.read(), dtype=np.uint8).copy()",
            "np.frombuffer(file.read(count), dtype=np.uint8)",
        ),
    ),
    _parse("fixed-count", "parse-fixed-count", ("reshape(count, rows * columns)", "reshape(60000, 784)")),
    _parse(
        "fixed-loop",
        "parse-fixed-count",
        (
            "X = np.frombuffer(file.read(), dtype=np.uint8).reshape(count, rows * columns)",
            "X = np.stack([np.frombuffer(file.read(784), np.uint8) for _ in range(60000)])",
        ),
    ),
    _parse(
        "fixed-buffer",
        "parse-fixed-count",
        (
            "X = np.frombuffer(file.read(), dtype=np.uint8).reshape(count, rows * columns)",
            "raw = file.read()\n        X = np.zeros((60000, 784), dtype=np.uint8)\n"
            "        X.ravel()[:len(raw)] = np.frombuffer(raw, dtype=np.uint8)",
        ),
    ),
    _parse("little-endian", "parse-little-endian", (UNPACK, UNPACK.replace(">", "<"))),
    python(
        "parse-float64",
        PARSE_ROW,
        altered("parse_mnist", (SCALED, "X / 255")),
        failing("parse_mnist", "float64, expected float32"),
    ),
    python(
        "parse-int-labels",
        PARSE_ROW,
        altered("parse_mnist", ("dtype=np.uint8).copy()", "dtype=np.uint8).astype(int)")),
        failing("parse_mnist", "int64, expected uint8"),
    ),
    python(
        "parse-not-flat",
        PARSE_ROW,
        altered("parse_mnist", ("reshape(count, rows * columns)", "reshape(count, rows, columns)")),
        failing("parse_mnist", "28, 28"),
    ),
    python(
        "parse-own-maximum",
        PARSE_ROW,
        altered("parse_mnist", (SCALED, "X.astype(np.float32) / np.float32(X.max())")),
        advised("parse_mnist.parse_mnist.scale", mistake="parse-own-maximum"),
    ),
]

LOSS = [
    python(
        "loss-summed",
        "hw0 softmax_loss",
        altered("softmax_loss", ("np.mean", "np.sum")),
        failing("softmax_loss", mistake="loss-summed"),
    ),
    python(
        "loss-changes-logits",
        "hw0 softmax_loss",
        {
            "softmax_loss": "def softmax_loss(Z, y):\n    Z -= Z.max(axis=1, keepdims=True)\n"
            "    return np.mean(np.log(np.exp(Z).sum(axis=1)) - Z[np.arange(len(y)), y])"
        },
        advised("softmax_loss.softmax_loss.inputs", "changes Z in place"),
    ),
    python(
        "add-array",
        "hw0 add",
        {"add": "def add(x, y):\n    return np.add(x, y)"},
        Expect(("add.add.numbers",), ("numpy", "expected a Python int"), consequences=("add.*", *ALL_CPP)),
    ),
]


def _epoch(name: str, id_: str, mistake: str, *changes: tuple[str, str]) -> Fault:
    return python(f"{name}-{id_}", "hw0 epochs", altered(name, *changes), failing(name, mistake=mistake))


STEP = "theta -= lr / len(y_batch) * (X_batch.T @ G)"
TARGET = "G[np.arange(len(y_batch)), y_batch] -= 1"
RAISES = "assert len(X_batch) == batch, 'batches must be even'"
LOOP = "X_batch, y_batch = X[start : start + batch], y[start : start + batch]"

EPOCHS = [
    _epoch(REGRESSION, "ascends", "regression-ascends", ("theta -= ", "theta += ")),
    _epoch(REGRESSION, "summed", "regression-summed", ("lr / len(y_batch)", "lr")),
    _epoch(REGRESSION, "no-target", "regression-no-target", (TARGET, "pass")),
    _epoch(
        REGRESSION,
        "over-batch",
        "regression-normalised-over-batch",
        ("Z.max(axis=1, keepdims=True)", "0"),
        ("G.sum(axis=1", "G.sum(axis=0"),
    ),
    _epoch(REGRESSION, "not-in-place", "not-in-place", (STEP, STEP.replace("theta -= ", "theta = theta - "))),
    _epoch(
        REGRESSION,
        "float64-copied",
        "not-in-place",
        ("for start", "theta = np.asarray(theta, dtype=np.float32)\n    for start"),
    ),
    _epoch(TWO_LAYER, "no-mask", "two-layer-no-mask", (" * (hidden > 0)", "")),
    _epoch(
        TWO_LAYER,
        "not-joint",
        "two-layer-not-joint",
        (
            "W2 -= lr / len(y_batch) * (hidden.T @ G2)",
            "H = np.maximum(X_batch @ W1, 0)\n        G2 = np.exp(H @ W2)\n"
            "        G2 /= G2.sum(axis=1, keepdims=True)\n"
            "        G2[np.arange(len(y_batch)), y_batch] -= 1\n        W2 -= lr / len(y_batch) * (H.T @ G2)",
        ),
    ),
    python(
        "epoch-changes-x",
        "hw0 epochs",
        altered(REGRESSION, ("for start", "X /= 2\n    X *= 2.5\n    for start")),
        failing(REGRESSION, "changes X in place"),
    ),
    python(
        "epoch-raises",
        "hw0 epochs",
        altered(REGRESSION, ("for start", "raise ValueError('no')\n    for start")),
        failing(REGRESSION, "raised ValueError: no"),
    ),
]


def _short(name: str, id_: str, mistake: str, *changes: tuple[str, str]) -> Fault:
    expect = advised(f"{name}.{name}.short_batch", "with a short last batch", mistake=mistake)
    return python(f"{name}-short-{id_}", SHORT_ROW, altered(name, *changes), expect)


SHORT = [
    _short(REGRESSION, "divided", "regression-short-divided-by-batch", ("lr / len(y_batch)", "lr / batch")),
    _short(
        REGRESSION,
        "dropped",
        "regression-short-dropped",
        ("range(0, len(y), batch)", "range(0, len(y) // batch * batch, batch)"),
    ),
    _short(REGRESSION, "raises", "short-raises", (LOOP, f"{LOOP}\n        {RAISES}")),
    _short(TWO_LAYER, "divided", "two-layer-short-divided-by-batch", ("lr / len(y_batch)", "lr / batch")),
    _short(
        TWO_LAYER,
        "dropped",
        "two-layer-short-dropped",
        ("range(0, len(y), batch)", "range(0, len(y) // batch * batch, batch)"),
    ),
    _short(TWO_LAYER, "raises", "short-raises", (LOOP, f"{LOOP}\n        {RAISES}")),
    python(
        "epoch-returns",
        "hw0 epochs",
        altered(REGRESSION, (STEP, f"{STEP}\n    return theta")),
        advised(f"{REGRESSION}.{REGRESSION}.returns", "returns an array"),
    ),
]

DUMB = {
    "zeros": "np.zeros_like(right)",
    "ones": "np.ones_like(right)",
    "nan": "np.full_like(right, np.nan)",
    "empty": "np.zeros((0,), dtype=right.dtype)",
    "float16": "right.astype(np.float16)",
    "object": "right.astype(object)",
    "input": "given",
    "transposed": "np.asarray(given).T",
}


def _dumb(id_: str, answer: str) -> Fault:
    """Every function gives a dumb answer; the weights are overwritten by it where it fits into them."""
    lines = "    right = np.asarray({right})\n    given = np.asarray({given})\n    answer = {answer}\n"
    into = "".join(
        "    try:\n        {name}[...] = np.asarray({answer}).reshape({name}.shape)\n"
        "    except (ValueError, TypeError):\n        pass\n".replace("{name}", name)
        for name in ("{w}",)
    )

    def overwrite(*weights: str) -> str:
        text = ""
        for weight in weights:
            text += f"    right = given = {weight}.copy()\n" + into.format(w=weight, answer=answer)
        return text

    keep = {
        "add": "def add(x, y):\n"
        + lines.format(right="x + y", given="x", answer=answer)
        + "    return answer",
        "softmax_loss": "def softmax_loss(Z, y):\n"
        + lines.format(right="0.5", given="Z", answer=answer)
        + "    return answer",
        "parse_mnist": "def parse_mnist(image_filename, label_filename):\n"
        "    X = np.frombuffer(gzip.open(image_filename).read(), np.uint8)\n"
        + lines.format(right="X[16:].reshape(-1, 784) / np.float32(255)", given="X", answer=answer)
        + "    return answer, answer",
        REGRESSION: f"def {REGRESSION}(X, y, theta, lr=0.1, batch=100):\n" + overwrite("theta"),
        TWO_LAYER: f"def {TWO_LAYER}(X, y, W1, W2, lr=0.1, batch=100):\n" + overwrite("W1", "W2"),
    }
    names = ("add.add.numbers", *(Q[name] for name in (*list(keep)[1:],)))
    expect = Expect((*names, *ALL_CPP), consequences=("*",), score=0.0)
    return python(f"dumb-{id_}", "dumb answers", keep, expect)


DUMB_ANSWERS = [_dumb(id_, answer) for id_, answer in DUMB.items()]

BODY = """
    std::vector<float> p(k), g(n * k);
    for (size_t s = 0; s < {all}; s += batch) {{
        size_t e = {end};
        std::fill(g.begin(), g.end(), 0.0f);
        for (size_t i = s; i < e; ++i) {{
            float sum = 0;
            for (size_t c = 0; c < k; ++c) {{
                p[c] = 0;
                for (size_t a = 0; a < n; ++a)
                    p[c] += X[{row} + a] * theta[{at}];
                sum += p[c] = std::exp(p[c]);
            }}
            for (size_t c = 0; c < k; ++c)
                p[c] = p[c] / sum - (y[i] == c);
            for (size_t a = 0; a < n; ++a)
                for (size_t c = 0; c < k; ++c)
                    g[a * k + c] += X[{row} + a] * p[c];
        }}
        for (size_t j = 0; j < n * k; ++j)
            theta[j] {sign} lr / {size} * g[j];
    }}
"""
PARTS = {
    "all": "m",
    "end": "std::min(s + batch, m)",
    "row": "i * n",
    "at": "a * k + c",
    "sign": "-=",
    "size": "(e - s)",
}


def body(**changes: str) -> str:
    """A right C++ body with parts of it replaced."""
    return BODY.format(**{**PARTS, **changes})


def _cpp(id_: str, row: str, text: str, expect: Expect) -> Fault:
    return Fault(f"cpp-{id_}", row, expect, files={CPP: text})


CPP_NAME = "softmax_regression_epoch_cpp"
SHORT_CPP = f"{CPP_NAME}.{CPP_NAME}.short_batch"


def _cpp_failing(*says: str, mistake: str = "", verdicts: tuple[str, ...] = ()) -> Expect:
    said = (*says, f'"known_mistake": "{mistake}"') if mistake else says
    return Expect((Q[CPP_NAME],), said, CPP_NAME, consequences=ALL_CPP, verdicts=verdicts, score=0.8)


EXTENSION = [
    _cpp("ten-classes", "hw0 C++", extension("    k = 10;\n" + body()), _cpp_failing()),
    _cpp("ascends", "hw0 C++", extension(body(sign="+=")), _cpp_failing(mistake="regression-ascends")),
    _cpp(
        "crash",
        "hw0 C++: crash in an even batch",
        extension(body(row="i * n + 100000000000")),
        _cpp_failing("the extension crashed", "--sanitize", verdicts=("crashed",)),
    ),
    _cpp(
        "short-dropped",
        "hw0 C++ short last batch",
        extension(body(all="m / batch * batch")),
        fine(advice=(SHORT_CPP,), advice_says=("regression-short-dropped",)),
    ),
    _cpp(
        "short-killed",
        "hw0 C++ short last batch",
        extension("    if (m % batch) *(volatile int *)8 = 1;\n" + body()),
        fine(advice=(SHORT_CPP,), advice_says=("the extension crashed", "--sanitize")),
    ),
    _cpp(
        "throws",
        "hw0 C++ short last batch",
        extension('    if (m % batch) throw std::invalid_argument("uneven");\n' + body()),
        fine(advice=(SHORT_CPP,), advice_says=("uneven", "short-raises")),
    ),
    _cpp(
        "does-not-compile",
        "C++ does not compile",
        extension(body(size="sice")),
        Expect(
            (Q[CPP_NAME],),
            ("does not compile", "src/simple_ml_ext.cpp:", "'sice' was not declared"),
            consequences=ALL_CPP,
            score=0.8,
        ),
    ),
    _cpp(
        "empty",
        "stubs",
        extension("\n"),
        Expect((Q[CPP_NAME],), ("is not filled in yet",), consequences=ALL_CPP, score=0.8),
    ),
    Fault(
        "cpp-missing",
        "files go missing",
        Expect((Q[CPP_NAME],), ("src/simple_ml_ext.cpp",), consequences=ALL_CPP, score=0.8),
        transforms=(change.without(CPP),),
    ),
    Fault(
        "python-exits-at-import",
        "does not import",
        Expect(("add.*",), ("does not import",), consequences=("*",)),
        transforms=(change.in_file("simple_ml.py", lambda text: text + "\nraise SystemExit(0)\n"),),
        files={CPP: NO_CPP},
    ),
]

FAULTS = [*MNIST, *LOSS, *EPOCHS, *SHORT, *hw0_sizes.FAULTS, *DUMB_ANSWERS, *EXTENSION]
