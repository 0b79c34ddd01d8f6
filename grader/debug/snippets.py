"""Helper functions that a script holds when it needs them: short, plain, no grader in them."""

TEXT = {
    "tensor": '''
def tensor(array):
    """A Tensor of the array, in the array's own dtype."""
    return Tensor(array, dtype=str(array.dtype))
''',
    "numbers": '''
def numbers(one):
    """The array in a Tensor; anything else as an array."""
    return np.array(one.numpy() if hasattr(one, "numpy") else one)
''',
    "compare": '''
def compare(name, yours, right, within):
    """Print both; True if they differ by more than `within`, or have different sizes."""
    print(name)
    print("  yours:", str(yours).replace("\\n", "\\n         "), yours.dtype, yours.shape)
    print("  right:", str(right).replace("\\n", "\\n         "))
    if yours.dtype.kind not in "biuf" or yours.size != right.size:
        return True
    off = np.abs(np.subtract(yours.reshape(right.shape), right, dtype="float64"))
    print("  largest difference:", off.max(initial=0.0))
    return not np.allclose(yours.reshape(right.shape), right, rtol=0, atol=within, equal_nan=True)
''',
    "changed": '''
def changed(tensors, before):
    """Positions of the tensors that no longer hold what they held before."""
    pairs = list(zip(tensors, before))
    return [i for i, (one, old) in enumerate(pairs) if not np.array_equal(numbers(one), old, equal_nan=True)]
''',
    "count_nodes": '''
def count_nodes():
    """A list that every node made from now on is added to."""
    made, build = [], Value._init

    def noted(self, *arguments, **keywords):
        made.append(self)
        return build(self, *arguments, **keywords)

    Value._init = noted
    return made
''',
    "alive": '''
def alive():
    """How many nodes of the graph are still in memory."""
    gc.collect()
    gc.collect()  # finalizers of the first may have held some back
    return sum(isinstance(one, Value) for one in gc.get_objects())
''',
    "again": '''
def again(node, values):
    """What a node's graph gives when the leaves in `values` hold other numbers."""
    if id(node) not in values:
        if node.op is None:
            return node.realize_cached_data()
        values[id(node)] = node.op.compute(*[again(one, values) for one in node.inputs])
    return values[id(node)]
''',
    "Add": """
class Add(TensorOp):
    def compute(self, a, b):
        return a + b

    def gradient(self, out_grad, node):
        return out_grad, out_grad
""",
    "Multiply": """
class Multiply(TensorOp):
    def compute(self, a, b):
        return a * b

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return Multiply()(out_grad, b), Multiply()(out_grad, a)
""",
    "Scale": """
class Scale(TensorOp):
    def __init__(self, factor):
        self.factor = factor

    def compute(self, a):
        return a * self.factor

    def gradient(self, out_grad, node):
        return Scale(self.factor)(out_grad)
""",
    "Sine": """
class Sine(TensorOp):
    def compute(self, a):
        return np.sin(a)

    def gradient(self, out_grad, node):
        return Multiply()(out_grad, Cosine()(node.inputs[0]))


class Cosine(TensorOp):
    def compute(self, a):
        return np.cos(a)

    def gradient(self, out_grad, node):
        return Multiply()(out_grad, Scale(-1.0)(Sine()(node.inputs[0])))
""",
    "steps_of": '''
def steps_of(function, *arguments):
    """How many lines of Python a call runs."""
    count = [0]

    def line(frame, event, _):
        count[0] += event == "line"
        return line

    sys.settrace(line)
    try:
        function(*arguments)
    finally:
        sys.settrace(None)
    return count[0]
''',
    "write": '''
def write(module, name, array):
    """Give a parameter or a running statistic other numbers, in the shape that it has."""
    now = getattr(module, name)
    array = array.reshape(now.shape)
    if isinstance(now, Tensor):
        now.cached_data = array
    else:
        setattr(module, name, array)
''',
}

NEEDS = {
    "changed": ("numbers",),
    "Sine": ("Multiply", "Scale"),
}

IMPORTS = {
    "alive": ("gc", "Value"),
    "count_nodes": ("Value",),
    "tensor": ("Tensor",),
    "write": ("Tensor",),
    "Add": ("TensorOp",),
    "Multiply": ("TensorOp",),
    "Scale": ("TensorOp",),
    "Sine": ("TensorOp",),
}

TEXT["is_batch"] = '''
def is_batch(batch):
    """The batch, a tuple of Tensors."""
    assert isinstance(batch, (tuple, list)), f"a batch is a {type(batch).__name__}, not a tuple"
    for one in batch:
        assert isinstance(one, Tensor), f"a batch holds a {type(one).__name__}, not a Tensor"
    return batch
'''
IMPORTS["is_batch"] = ("Tensor",)

TEXT["ordered"] = '''
def ordered(model):
    """The parameters in order, in each layer the weight before the bias."""
    owners = {}
    for module in [model, *model._children()]:
        for name, value in vars(module).items():
            owners.setdefault(id(value), (id(module), name))
    found = []
    for owner, group in itertools.groupby(model.parameters(), lambda one: owners.get(id(one), (0, ""))[0]):
        layer = list(group)
        is_pair = owner and sorted(owners[id(one)][1] for one in layer) == ["bias", "weight"]
        found += sorted(layer, key=lambda one: owners[id(one)][1], reverse=True) if is_pair else layer
    return found
'''
TEXT["drawn"] = '''
def drawn(rng, shape):
    """Numbers for a parameter that neither vanish nor explode on the way."""
    scale = 1.5 / np.sqrt(shape[0]) if len(shape) > 1 and shape[0] > 1 else 1.0
    shift = 0.5 if scale == 1.0 else 0.0
    return (rng.uniform(-1, 1, shape) * scale + shift).astype("float32")
'''
TEXT["Linear"] = '''
class Linear(nn.Module):
    """x @ weight; notes its mode at every call."""

    def __init__(self, weight):
        super().__init__()
        self.weight, self.modes = nn.Parameter(tensor(weight)), []

    def forward(self, x):
        self.modes.append(bool(self.training))
        if len(x.shape) > 2:
            x = x.reshape((x.shape[0], int(np.prod(x.shape[1:]))))
        return x @ self.weight
'''
TEXT["Loader"] = '''
class Loader:
    """Batches of Tensors in order; counts the living nodes before each batch."""

    def __init__(self, images, labels, batch_size):
        self.arrays, self.batch_size, self.shuffle = (images, labels), batch_size, False
        self.dataset, self.counts = needle.data.NDArrayDataset(images, labels), []

    def __len__(self):
        return -(-len(self.arrays[0]) // self.batch_size)

    def __iter__(self):
        for start in range(0, len(self.arrays[0]), self.batch_size):
            if start:
                self.counts.append(alive())
            yield tuple(tensor(one[start : start + self.batch_size].copy()) for one in self.arrays)
'''
TEXT["Descent"] = '''
class Descent(needle.optim.Optimizer):
    """Plain gradient descent; notes its calls: r for reset_grad, s for step."""

    def __init__(self, params, lr):
        super().__init__(params)
        self.lr, self.calls = lr, ""

    def reset_grad(self):
        self.calls += "r"
        for one in self.params:
            one.grad = None

    def step(self):
        self.calls += "s"
        for one in self.params:
            if one.grad is not None:
                one.cached_data = one.cached_data - np.float32(self.lr) * numbers(one.grad)
'''
TEXT["Adam"] = '''
made = []


class Adam(needle.optim.Optimizer):
    """Adam on plain arrays, without weight decay; notes how it was made and how often it stepped."""

    def __init__(self, params, lr=0.01, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, **others):
        super().__init__(list(params))
        self.keywords = {"lr": float(lr), "beta1": float(beta1), "weight_decay": float(weight_decay)}
        self.steps, self.lr, self.moments = 0, lr, {}
        made.append(self)

    def reset_grad(self):
        for one in self.params:
            one.grad = None

    def step(self):
        self.steps += 1
        for i, one in enumerate(self.params):
            if one.grad is not None:
                g = numbers(one.grad)
                m, v = self.moments.get(i, (0.0, 0.0))
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                self.moments[i] = m, v
                m, v = m / (1 - 0.9**self.steps), v / (1 - 0.999**self.steps)
                one.cached_data = (one.cached_data - self.lr * m / (np.sqrt(v) + 1e-8)).astype("float32")
'''
NEEDS |= {"Linear": ("tensor",), "Loader": ("tensor", "alive"), "Descent": ("numbers",), "Adam": ("numbers",)}
IMPORTS["ordered"] = ("itertools",)
