"""The rows of the fault table: what each is, what it costs, and the fixtures that stand for it.

A fixture is `place:id`. The places: `hw0`, `hw1`, `hw2` (the fault tables beside this file), `planted` and
`programs` (tests/homework), `bank_hw0`, `bank_hw1`, `bank_hw2` (right solutions, for what is never held
against anybody), `cli` and `test` (a test that needs more than a submission, as `file::function`).
"""

from __future__ import annotations

from dataclasses import dataclass

POINTS, ADVICE, FREE = "points", "advice", "never graded"


@dataclass(frozen=True)
class Row:
    """A kind of fault: a short id, its words, what it costs, and its fixtures."""

    id: str
    fault: str
    costs: str
    fixtures: tuple[str, ...]


def _row(id_: str, fault: str, costs: str, fixtures: str) -> Row:
    return Row(id_, fault, costs, tuple(fixtures.split()))


AUTOGRAD = [
    _row("ignores-out-grad", "a gradient does not use out_grad", POINTS,
         "hw1:MatMul-ignores-out-grad hw1:Exp-ignores-out-grad hw1:Summation-ignores-out-grad hw1:gradient-ignores-out-grad"),
    _row("power-gradient", "PowerScalar: gradient 0, or right for one exponent", POINTS,
         "hw1:power-zero hw1:power-two-only hw1:power-not-reduced hw1:power-wrong-at-0 hw1:power-wrong-at-1"),
    _row("broadcast-left", "BroadcastTo: axes compared from the left", POINTS, "hw1:broadcast-from-left"),
    _row("broadcast-nodes-hw1", "BroadcastTo: a node per axis, in hw1", ADVICE, "hw1:broadcast-node-per-axis"),
    _row("broadcast-nodes-hw2", "BroadcastTo: a node per axis, in hw2", POINTS, "hw2:broadcast-node-per-axis"),
    _row("raw-arrays", "a gradient is built from raw arrays", POINTS,
         "hw1:MatMul-detaches-inputs hw1:MatMul-detaches-out-grad hw1:MatMul-wraps-out-grad hw1:broadcast-diary "
         "hw1:log-numpy hw1:loss-detached hw2:logsumexp-detached"),
    _row("sum-by-size", "Summation: axis found by its size", POINTS, "hw1:sum-axis-by-size"),
    _row("axes-int-negative", "int or negative axes in backward", ADVICE,
         "hw1:sum-tuples-only hw2:logsumexp-tuples-only"),
    _row("axes-int-forward", "Summation: an int axis in forward", POINTS, "hw1:sum-computes-tuples-only"),
    _row("axes-forward", "negative or unsorted axes in forward; LogSumExp: an int axis", ADVICE,
         "hw1:sum-computes-from-the-left hw1:sum-computes-in-order hw2:logsumexp-computes-tuples-only"),
    _row("loss-stable", "SoftmaxLoss is not stable", POINTS, "hw2:loss-not-stable"),
    _row("logsumexp", "LogSumExp: squeezes, or is not stable", POINTS,
         "hw2:logsumexp-squeezes-all hw2:logsumexp-unstable hw2:logsumexp-gradient-unstable"
         " hw2:logsumexp-unstable-over-all"),
    _row("in-place", "an op changes its input", POINTS, "hw2:logsoftmax-in-place hw1:exp-in-place hw1:power-in-place"),
    _row("transpose-pair", "Transpose: the pair taken for a permutation", POINTS,
         "hw1:transpose-permutes hw1:transpose-reverses hw1:transpose-gradient-ignores-pair"),
    _row("matmul-batch", "MatMul: broadcast batch axes are not summed", POINTS,
         "hw1:matmul-no-batch-sum hw1:matmul-sums-one-side"),
    _row("matmul-size-1", "MatMul: batch axes of size 1", FREE, "bank_hw1:reference"),
    _row("topo-exponential", "the sort visits 2**n nodes", POINTS, "hw1:topo-exponential"),
    _row("topo-order", "the sort lists twice, or not in post-order", POINTS,
         "hw1:topo-duplicates hw1:topo-pre-order hw1:topo-right-to-left hw1:topo-breadth-first"),
    _row("deep-chains", "chains of more than 800 nodes", FREE, "bank_hw1:reference"),
    _row("gradient-sum", "sum() in the place of sum_node_list", ADVICE, "hw1:gradient-sum"),
    _row("numpy-in-gradient", "numpy in gradient, Tensor ops in compute", POINTS,
         "hw1:log-times-array hw1:exp-array-only hw1:div-tensor-in-compute"),
    _row("relu-kink-nan", "ReLU: NaN at 0", POINTS, "hw1:relu-nan"),
    _row("relu-kink", "ReLU: any value in [0, 1] at 0", FREE, "hw1:relu-one hw1:relu-half"),
    _row("float64", "float32 turns float64", POINTS, "hw1:div-float64 planted:sgd-float64 programs:relu-turns-float64"),
]  # fmt: skip

MODULES = [
    _row("batchnorm-graph", "BatchNorm1d: statistics keep the graph", POINTS,
         "hw2:batchnorm-leak planted:running-mean planted:running-var programs:running-statistics-keep-the-graph"),
    _row("not-detached", "moments or parameters keep the graph", POINTS,
         "hw2:adam-moments-leak hw2:parameter-leak planted:adam-m planted:adam-v planted:gradient-kept"),
    _row("epoch-float64", "hw1 nn_epoch: float32 weights become float64", ADVICE, "hw1:epoch-float64"),
    _row("epoch-graph", "W - lr * W.grad keeps the graph in nn_epoch", POINTS, "hw1:epoch-keeps-graph"),
    _row("sgd-graph", "SGD keeps the graph", POINTS, "hw2:sgd-leak planted:sgd-u planted:history-on-the-class"),
    _row("dropout", "Dropout: p inverted, not scaled, drops or None in eval", POINTS,
         "hw2:dropout-inverted hw2:dropout-inverted-rescaled hw2:dropout-no-scale hw2:dropout-in-eval "
         "hw2:dropout-none-in-eval"),
    _row("batchnorm-eval", "BatchNorm1d in eval: batch, eps, affine, momentum", POINTS,
         "hw2:batchnorm-eval-batch hw2:batchnorm-eval-no-eps hw2:batchnorm-eval-no-affine hw2:batchnorm-eval-momentum"),
    _row("first-batch", "state that fits the first batch's size only", POINTS,
         "hw2:layernorm1d-first-batch hw2:batchnorm1d-first-batch hw2:linear-first-batch hw2:dropout-first-batch "
         "hw2:residual-first-batch"),
    _row("running-float64", "BatchNorm1d's running statistics become float64", POINTS,
         "hw2:batchnorm-statistics-float64"),
    _row("running-unbiased", "running_var is unbiased", POINTS, "hw2:batchnorm-unbiased"),
    _row("parameters", "statistics are Parameters, bias is not, bias=False has one", POINTS,
         "hw2:statistics-are-parameters hw2:statistics-var-parameter hw2:linear-bias-plain hw2:linear-bias-false"
         " hw2:statistics-become-parameters"),
    _row("defaults", "a default of a signature is changed", POINTS,
         "hw2:batchnorm-other-default hw2:dropout-other-default hw2:sgd-other-default hw2:adam-other-default"),
    _row("init-kwargs", "initialisers drop **kwargs", ADVICE,
         "hw2:init-drops-kwargs hw2:init-drops-dtype programs:initialiser-drops-kwargs"),
    _row("momentum", "momentum without (1 - m)", POINTS, "hw2:sgd-momentum-whole"),
    _row("decoupled-decay", "weight decay decoupled", POINTS, "hw2:sgd-decoupled hw2:adam-decoupled"),
    _row("bias-correction", "bias correction missing or stored", POINTS,
         "hw2:adam-no-correction hw2:adam-correction-stored"),
    _row("by-gradient", "moments kept by gradient", POINTS, "hw2:sgd-by-gradient hw2:adam-by-gradient"),
    _row("state-reset", "state set back in step", POINTS, "hw2:sgd-reset-in-step hw2:adam-reset-in-step"),
    _row("gradient-in-place", "gradient changed in place", POINTS, "hw2:sgd-in-place hw2:adam-in-place"),
    _row("loader", "DataLoader: one order, one use, stale, short batch, no permutation, two arrays only, kept samples",
         POINTS,
         "hw2:loader-one-order hw2:loader-single-use hw2:loader-stale hw2:loader-drops-short hw2:loader-replacement "
         "hw2:loader-not-shuffled hw2:loader-two-only hw2:loader-third-lost hw2:loader-keeps-samples"),
    _row("dataset", "MNISTDataset: slices, transforms, axes, numpy's integers, transforms frozen", POINTS,
         "hw2:dataset-int-only hw2:dataset-first-only hw2:dataset-no-transforms hw2:dataset-axes "
         "hw2:dataset-transposed planted:transforms-on-stack hw2:dataset-isinstance-int hw2:dataset-written-into "
         "hw2:dataset-transformed-once"),
    _row("data-float64", "float64 from a transform, the dataset or the loader", ADVICE,
         "hw2:crop-float64 hw2:loader-float64 hw2:dataset-float64-transformed"),
    _row("dataset-negative", "MNISTDataset: negative slices and steps", ADVICE, "hw2:dataset-not-negative"),
    _row("module-dtype", "a module drops its dtype", ADVICE,
         "hw2:linear-drops-dtype hw2:batchnorm1d-drops-dtype hw2:layernorm1d-drops-dtype"),
    _row("sequential-modules", "Sequential keeps its modules elsewhere", ADVICE, "hw2:sequential-modules-renamed"),
    _row("odd-half", "an odd hidden_dim // 2 is rounded up", POINTS, "hw2:network-half-rounded-up"),
    _row("loss-average", "epoch: loss per batch or per sample", FREE, "hw2:epoch-by-batch bank_hw2:single bank_hw2:arrays"),
    _row("epoch", "epoch: accuracy, swapped, modes, loss Tensors", POINTS,
         "hw2:epoch-accuracy hw2:epoch-swapped hw2:epoch-mode-left hw2:epoch-never-trains-mode hw2:loss-leak "
         "hw2:train-results-swapped planted:losses-in-a-list"),
    _row("transform-in-place", "a transform changes its image", POINTS, "hw2:flip-in-place"),
    _row("none-ends", "a parameter without gradient ends the step", POINTS, "hw2:sgd-stops-at-none"),
    _row("by-position", "train_mnist: weight decay by position", POINTS, "hw2:train-decay-by-position"),
    _row("carried-op", "an op of hw1 that hw2 does not use is wrong", POINTS, "hw2:carried-op"),
    _row("test-files", "train_mnist tests with other labels", POINTS, "hw2:test-labels-of-train"),
    _row("test-is-train", "train_mnist tests on the training data", POINTS, "hw2:tested-on-train"),
    _row("one-step", "epoch steps once in a pass", POINTS, "hw2:step-after-the-loop"),
    _row("other-optimizer", "train_mnist does not use the optimiser that it is given", POINTS, "hw2:optimizer-ignored"),
    _row("log-of-quotient", "LogSoftmax takes the log of a quotient", POINTS, "hw2:logsoftmax-of-quotient"),
    _row("labels-header", "MNISTDataset: the labels' header is taken for an image file's", POINTS, "hw2:labels-header"),
    _row("optimizer-anew", "train_mnist makes an optimiser in every epoch", POINTS, "hw2:optimizer-in-every-epoch"),
    _row("decay-lost", "train_mnist does not hand weight_decay on", POINTS, "hw2:decay-not-handed-on"),
    _row("numpy-spreads", "Linear leaves the spreading of its bias to numpy", POINTS, "hw2:bias-spread-by-numpy"),
    _row("permutation", "DataLoader drops what np.random.permutation returns", POINTS, "hw2:permutation-dropped"),
    _row("maximum-axis", "LogSoftmax takes the maximum over axis 0", POINTS, "hw2:maximum-over-axis-0"),
    _row("maximum-all", "LogSoftmax takes one maximum for all rows", POINTS, "hw2:maximum-of-all-rows"),
    _row("m-stored", "Adam stores the corrected m back", POINTS, "hw2:adam-m-stored"),
    _row("crop-behind", "a crop's end is counted from the back", POINTS, "hw2:crop-from-behind"),
    _row("draw-order", "numbers that depend on the order of the draws", ADVICE, "hw2:init-order-bias-first"),
    _row("draw-order-bands", "learning is held to bands", FREE, "hw2:init-order-blocks-first"),
    _row("parse-mnist", "hw0 parse_mnist: scale, sign, labels, counts", POINTS,
         "hw0:parse-per-image hw0:parse-unscaled hw0:parse-signed hw0:parse-labels-from-images hw0:parse-fixed-count "
         "hw0:parse-fixed-loop hw0:parse-fixed-buffer"),
    _row("parse-own-maximum", "hw0 parse_mnist: own maximum, where it is not 255", ADVICE, "hw0:parse-own-maximum"),
    _row("parse-sides", "hw0 parse_mnist: 28 by 28 pixels taken for granted", ADVICE, "hw0:parse-fixed-sides"),
    _row("classes-of-labels", "hw0: classes counted from all labels", ADVICE,
         "hw0:softmax_regression_epoch-classes-of-labels hw0:nn_epoch-classes-of-labels"),
    _row("classes-of-batch", "hw0: classes counted from a batch's labels, or ten in C++", POINTS,
         "hw0:regression-classes-of-batch hw0:cpp-ten-classes"),
    _row("short-batch", "hw0: short last batch", ADVICE,
         "hw0:softmax_regression_epoch-short-divided hw0:softmax_regression_epoch-short-dropped "
         "hw0:softmax_regression_epoch-short-raises hw0:nn_epoch-short-divided hw0:nn_epoch-short-dropped "
         "hw0:nn_epoch-short-raises"),
    _row("not-in-place", "hw0: theta is not changed, or float64", POINTS,
         "hw0:softmax_regression_epoch-not-in-place hw0:softmax_regression_epoch-float64-copied"),
    _row("cpp-short-batch", "hw0 C++: short last batch", ADVICE,
         "hw0:cpp-short-dropped hw0:cpp-short-killed hw0:cpp-throws "
         "test:faults/test_hw0.py::test_sanitizer_names_the_line"),
    _row("cpp-crash", "hw0 C++: crash in an even batch", POINTS, "hw0:cpp-crash"),
    _row("cpp-compile", "C++ does not compile", POINTS, "hw0:cpp-does-not-compile"),
    _row("no-compiler", "no C++ compiler: not run", FREE,
         "test:faults/test_hw0.py::test_without_a_compiler_the_points_do_not_count"),
    _row("non-contiguous", "theta that is not contiguous, in C++", FREE, "bank_hw0:reference"),
]  # fmt: skip

AROUND = [
    _row("data-missing", "data files are missing", FREE, "bank_hw2:reference bank_hw0:reference"),
    _row("older-starter", "an older starter", FREE, "hw1:layout-2022 hw1:starter-2023 bank_hw2:reference_2022"),
    _row("import-unused", "an import that nobody uses fails", FREE,
         "hw1:unused-more-itertools hw1:unused-typing-extensions hw1:unused-socket-name hw1:unused-course-tests "
         "hw1:unused-plot hw1:unused-pil hw1:used-tqdm"),
    _row("import-used", "an import that is used fails", POINTS,
         "hw1:used-more-itertools hw1:syntax-error hw1:syntax-error-in-apps hw1:no-such-name"),
    _row("files-lost", "files or folders are lost", FREE, "hw1:init-folder-lost hw1:init-file-lost"),
    _row("files-lost-needed", "files that are needed are lost", POINTS, "hw1:ops-lost hw0:cpp-missing"),
    _row("two-copies", "two copies of the package", FREE, "hw1:copies-in-ops hw1:copies-in-apps hw1:copies-mixed"),
    _row("later-api", "a later homework's API", POINTS, "hw1:compact"),
    _row("numpy-versions", "names that some versions of numpy lack", FREE, "hw1:numpy-core"),
    _row("prints", "prints without end", FREE, "hw1:prints-in-compute hw1:prints-escapes"),
    _row("typos", "typos on branches that nothing runs", FREE, "hw1:typos"),
    _row("text", "markers, line ends, tabs, marks, notebooks", FREE,
         "hw1:markers-lost hw1:markers-half hw1:text-crlf-bom hw1:text-non-ascii hw1:notebooks"),
]  # fmt: skip

ROWS = [*AUTOGRAD, *MODULES, *AROUND]
