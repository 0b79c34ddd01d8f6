"""Faults planted into a right hw2, in source form: the check that must fail, and what must be said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.support import reference_function

ADAM, SGD, NORM = (reference_function(n) for n in ("Adam.step", "SGD.step", "BatchNorm1d.forward"))
LOADER, GET = reference_function("DataLoader.__iter__"), reference_function("MNISTDataset.__getitem__")
EPOCH, TRAIN = reference_function("epoch"), reference_function("train_mnist")
CROP, BLOCK, NETWORK = (reference_function(n) for n in ("RandomCrop.__call__", "ResidualBlock", "MLPResNet"))


def swap(source: str, *pairs: tuple[str, str]) -> str:
    """`source` with each first text replaced by the second; the first must be there."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


@dataclass(frozen=True)
class Planted:
    """A fault: the function it is in, its text, the checks that fail, words of the first one's message."""

    id: str
    solutions: Mapping[str, str]
    failed: tuple[str, ...]
    says: tuple[str, ...]
    function: str = ""
    mistake: str | None = None


GRAPHS = ("graph", "graph_batchnorm", "graph_layernorm")


def _graph(
    id_: str, name: str, text: str, optimisers: str, says: str, function: str, kind: str = ""
) -> Planted:
    failed = tuple(f"optim.{one}.graph{kind}" for one in optimisers.split())
    return Planted(id_, {name: text}, failed, (says, "nodes more alive with every step"), function)


LEAKS = [
    _graph(
        "running-mean",
        "BatchNorm1d.forward",
        swap(
            NORM,
            (
                "keep * self.running_mean.data + self.momentum * mean.data",
                "keep * self.running_mean + self.momentum * mean",
            ),
        ),
        "SGD Adam",
        "BatchNorm1d.running_mean keeps",
        "BatchNorm1d.forward",
        "_batchnorm",
    ),
    _graph(
        "running-var",
        "BatchNorm1d.forward",
        swap(
            NORM,
            (
                "keep * self.running_var.data + self.momentum * var.data",
                "keep * self.running_var + self.momentum * var",
            ),
        ),
        "SGD Adam",
        "BatchNorm1d.running_var keeps",
        "BatchNorm1d.forward",
        "_batchnorm",
    ),
    _graph(
        "adam-m",
        "Adam.step",
        swap(ADAM, ("grad = p.grad.data +", "grad = p.grad +"), ("grad**2", "grad.data**2")),
        "Adam",
        "Adam.m keeps",
        "Adam.step",
    ),
    _graph(
        "adam-v",
        "Adam.step",
        swap(
            ADAM,
            ("grad = p.grad.data +", "grad = p.grad +"),
            ("(1 - self.beta1) * grad", "(1 - self.beta1) * grad.data"),
        ),
        "Adam",
        "Adam.v keeps",
        "Adam.step",
    ),
    _graph(
        "sgd-u",
        "SGD.step",
        swap(SGD, ("grad = p.grad.data +", "grad = p.grad +")),
        "SGD",
        "SGD.u keeps",
        "SGD.step",
    ),
    _graph(
        "history-on-the-class",
        "SGD.step",
        swap(SGD, ("grad = p.grad.data +", "SGD.history.append(p.grad)\n        grad = p.grad.data +"))
        + "\nhistory = []\n",
        "SGD",
        "SGD.history keeps",
        "",
    ),
    _graph(
        "gradient-kept",
        "Adam.step",
        swap(
            ADAM,
            (
                "grad = p.grad.data +",
                "p.past = getattr(p, 'past', []) + [p.grad]\n        grad = p.grad.data +",
            ),
        ),
        "Adam",
        "Parameter.past keeps",
        "",
    ),
    Planted(
        "loss-list",
        {
            "epoch": swap(
                EPOCH,
                (
                    "total_loss += float(loss.numpy()) * y.shape[0]",
                    "total_loss = loss * y.shape[0] + total_loss",
                ),
                ("total_loss / samples", "float(total_loss.numpy()) / samples"),
            )
        },
        ("mlp_resnet.epoch.graph",),
        ("total_loss in epoch keeps", "every batch"),
        "epoch",
    ),
    Planted(
        "losses-in-a-list",
        {
            "epoch": swap(
                EPOCH,
                (
                    "samples, errors, total_loss = 0, 0, 0.0",
                    "samples, errors, total_loss = 0, 0, 0.0\n    losses = []",
                ),
                (
                    "total_loss += float(loss.numpy()) * y.shape[0]",
                    "losses.append(loss)\n        total_loss += float(loss.numpy()) * y.shape[0]",
                ),
            )
        },
        ("mlp_resnet.epoch.graph",),
        ("losses in epoch keeps",),
    ),
]

OPTIMISERS = [
    Planted(
        "sgd-no-dampening",
        {"SGD.step": swap(SGD, (" + (1 - self.momentum) * grad", " + grad"))},
        ("optim.SGD.values",),
        ("the factor (1 - momentum) is missing",),
        mistake="sgd-no-dampening",
    ),
    Planted(
        "sgd-by-gradient",
        {"SGD.step": swap(SGD, ("self.u[p]", "self.u[p.grad]"), ("self.u.get(p,", "self.u.get(p.grad,"))},
        ("optim.SGD.values",),
        ("by gradient",),
        mistake="sgd-keyed-by-gradient",
    ),
    Planted(
        "adam-stored",
        {
            "Adam.step": swap(
                ADAM,
                ("m_hat = self.m[p] /", "m_hat = self.m[p] = self.m[p] /"),
                ("v_hat = self.v[p] /", "v_hat = self.v[p] = self.v[p] /"),
            )
        },
        ("optim.Adam.values",),
        ("stored back",),
        mistake="adam-correction-stored",
    ),
    Planted(
        "adam-in-place",
        {
            "Adam.step": swap(
                ADAM,
                (
                    "grad = p.grad.data + self.weight_decay * p.data",
                    "p.grad.data = p.grad.data + self.weight_decay * p.data\n        grad = p.grad.data",
                ),
            )
        },
        ("optim.Adam.values",),
        ("the gradient is changed in place",),
        mistake="adam-gradient-in-place",
    ),
    Planted(
        "adam-eps-inside",
        {"Adam.step": swap(ADAM, ("(v_hat**0.5 + self.eps)", "((v_hat + self.eps)**0.5)"))},
        ("optim.Adam.eps",),
        ("eps is under the root",),
        mistake="adam-eps-inside",
    ),
    Planted(
        "sgd-none",
        {"SGD.step": swap(SGD, ("if p.grad is None:\n            continue\n", ""))},
        ("optim.SGD.none",),
        ("'NoneType' object has no attribute 'data'",),
    ),
    Planted(
        "sgd-one-state-for-all-optimisers",
        {
            "SGD.step": swap(SGD, ("for p in", "self.u = SGD.velocity\n    for p in"))
            .replace("[p]", "[self.params.index(p)]")
            .replace(".get(p,", ".get(self.params.index(p),")
            + "\nvelocity = {}\n"
        },
        ("optim.SGD.values",),
        (),
    ),
    Planted(
        "sgd-float64",
        {
            "SGD.step": swap(
                SGD,
                (
                    "p.data = ndl.Tensor(p.data - self.lr * self.u[p], dtype=p.dtype, requires_grad=False)",
                    "p.cached_data = p.numpy() - self.lr * self.u[p].numpy().astype('float64')",
                ),
            )
        },
        ("optim.SGD.hygiene",),
        ("turns float64",),
    ),
]

DATA = [
    Planted(
        "crop-swapped",
        {
            "RandomCrop.__call__": swap(
                CROP,
                (
                    "self.padding + shift_x, self.padding + shift_y",
                    "self.padding + shift_y, self.padding + shift_x",
                ),
            )
        },
        ("data.RandomCrop.values",),
        ("have changed places",),
        mistake="crop-swapped",
    ),
    Planted(
        "loader-one-order",
        {
            "DataLoader.__init__": swap(
                reference_function("DataLoader.__init__"),
                (
                    "self.shuffle = shuffle",
                    "self.shuffle = shuffle\n    self.order = np.random.permutation(len(dataset)) if shuffle else np.arange(len(dataset))",
                ),
            ),
            "DataLoader.__iter__": swap(
                LOADER, ("np.random.permutation(count) if self.shuffle else np.arange(count)", "self.order")
            ),
        },
        ("data.DataLoader.shuffle",),
        ("all passes have one order",),
        mistake="loader-one-order",
    ),
    Planted(
        "loader-drops-short",
        {
            "DataLoader.__iter__": swap(
                LOADER,
                (
                    "range(0, count, self.batch_size)",
                    "range(0, count - self.batch_size + 1, self.batch_size)",
                ),
            )
        },
        ("data.DataLoader.short_batch",),
        ("the short last batch is dropped",),
        mistake="loader-drops-short",
    ),
    Planted(
        "loader-stale",
        {
            "DataLoader.__iter__": "def __iter__(self):\n    return self\n",
            "DataLoader.__next__": "def __next__(self):\n    at = getattr(self, 'at', 0)\n    if at == 0:\n        n = len(self.dataset)\n        self.order = np.random.permutation(n) if self.shuffle else np.arange(n)\n    rows = self.order[at:at + self.batch_size]\n    if len(rows) == 0:\n        self.at = 0\n        raise StopIteration\n    self.at = at + self.batch_size\n    return tuple(Tensor(x) for x in self.dataset[rows])\n",
        },
        ("data.DataLoader.passes",),
        ("goes on where the last one was left",),
        mistake="loader-stale",
    ),
    Planted(
        "transforms-on-stack",
        {
            "MNISTDataset.__getitem__": "def __getitem__(self, index):\n    return self.apply_transforms(self.images[index]), self.labels[index]\n"
        },
        ("data.MNISTDataset.transforms",),
        ("the whole stack",),
        mistake="mnist-transforms-on-stack",
    ),
    Planted(
        "fixed-count",
        {"MNISTDataset.__len__": "def __len__(self):\n    return 60000\n"},
        ("data.MNISTDataset.values",),
        ("len(dataset) is 60000",),
    ),
]

MOVED = (("        nn.Dropout(drop_prob),\n", ""),)  # the Dropout taken out; another swap puts it elsewhere

TRAINING = [
    Planted(
        "no-second-norm",
        {"ResidualBlock": swap(BLOCK, ("        norm(dim),\n", ""))},
        ("mlp_resnet.ResidualBlock.structure",),
        ("the norm behind the second Linear is missing",),
        mistake="block-one-norm",
    ),
    Planted(
        "shared-blocks",
        {
            "MLPResNet": swap(
                NETWORK,
                (
                    "[ResidualBlock(hidden_dim, hidden_dim // 2, norm, drop_prob) for _ in range(num_blocks)]",
                    "[ResidualBlock(hidden_dim, hidden_dim // 2, norm, drop_prob)] * num_blocks",
                ),
            )
        },
        ("mlp_resnet.MLPResNet.structure",),
        ("the blocks share their parameters",),
        mistake="network-blocks-shared",
    ),
    Planted(
        "drop-prob-lost",
        {"MLPResNet": swap(NETWORK, ("norm, drop_prob) for", "norm) for"))},
        ("mlp_resnet.MLPResNet.train",),
        ("something is dropped with drop_prob=0",),
    ),
    Planted(
        "dropout-before-norm",
        {
            "ResidualBlock": swap(
                BLOCK, *MOVED, ("norm(hidden_dim),", "nn.Dropout(drop_prob),\n        norm(hidden_dim),")
            )
        },
        ("mlp_resnet.ResidualBlock.dropout",),
        ("ResidualBlock: Dropout does not stand behind the inner ReLU",),
    ),
    Planted(
        "dropout-at-end",
        {"ResidualBlock": swap(BLOCK, *MOVED, ("norm(dim),", "norm(dim),\n        nn.Dropout(drop_prob),"))},
        ("mlp_resnet.ResidualBlock.dropout",),
        ("ResidualBlock: Dropout does not stand behind the inner ReLU",),
    ),
    Planted(
        "dropout-half",
        {"ResidualBlock": swap(BLOCK, ("nn.Dropout(drop_prob)", "nn.Dropout(drop_prob / 2)"))},
        ("mlp_resnet.ResidualBlock.dropout",),
        ("with drop_prob=0.25 Dropout has p=0.125",),
    ),
    Planted(
        "dropout-extra",
        {"MLPResNet": swap(NETWORK, ("nn.ReLU(),", "nn.ReLU(),\n        nn.Dropout(drop_prob),"))},
        ("mlp_resnet.MLPResNet.dropout",),
        ("MLPResNet: Dropout is called", "in the blocks only"),
    ),
    Planted(
        "dropout-half-of-the-network",
        {"MLPResNet": swap(NETWORK, ("norm, drop_prob) for", "norm, drop_prob / 2) for"))},
        ("mlp_resnet.MLPResNet.dropout",),
        ("Dropout has p=0.125, in a ResidualBlock p=0.25",),
    ),
    Planted(
        "accuracy",
        {"epoch": swap(EPOCH, ("argmax(axis=1) != y", "argmax(axis=1) == y"))},
        ("mlp_resnet.epoch.evaluation",),
        ("a == 1 - e",),
        mistake="epoch-accuracy",
    ),
    Planted(
        "swapped",
        {
            "epoch": swap(
                EPOCH, ("errors / samples, total_loss / samples", "total_loss / samples, errors / samples")
            )
        },
        ("mlp_resnet.epoch.evaluation",),
        ("have changed places",),
        mistake="epoch-swapped",
    ),
    Planted(
        "mode-left",
        {"epoch": swap(EPOCH, ("model.eval()", "pass"), ("model.train()", "pass"))},
        ("mlp_resnet.epoch.modes",),
        ("runs in eval mode",),
    ),
    Planted(
        "steps-in-evaluation",
        {
            "epoch": swap(
                EPOCH,
                (
                    "if opt is not None:",
                    "if opt is None:\n            loss.backward()\n            for p in model.parameters():\n                p.data = p.data - 0.1 * p.grad.data\n        else:",
                ),
            )
        },
        ("mlp_resnet.epoch.evaluation",),
        ("the parameters change, though there is no optimiser",),
    ),
    Planted(
        "reset-between",
        {
            "epoch": swap(
                EPOCH,
                (
                    "opt.reset_grad()\n            loss.backward()\n",
                    "loss.backward()\n            opt.reset_grad()\n",
                ),
            )
        },
        ("mlp_resnet.epoch.training",),
        ("the parameters do not change", "finds no gradients"),
    ),
    Planted(
        "no-steps",
        {"epoch": swap(EPOCH, ("opt.step()", "pass"))},
        ("mlp_resnet.epoch.training",),
        ("the parameters do not change: `opt.step()` belongs",),
    ),
    Planted(
        "results-swapped",
        {
            "train_mnist": swap(
                TRAIN,
                (
                    "return train_error, train_loss, test_error, test_loss",
                    "return test_error, test_loss, train_error, train_loss",
                ),
            )
        },
        ("mlp_resnet.train_mnist.results",),
        ("in this order",),
    ),
    Planted(
        "never-trains",
        {"train_mnist": swap(TRAIN, ("epoch(train_loader, model, opt)", "epoch(train_loader, model)"))},
        ("mlp_resnet.train_mnist.learns",),
        ("train_mnist:",),
    ),
    Planted(
        "not-shuffled",
        {"train_mnist": swap(TRAIN, (", shuffle=True", ""))},
        ("mlp_resnet.train_mnist.arguments",),
        ("the training data are not shuffled",),
    ),
    Planted(
        "test-steps",
        {"train_mnist": swap(TRAIN, ("epoch(test_loader, model)", "epoch(test_loader, model, opt)"))},
        ("mlp_resnet.train_mnist.arguments",),
        ("the test pass steps too: 30 steps in all, expected 18",),
    ),
    Planted(
        "test-first",
        {
            "train_mnist": swap(
                TRAIN,
                (
                    "        train_error, train_loss = epoch(train_loader, model, opt)\n        test_error, test_loss = epoch(test_loader, model)\n",
                    "        test_error, test_loss = epoch(test_loader, model)\n        train_error, train_loss = epoch(train_loader, model, opt)\n",
                ),
            )
        },
        ("mlp_resnet.train_mnist.results",),
        ("the test pass comes before the training",),
    ),
    Planted(
        "means-over-epochs",
        {
            "train_mnist": swap(
                TRAIN,
                (
                    "        train_error, train_loss = epoch(train_loader, model, opt)\n        test_error, test_loss = epoch(test_loader, model)\n",
                    "        done.append([*epoch(train_loader, model, opt), *epoch(test_loader, model)])\n",
                ),
                ("for _ in range(epochs)", "done = []\n    for _ in range(epochs)"),
                (
                    "return train_error, train_loss, test_error, test_loss",
                    "return tuple(np.mean(done, axis=0))",
                ),
            )
        },
        ("mlp_resnet.train_mnist.results",),
        ("not those of the last epoch",),
    ),
    Planted(
        "one-block",
        {"train_mnist": swap(TRAIN, ("size, hidden_dim)", "size, hidden_dim, 1)"))},
        ("mlp_resnet.train_mnist.arguments",),
        ("blocks: 1, expected 3",),
    ),
    Planted(
        "a-parameter-missed",
        {"train_mnist": swap(TRAIN, ("model.parameters()", "model.parameters()[:-1]"))},
        ("mlp_resnet.train_mnist.arguments",),
        ("27 parameters of the network, expected 28",),
    ),
    Planted(
        "residual-keeps",
        {
            "Residual.forward": swap(
                reference_function("Residual.forward"),
                ("return self", "self.past = [*getattr(self, 'past', []), x]\n    return self"),
            )
        },
        ("mlp_resnet.MLPResNet.graph",),
        ("Residual.past keeps", "nodes more alive"),
    ),
    Planted(
        "dropout-keeps",
        {
            "Dropout.forward": swap(
                reference_function("Dropout.forward"),
                (
                    "return x * mask / keep",
                    "self.past = [*getattr(self, 'past', []), x * mask]\n    return x * mask / keep",
                ),
            )
        },
        ("mlp_resnet.MLPResNet.graph",),
        ("Dropout.past keeps", "nodes more alive"),
    ),
    Planted(
        "linear-keeps-in-eval",
        {
            "Linear.forward": swap(
                reference_function("Linear.forward"),
                (
                    "return out if",
                    "self.past = [] if self.training else [*getattr(self, 'past', []), out]\n    return out if",
                ),
            )
        },
        ("mlp_resnet.MLPResNet.graph",),
        ("Linear.past keeps", "nodes more alive"),
    ),
    Planted(
        "width-ignored",
        {"train_mnist": swap(TRAIN, ("train_set[0][0].size, hidden_dim", "train_set[0][0].size"))},
        ("mlp_resnet.train_mnist.arguments",),
        ("hidden_dim",),
    ),
]
PLANTED = [*LEAKS, *OPTIMISERS, *DATA, *TRAINING]
