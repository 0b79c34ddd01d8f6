"""What honest homework does, one line each; all of it works at every level of confinement."""

from __future__ import annotations

HONEST = {
    "threads": """
        import threading, numpy
        threads = [threading.Thread(target=numpy.linalg.svd, args=(numpy.eye(20),)) for _ in range(8)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
    """,
    "thread pool": """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(abs, range(100))) == 4950
    """,
    "linear algebra": """
        import numpy
        a = numpy.random.rand(150, 150)
        a @ a, numpy.linalg.svd(a), numpy.linalg.inv(a), numpy.fft.fft2(a), numpy.linalg.eigh(a + a.T)
    """,
    "late imports": """
        import asyncio, bz2, curses, decimal, gzip, hashlib, inspect, logging, lzma
        import multiprocessing, sqlite3, ssl, statistics, subprocess, tempfile, tracemalloc, unittest, uuid
        hashlib.sha256(b"x").hexdigest(), uuid.uuid4()
    """,
    "late numpy": "import numpy.ma, numpy.polynomial, numpy.testing, numpy.ctypeslib",
    "ctypes": """
        maths = ctypes.CDLL("libm.so.6")
        maths.cos.restype, maths.cos.argtypes = ctypes.c_double, [ctypes.c_double]
        assert maths.cos(0.0) == 1.0
        key = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
        numbers = (ctypes.c_int * 3)(3, 1, 2)
        libc.qsort(numbers, 3, 4, key(lambda one, other: one[0] - other[0]))
        assert list(numbers) == [1, 2, 3]
    """,
    "deep recursion": """
        import threading
        sys.setrecursionlimit(20_000)
        down = lambda n: 0 if n == 0 else 1 + globals()["down"](n - 1)
        globals()["down"] = down
        threading.stack_size(64 << 20)
        thread = threading.Thread(target=down, args=(10_000,))
        thread.start(), thread.join()
        threading.stack_size(0)
    """,
    "its own data": "assert open(os.path.join(here, 'quiet.py')).read() == ''",
    "its own folder": "assert 'quiet.py' in os.listdir(here)",
    "warnings": "import numpy, warnings; warnings.warn('careful'); numpy.log(numpy.zeros(2))",
    "views": "import numpy; numpy.ascontiguousarray(numpy.arange(12).reshape(3, 4).T[::-1, ::2])",
    "silence": """
        import contextlib
        with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
            print("not to be seen")
    """,
    "clocks": """
        import datetime, time
        time.sleep(0.001), time.perf_counter(), time.localtime(), datetime.datetime.now(), os.cpu_count()
    """,
    "chance": "import numpy, random, secrets; secrets.token_hex(), numpy.random.default_rng(0)",
    "event loop": "import asyncio; assert asyncio.run(asyncio.sleep(0, 3)) == 3",
    "signals": "signal.signal(signal.SIGALRM, signal.SIG_IGN), signal.alarm(1), signal.alarm(0)",
    "memory map": "import mmap; mmap.mmap(-1, 1 << 20).close()",
    "usage": "resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_AS)",
}
