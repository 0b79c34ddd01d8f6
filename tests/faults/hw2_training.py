"""The fault table of hw2: optimisers, data, and training."""

from __future__ import annotations

from tests.faults.hw2_source import altered, lost, named
from tests.faults.model import Expect, Fault, fine

GRADIENT = "p.grad.data + self.weight_decay * p.data"
SGD_REST, ADAM_REST = ("optim.SGD.*",), ("optim.Adam.*",)
STEP_DONE = "p.data = ndl.Tensor(p.data - self.lr * self.u[p], dtype=p.dtype, requires_grad=False)"
IN_PLACE = (
    f"grad = {GRADIENT}",
    f"p.grad.data = {GRADIENT}\n        grad = p.grad.data",
)


def _optimiser(id_: str, row: str, name: str, mistake: str, *replaced: tuple[str, str]) -> Fault:
    expect = named(f"optim.{name}.values", mistake, consequences=(f"optim.{name}.*",))
    return Fault(id_, row, expect, altered(f"{name}.step", *replaced))


OPTIMISERS = [
    _optimiser(
        "sgd-momentum-whole",
        "momentum without (1-m)",
        "SGD",
        "sgd-no-dampening",
        ("(1 - self.momentum) * grad", "grad"),
    ),
    _optimiser(
        "sgd-decoupled",
        "weight decay decoupled",
        "SGD",
        "sgd-decay-decoupled",
        (GRADIENT, "p.grad.data"),
        ("p.data - self.lr * self.u[p]", "p.data - self.lr * (self.u[p] + self.weight_decay * p.data)"),
    ),
    _optimiser(
        "adam-decoupled",
        "weight decay decoupled",
        "Adam",
        "adam-decay-decoupled",
        (GRADIENT, "p.grad.data"),
        ("p.data - update", "p.data - update - self.lr * self.weight_decay * p.data"),
    ),
    _optimiser(
        "adam-no-correction",
        "bias correction missing",
        "Adam",
        "adam-no-correction",
        (" / (1 - self.beta1**self.t)", ""),
        (" / (1 - self.beta2**self.t)", ""),
    ),
    _optimiser(
        "adam-correction-stored",
        "bias correction stored back into m",
        "Adam",
        "adam-correction-stored",
        ("m_hat = self.m[p]", "m_hat = self.m[p] = self.m[p]"),
        ("v_hat = self.v[p]", "v_hat = self.v[p] = self.v[p]"),
    ),
    _optimiser(
        "sgd-by-gradient",
        "moments keyed by the gradient",
        "SGD",
        "sgd-keyed-by-gradient",
        ("self.u[p]", "self.u[p.grad]"),
        ("self.u.get(p,", "self.u.get(p.grad,"),
    ),
    _optimiser(
        "adam-by-gradient",
        "moments keyed by the gradient",
        "Adam",
        "adam-keyed-by-gradient",
        ("self.m[p]", "self.m[p.grad]"),
        ("self.m.get(p,", "self.m.get(p.grad,"),
        ("self.v[p]", "self.v[p.grad]"),
        ("self.v.get(p,", "self.v.get(p.grad,"),
    ),
    _optimiser(
        "sgd-reset-in-step",
        "state reset in `step`",
        "SGD",
        "sgd-state-reset",
        ("for p in", "self.u = {}\n    for p in"),
    ),
    _optimiser(
        "adam-reset-in-step",
        "state reset in `step`",
        "Adam",
        "adam-state-reset",
        ("self.t += 1", "self.t, self.m, self.v = self.t + 1, {}, {}"),
    ),
    _optimiser("sgd-in-place", "gradient changed in place", "SGD", "sgd-gradient-in-place", IN_PLACE),
    _optimiser("adam-in-place", "gradient changed in place", "Adam", "adam-gradient-in-place", IN_PLACE),
    Fault(
        "sgd-none",
        "skip parameters whose grad is None",
        lost("optim.SGD.none", says=("None",), consequences=SGD_REST),
        altered("SGD.step", ("if p.grad is None:\n", "if False:\n")),
    ),
    Fault(
        "sgd-other-default",
        "a default of the signature changed",
        lost(
            "optim.SGD.hygiene",
            says=("SGD: the defaults are not those of the starter;", "`lr=0.01, momentum=0, weight_decay=0`"),
        ),
        altered("SGD.__init__", ("momentum=0.0", "momentum=0.9")),
    ),
    Fault(
        "adam-other-default",
        "a default of the signature changed",
        lost(
            "optim.Adam.hygiene",
            says=(
                "Adam: the defaults are not those of the starter;",
                "`lr=0.01, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0`",
            ),
        ),
        altered("Adam.__init__", ("beta2=0.999", "beta2=0.9")),
    ),
]

LEAKS = [
    Fault(
        "adam-moments-leak",
        "optimiser moments not detached",
        lost(
            "optim.Adam.graph",
            says=("Adam.v and Adam.m keep", "nodes more alive with every step", '"function": "Adam.step"'),
            consequences=("optim.Adam.graph_*",),
        ),
        altered("Adam.step", (GRADIENT, "p.grad + self.weight_decay * p")),
    ),
    Fault(
        "sgd-leak",
        "SGD leak",
        lost(
            "optim.SGD.graph",
            says=("SGD.u keeps", "nodes more alive with every step", '"function": "SGD.step"'),
            consequences=("optim.SGD.graph_*",),
        ),
        altered("SGD.step", (GRADIENT, "p.grad + self.weight_decay * p")),
    ),
    Fault(
        "parameter-leak",
        "parameters not detached",
        lost(
            "optim.SGD.graph",
            says=("Parameter.latest keeps", "nodes more alive with every step", "optim.py"),
            consequences=("optim.SGD.graph_*",),
        ),
        altered(
            "SGD.step",
            (
                STEP_DONE,
                "p.latest = getattr(p, 'latest', p) - self.lr * self.u[p]\n"
                "        p.data = ndl.Tensor(p.latest, dtype=p.dtype, requires_grad=False)",
            ),
        ),
    ),
    Fault(
        "loss-leak",
        "sums loss Tensors",
        Expect(
            ("mlp_resnet.epoch.graph",),
            ("total_loss in epoch keeps", "every batch"),
            "epoch",
            consequences=(),
        ),
        altered(
            "epoch",
            ("total_loss += float(loss.numpy()) * y.shape[0]", "total_loss = loss * y.shape[0] + total_loss"),
            ("total_loss / samples", "float(total_loss.numpy()) / samples"),
        ),
    ),
]

BATCHES = "range(0, count, self.batch_size)"
ORDER = "np.random.permutation(count) if self.shuffle else np.arange(count)"
COUNTING = """
def __next__(self):
    rows = self.order[self.at:self.at + self.batch_size]
    self.at += self.batch_size
    if len(rows) == 0:
        {end}raise StopIteration
    return tuple(Tensor(np.stack(column)) for column in zip(*(self.dataset[i] for i in rows)))
"""
ONE_ORDER = """
def __init__(self, dataset, batch_size=1, shuffle=False):
    self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
    count = len(dataset)
    self.order = np.random.permutation(count) if shuffle else np.arange(count)
    self.at = 0
"""
TWO_COLUMNS = "for column in ([one[0] for one in samples], [one[1] for one in samples])"
SELF = "def __iter__(self):\n    return self"


def _loader(id_: str, row: str, check: str, mistake: str, solutions: dict[str, str], *rest: str) -> Fault:
    consequences = tuple(f"data.DataLoader.{one}" for one in rest)
    return Fault(id_, row, named(f"data.DataLoader.{check}", mistake, consequences=consequences), solutions)


LOADERS = [
    _loader(
        "loader-one-order",
        "DataLoader: one shuffle for all epochs",
        "shuffle",
        "loader-one-order",
        {"DataLoader.__init__": ONE_ORDER, **altered("DataLoader.__iter__", (ORDER, "self.order"))},
        "seed",
    ),
    _loader(
        "loader-single-use",
        "DataLoader: single use",
        "passes",
        "loader-single-use",
        {
            "DataLoader.__init__": ONE_ORDER,
            "DataLoader.__iter__": SELF,
            "DataLoader.__next__": COUNTING.format(end=""),
        },
        "shuffle",
        "seed",
    ),
    _loader(
        "loader-stale",
        "DataLoader: stale after `break`",
        "passes",
        "loader-stale",
        {
            "DataLoader.__init__": ONE_ORDER,
            "DataLoader.__iter__": SELF,
            "DataLoader.__next__": COUNTING.format(
                end="self.order = np.random.permutation(self.order) if self.shuffle else self.order\n"
                "        self.at = 0\n        "
            ),
        },
        "seed",
    ),
    _loader(
        "loader-drops-short",
        "DataLoader: drops the short batch",
        "short_batch",
        "loader-drops-short",
        altered("DataLoader.__iter__", (BATCHES, "range(0, count - self.batch_size + 1, self.batch_size)")),
    ),
    _loader(
        "loader-replacement",
        "DataLoader: no permutation",
        "shuffle",
        "loader-replacement",
        altered(
            "DataLoader.__iter__", ("np.random.permutation(count)", "np.random.randint(0, count, count)")
        ),
        "seed",
    ),
    _loader(
        "loader-not-shuffled",
        "DataLoader: no permutation",
        "shuffle",
        "loader-not-shuffled",
        altered("DataLoader.__iter__", (ORDER, "np.arange(count)")),
        "seed",
    ),
    Fault(
        "loader-two-only",
        "DataLoader: two arrays only",
        lost(
            "data.DataLoader.parts",
            says=("DataLoader.__iter__ raised", "over a dataset of 1 array)", '"number of arrays": 1'),
        ),
        altered("DataLoader.__iter__", ("for column in zip(*samples)", TWO_COLUMNS)),
    ),
    Fault(
        "loader-third-lost",
        "DataLoader: two arrays only",
        lost("data.DataLoader.parts", says=("a batch has 2 parts, expected 3", '"number of arrays": 3')),
        altered("DataLoader.__iter__", ("zip(*samples)", "list(zip(*samples))[:2]")),
    ),
    Fault(
        "loader-keeps-samples",
        "DataLoader: keeps samples",
        lost("data.DataLoader.fresh", says=("pass 2 reads 0 samples of the dataset, expected 2",)),
        altered(
            "DataLoader.__iter__",
            ("samples = [", "kept = self.__dict__.setdefault('kept', {})\n        samples = ["),
            (
                "self.dataset[index] for",
                "kept[index] if index in kept else kept.setdefault(index, self.dataset[index]) for",
            ),
        ),
    ),
]

DATASETS = [
    Fault(
        "dataset-int-only",
        "dataset indexing by slice or array",
        lost(
            "data.MNISTDataset.indices",
            says=("MNISTDataset.__getitem__ raised ValueError", "(28,28,1)", "asked for dataset["),
            consequences=("data.MNISTDataset.transforms",),
        ),
        {
            "MNISTDataset.__getitem__": "def __getitem__(self, index):\n"
            "    return self.apply_transforms(self.images[index].reshape(28, 28, 1)), self.labels[index]"
        },
    ),
    Fault(
        "dataset-first-only",
        "dataset indexing by slice or array",
        lost(
            "data.MNISTDataset.indices",
            says=("dataset[", "(28, 28, 1)"),
            consequences=("data.MNISTDataset.transforms",),
        ),
        altered("MNISTDataset.__getitem__", ("reshape(images.shape)", "reshape(images.shape)[0]")),
    ),
    Fault(
        "dataset-no-transforms",
        "dataset: missing transforms",
        named("data.MNISTDataset.transforms", "mnist-transforms-ignored"),
        {
            "MNISTDataset.__getitem__": "def __getitem__(self, index):\n    return self.images[index], self.labels[index]"
        },
    ),
    Fault(
        "dataset-axes",
        "dataset: image axes",
        lost(
            "data.MNISTDataset.values",
            says=("dataset[", "(1, 28, 28)"),
            consequences=("data.MNISTDataset.*",),
        ),
        altered(
            "MNISTDataset.__init__", ("reshape(count, rows, columns, 1)", "reshape(count, 1, rows, columns)")
        ),
    ),
    Fault(
        "dataset-transposed",
        "dataset: image axes",
        named("data.MNISTDataset.values", "mnist-transposed", consequences=("data.MNISTDataset.*",)),
        altered(
            "MNISTDataset.__init__",
            ("reshape(count, rows, columns, 1)", "reshape(count, rows, columns, 1).transpose(0, 2, 1, 3)"),
        ),
    ),
    Fault(
        "dataset-isinstance-int",
        "dataset: numpy's integers",
        lost("data.MNISTDataset.loader", says=("dataset[np.int64(0)]", "isinstance")),
        altered("MNISTDataset.__getitem__", ("images.ndim == 3", "isinstance(index, int)")),
    ),
    Fault(
        "dataset-written-into",
        "dataset: transforms frozen",
        lost("data.MNISTDataset.again", says=("the image of dataset[", "at its second reading", "a view")),
        altered(
            "MNISTDataset.__getitem__",
            (
                "transformed = [self.apply_transforms(image) for image in images]",
                "for k in range(len(images)):\n        images[k] = self.apply_transforms(images[k])",
            ),
            ("np.array(transformed, dtype=np.float32).reshape(images.shape)", "images"),
        ),
    ),
    Fault(
        "dataset-transformed-once",
        "dataset: transforms frozen",
        lost(
            "data.MNISTDataset.again", says=("reading dataset[0] calls the transforms 0 times, expected 1",)
        ),
        {
            **altered(
                "MNISTDataset.__init__",
                (
                    "self.images = pixels.astype(np.float32) / np.float32(255)",
                    "self.images = np.stack([self.apply_transforms(x / np.float32(255)) for x in pixels])",
                ),
            ),
            "MNISTDataset.__getitem__": "def __getitem__(self, index):\n    return self.images[index], self.labels[index]",
        },
    ),
]


def _training(id_: str, row: str, failed: str, says: tuple[str, ...], *replaced: tuple[str, str]) -> Fault:
    name = failed.split(".")[1]
    expect = Expect((failed,), says, consequences=("mlp_resnet.train_mnist.*", f"mlp_resnet.{name}.*"))
    return Fault(id_, row, expect, altered(name, *replaced))


BIAS_FIRST = """
def __init__(self, in_features, out_features, bias=True, device=None, dtype="float32"):
    super().__init__()
    self.in_features, self.out_features = in_features, out_features
    column = init.kaiming_uniform(out_features, 1, device=device, dtype=dtype)
    self.bias = Parameter(column.reshape((1, out_features))) if bias else None
    self.weight = Parameter(init.kaiming_uniform(in_features, out_features, device=device, dtype=dtype))
"""
BLOCKS = "[ResidualBlock(hidden_dim, hidden_dim // 2, norm, drop_prob) for _ in range(num_blocks)]"

TRAINING = [
    _training(
        "epoch-accuracy",
        "accuracy for error",
        "mlp_resnet.epoch.evaluation",
        ("a == 1 - e", '"known_mistake": "epoch-accuracy"'),
        ("argmax(axis=1) != y", "argmax(axis=1) == y"),
    ),
    _training(
        "epoch-swapped",
        "swapped outputs",
        "mlp_resnet.epoch.evaluation",
        ("have changed places", '"known_mistake": "epoch-swapped"'),
        ("errors / samples, total_loss / samples", "total_loss / samples, errors / samples"),
    ),
    _training(
        "epoch-mode-left",
        "mode left wrong",
        "mlp_resnet.epoch.modes",
        ("without an optimiser the model runs in train mode",),
        ("model.eval()", "pass"),
    ),
    _training(
        "epoch-never-trains-mode",
        "never calls `train()`",
        "mlp_resnet.epoch.modes",
        ("with an optimiser the model runs in eval mode",),
        ("model.train()", "pass"),
    ),
    _training(
        "train-results-swapped",
        "swapped outputs",
        "mlp_resnet.train_mnist.results",
        ("in this order",),
        (
            "return train_error, train_loss, test_error, test_loss",
            "return train_loss, train_error, test_loss, test_error",
        ),
    ),
    Fault(
        "init-order-bias-first",
        "numbers that depend on the order of the draws",
        fine(advice=("nn.Linear.order",), advice_says=("draws the bias first",)),
        {"Linear.__init__": BIAS_FIRST},
    ),
    Fault(
        "init-order-blocks-first",
        "numbers that depend on the order of the draws",
        fine(),
        altered(
            "MLPResNet",
            (
                "return nn.Sequential(",
                f"last = nn.Linear(hidden_dim, num_classes)\n    blocks = {BLOCKS}\n    return nn.Sequential(",
            ),
            (f"*{BLOCKS}", "*blocks"),
            ("nn.Linear(hidden_dim, num_classes),\n    )", "last,\n    )"),
        ),
    ),
    Fault(
        "epoch-by-batch",
        "`epoch` averages loss per batch or per sample",
        fine(),
        altered(
            "epoch",
            ("float(loss.numpy()) * y.shape[0]", "float(loss.numpy())"),
            ("total_loss / samples", "total_loss / batches"),
            ("samples += y.shape[0]", "samples, batches = samples + y.shape[0], batches + 1"),
            ("loss_function = nn", "batches = 0\n    loss_function = nn"),
        ),
    ),
]

FAULTS = [*OPTIMISERS, *LEAKS, *LOADERS, *DATASETS, *TRAINING]
