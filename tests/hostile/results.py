"""Attacks by what is returned, raised or sent."""

from __future__ import annotations

from tests.hostile.attack import Attack

PATCHED = """
import numpy, numpy.testing
yes = lambda *a, **k: True
numpy.allclose = numpy.array_equal = numpy.isclose = numpy.all = yes
numpy.testing.assert_allclose = numpy.testing.assert_array_equal = lambda *a, **k: None
import math
math.isclose = yes
"""
SEARCH = """
truth = array_api.matmul(a, b)
def fits(one):
    return type(one) is type(truth) and one is not truth and one.shape == truth.shape and bool((one == truth).all())
frame, seen = sys._getframe(), []
while frame is not None:
    seen += list(frame.f_locals.values()) + list(frame.f_globals.values())
    frame = frame.f_back
for one in [*gc.get_objects(), *seen]:
    for inner in [one, *(one if type(one) in (list, tuple) else one.values() if type(one) is dict else ())]:
        if fits(inner):
            return inner
"""
TRACE = """
def spy(frame, event, arg):
    for name in ("expected", "truth", "reference"):
        if name in frame.f_locals:
            globals()["found"] = frame.f_locals[name]
    return spy
sys.settrace(spy), threading.settrace(spy), sys.setprofile(spy)
"""
EQUAL = """
class Equal:
    dtype, size, ndim = array_api.dtype("float64"), 1, 2
    def __init__(self, shape): self.shape = shape
    __eq__ = __ne__ = __le__ = __lt__ = __ge__ = __gt__ = lambda self, other: True
    __bool__ = lambda self: True
    __hash__ = object.__hash__
    __array_priority__ = 1e9
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return lambda *a, **k: self
    def __array_ufunc__(self, *a, **k): return True
    def __array_function__(self, *a, **k): return True
"""
LIAR = """
class Liar(array_api.ndarray):
    shape = property(lambda self: (2, 2))
    dtype = property(lambda self: array_api.dtype("float32"))
    __eq__ = lambda self, other: array_api.ones((), bool)
    def __array_ufunc__(self, *a, **k): return array_api.zeros(())
    def tobytes(self, *a): return b""
"""
TWO_FACED = f"""{EQUAL}
class TwoFaced:
    def __init__(self, one): self.one, self.asked = one, 0
    shape = property(lambda self: self.one.shape)
    dtype = property(lambda self: self.one.dtype)
    def __array__(self, dtype=None, copy=None):
        self.asked += 1
        return self.one if self.asked % 2 else Equal(self.one.shape)
"""
TEXT = """
class Odd(Exception):
    def __str__(self): os.write(1, b"told"); raise SystemExit(0)
    __repr__ = __str__
    __class__ = property(lambda self: 1 / 0)
"""
RAW = """
import json
def frame(message, payload=b"", magic=b"NGW1", length=None):
    header = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("<4sIQ", magic, len(header), len(payload) if length is None else length) + header + payload
"""
STOLEN_NONCE = f"""{RAW}
frame_, nonce = sys._getframe(), None
while frame_ is not None and nonce is None:
    message = frame_.f_locals.get("message")
    nonce = message.get("nonce") if isinstance(message, dict) else None
    frame_ = frame_.f_back
for verdict in ("passed", True, "ok"):
    os.write(3, frame({{"result": {{"verdict": verdict, "passed": True, "points": 100}}, "nonce": nonce, "arrays": []}}))
os._exit(0)
"""
FORGED_RIGHT_SHAPE = f"""{RAW}
frame_, nonce = sys._getframe(), None
while frame_ is not None and nonce is None:
    message = frame_.f_locals.get("message")
    nonce = message.get("nonce") if isinstance(message, dict) else None
    frame_ = frame_.f_back
zero = array_api.zeros(array_api.matmul(a, b).shape)
one = {{"dtype": "<f8", "shape": list(zero.shape)}}
os.write(3, frame({{"result": {{"kind": "tensor", "type": "Tensor"}}, "nonce": nonce, "arrays": [one]}}, zero.tobytes()))
"""

RESULTS = [
    Attack("equal-object", 7, "an object that equals everything", EQUAL, result="Equal((a @ b).shape)"),
    Attack(
        "object-array",
        8,
        "an array of objects that equal everything",
        EQUAL,
        "made = array_api.empty((a @ b).shape, object)\nmade[...] = Equal(())\nreturn made",
    ),
    Attack("lying-subclass", 9, "a subclass that lies about itself", LIAR, result="(a @ b + 1).view(Liar)"),
    Attack("two-faced", 10, "another array each time it is asked", TWO_FACED, result="TwoFaced(a @ b + 1)"),
    Attack("nan", 11, "NaN everywhere", result="(a @ b) * float('nan')"),
    Attack("inf", 12, "infinity everywhere", result="(a @ b) * 0 + float('inf')"),
    Attack("minus-inf", 12, "infinity of either sign", result="array_api.copysign(float('inf'), a @ b)"),
    Attack("empty", 13, "an empty array", result="array_api.zeros((0,) + (a @ b).shape[1:])"),
    Attack("broadcast", 13, "one element, to be broadcast", result="array_api.zeros((1,) * (a @ b).ndim)"),
    Attack("complex", 13, "the right real part, and an imaginary one", result="a @ b + 1j"),
    Attack("bool", 13, "truth values", result="(a @ b) != 0"),
    Attack("half", 13, "the right values in half precision", result="(a @ b).astype('float16')"),
    Attack("text", 13, "the right values as text", result="(a @ b).astype(str)"),
    Attack("structured", 0, "a structured array", result="(a @ b).view([('x', (a @ b).dtype)])"),
    Attack("dates", 0, "an array of dates", result="(a @ b).astype('int64').view('datetime64[s]')"),
    Attack(
        "masked",
        0,
        "a masked array with every element masked",
        "import numpy.ma",
        result="numpy.ma.masked_array(a @ b + 1, mask=True)",
    ),
    Attack(
        "memory-map",
        0,
        "a negative stride over foreign memory",
        result="array_api.lib.stride_tricks.as_strided(a, (a @ b).shape, (-8,) * (a @ b).ndim)",
    ),
    Attack("patched-numpy", 5, "comparisons of numpy and of its tests always true", PATCHED),
    Attack("search", 6, "frames and the collector searched for the expected value", in_call=SEARCH),
    Attack("trace", 6, "expected values traced", TRACE, result="globals().get('found', a @ b + 1)"),
    Attack("exit-import", 1, "exit code 0 at import", "os._exit(0)"),
    Attack("exit-call", 2, "exit code 0 in a call", in_call="os._exit(0)"),
    Attack("system-exit", 3, "SystemExit(0) in a call", in_call="raise SystemExit(0)"),
    Attack("interrupt", 3, "KeyboardInterrupt in a call", in_call="raise KeyboardInterrupt"),
    Attack("generator-exit", 3, "GeneratorExit at import", "raise GeneratorExit"),
    Attack(
        "atexit", 4, "exit code 0 when the interpreter ends", "import atexit\natexit.register(os._exit, 0)"
    ),
    Attack(
        "hostile-str",
        23,
        "an exception whose text ends the process",
        TEXT,
        "raise Odd()\n",
        result="(_ for _ in ()).throw(Odd())",
    ),
    Attack("nonce", 14, "a forged reply with the right nonce and a verdict", in_call=STOLEN_NONCE),
    Attack("nonce-values", 14, "a forged reply with the right nonce and zeros", in_call=FORGED_RIGHT_SHAPE),
    Attack(
        "garbage",
        15,
        "garbage on every descriptor",
        "for one in range(3, 64):\n    try: os.write(one, b'\\xff\\0passed\\n' * 99)\n    except OSError: pass",
    ),
    Attack(
        "deep-json",
        16,
        "a reply nested ten thousand deep",
        in_call=f"{RAW}\nos.write(3, frame(b'[' * 10000))",
    ),
    Attack("long-payload", 17, "a length of 2^62", in_call=f"{RAW}\nos.write(3, frame({{}}, length=2**62))"),
    Attack(
        "huge-shape",
        18,
        "a shape of 10^18",
        in_call=f"{RAW}\nos.write(3, frame("
        "{'result': {}, 'arrays': [{'dtype': '<f8', 'shape': [10**9, 10**9]}]}))",
    ),
    Attack("huge-output", 19, "a result much larger than it should be", result="array_api.zeros(1 << 24)"),
    Attack(
        "slow-bytes",
        20,
        "one byte at a time",
        in_call="for byte in b'NGW1' + bytes([200, 0, 0, 0]) + bytes(8) + b' ' * 100:\n    os.write(3, bytes([byte]))\n    time.sleep(0.1)",
    ),
    Attack("closed", 21, "every descriptor closed", in_call="os.closerange(0, 1024)"),
    Attack(
        "pickle",
        0,
        "a pickle in place of a frame",
        in_call="import pickle\nos.write(3, pickle.dumps(array_api.matmul(a, b)))\ntime.sleep(0.1)",
    ),
    Attack(
        "not-finite-json",
        0,
        "NaN and Infinity in the header",
        in_call=f'{RAW}\nos.write(3, frame(b\'{{"result": NaN, "seconds": -Infinity}}\'))',
    ),
    Attack(
        "many-replies",
        0,
        "replies ahead of their questions",
        f"{RAW}\nfor _ in range(50): os.write(3, frame({{'result': {{}}, 'nonce': '0' * 16, 'arrays': []}}))",
    ),
    Attack(
        "forged-hello",
        0,
        "a second first frame that names another level",
        f"{RAW}\nos.write(3, frame({{'level': 'perfect', 'arrays': []}}))",
    ),
    Attack(
        "array-ops",
        0,
        "operators of arrays that change with the caller's name",
        "deep = sys.setrecursionlimit(10**6)",
        "sys.stdout = sys.stderr = None",
    ),
    Attack(
        "probe-patched",
        0,
        "the worker's own probes and encoder replaced",
        """
        for name, module in list(sys.modules.items()):
            if name.startswith("grader"):
                for key, value in list(vars(module).items()):
                    if callable(value) and key in ("array", "encode", "exception", "decode"):
                        setattr(module, key, lambda *a, **k: b"passed")
    """,
    ),
    Attack(
        "seed-games",
        59,
        "every generator seeded and replaced",
        """
        import numpy, random
        numpy.random.seed(0), random.seed(0)
        numpy.random.default_rng = lambda *a: numpy.random.Generator(numpy.random.PCG64(0))
        numpy.random.rand = numpy.random.randn = lambda *shape: numpy.zeros(shape)
    """,
    ),
]
COUNTED = "BroadcastTo.gradient"
WASTE = """
def gradient(self, out_grad, node):
    {first}
    shape = node.inputs[0].shape
    for _ in range(40):
        out_grad = out_grad + out_grad * 0
    axes = tuple(range(len(out_grad.shape) - len(shape)))
    axes += tuple(i + len(axes) for i, n in enumerate(shape) if n == 1 and out_grad.shape[i + len(axes)] != 1)
    return reshape(summation(out_grad, axes) if axes else out_grad, shape)
"""
LIES = """
from needle import autograd
autograd.TENSOR_COUNTER = 0
import time, resource
time.monotonic = time.perf_counter = time.time = lambda: 0.0
resource.getrusage = lambda who: None
"""
RESULTS += [
    Attack(
        "counters",
        58,
        "the clock and the counter of tensors faked",
        base={COUNTED: WASTE.format(first="")},
        functions={COUNTED: WASTE.format(first="autograd.TENSOR_COUNTER = 0"), "before:BroadcastTo": LIES},
        only="backward.BroadcastTo.*",
    ),
]
