"""Attacks on processes, time and memory; each is bounded in itself."""

from __future__ import annotations

from tests.hostile.attack import Attack

PROCESSES, SIGNALS, FILES, NETWORK = ("processes",), ("signals",), ("files",), ("network",)
FORK = "pid = os.fork()\nif pid == 0:\n    time.sleep(30)\n    os._exit(0)"

PROCESS = [
    Attack("segfault", 22, "a segmentation fault", in_call="ctypes.string_at(0)"),
    Attack(
        "deaf-loop",
        24,
        "an endless loop with every signal ignored",
        in_call="""
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        while True: pass
    """,
    ),
    Attack("loop-import", 24, "an endless loop at import", "while True: pass"),
    Attack("stop", 25, "SIGSTOP to itself", in_call="os.kill(os.getpid(), signal.SIGSTOP)"),
    Attack("flood", 26, "a flood of output", in_call="while True: os.write(1, b'x' * 65536)"),
    Attack(
        "thread-flood",
        27,
        "a flood of errors from threads",
        """
        def flood():
            end = time.monotonic() + 3
            while time.monotonic() < end: os.write(2, b'y' * 65536)
        for _ in range(4): threading.Thread(target=flood, daemon=True).start()
    """,
    ),
    Attack(
        "threads",
        28,
        "two thousand threads",
        """
        threading.stack_size(65536)
        for _ in range(2000): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    """,
    ),
    Attack(
        "forks",
        29,
        "thirty processes that fork too",
        f"for _ in range(5):\n    {FORK.replace(chr(10), chr(10) + '    ')}",
    ),
    Attack("memory", 30, "all memory", in_call="hoard = [bytearray(1 << 27) for _ in range(40)]"),
    Attack(
        "memory-slow",
        30,
        "memory in small pieces, errors ignored",
        in_call="""
        hoard = []
        while len(hoard) < 1 << 22:
            try: hoard.append(bytearray(1 << 20))
            except MemoryError: break
    """,
    ),
    Attack(
        "memfd",
        31,
        "files in memory",
        """
        held = os.memfd_create(MARK)
        os.ftruncate(held, 1 << 26)
    """,
    ),
    Attack(
        "shm", 31, "a file in /dev/shm", "open(f'/dev/shm/{MARK}', 'wb').write(bytes(1 << 20))", held_by=FILES
    ),
    Attack(
        "disk",
        32,
        "files in every folder",
        """
        for folder in ("/tmp", "/var/tmp", "/dev/shm", ".", os.path.expanduser("~"), ROOT):
            try: open(f"{folder}/{MARK}", "wb").write(bytes(1 << 22))
            except OSError: pass
    """,
        held_by=FILES,
    ),
    Attack(
        "daemon",
        33,
        "a process that left its session",
        """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0: time.sleep(60)
            os._exit(0)
    """,
    ),
    Attack(
        "late-thread",
        34,
        "a thread that goes on after the reply",
        """
        def late():
            end = time.monotonic() + 5
            while time.monotonic() < end:
                for one in range(3, 8):
                    try: os.write(one, b"NGW1passed")
                    except OSError: pass
                time.sleep(0.02)
        threading.Thread(target=late, daemon=True).start()
    """,
    ),
    Attack(
        "kill-parents",
        38,
        "the zygote and the grader killed",
        "for one in parents(): os.kill(one, signal.SIGKILL)",
        held_by=SIGNALS,
    ),
    Attack(
        "stop-zygote",
        38,
        "the zygote stopped",
        in_call="os.kill(ZYGOTE, signal.SIGSTOP)",
        held_by=SIGNALS,
    ),
    Attack(
        "kill-zygote",
        38,
        "the zygote killed",
        in_call="os.kill(ZYGOTE, signal.SIGKILL)",
        held_by=SIGNALS,
    ),
    Attack(
        "fcntl-kill",
        39,
        "SIGKILL by the owner of a descriptor",
        """
        one, other = socket.socketpair()
        for parent in parents():
            fcntl.fcntl(one, fcntl.F_SETOWN, parent)
            fcntl.fcntl(one, 10, signal.SIGKILL)
            fcntl.fcntl(one, fcntl.F_SETFL, fcntl.fcntl(one, fcntl.F_GETFL) | os.O_ASYNC)
            other.send(b"x")
    """,
        held_by=SIGNALS,
    ),
    Attack(
        "prlimit",
        40,
        "limits and priorities of the parents lowered",
        """
        for parent in parents():
            resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1))
            os.setpriority(os.PRIO_PROCESS, parent, 19)
    """,
        held_by=("signals", "processes"),
    ),
    Attack("exec", 44, "another program in place of the worker", in_call="os.execv('/bin/true', ['true'])"),
    Attack(
        "set-uid",
        44,
        "set-uid programs",
        """
        import subprocess
        for words in (["sudo", "-n", "true"], ["su", "-c", "true"], ["mount"], ["passwd", "-S"]):
            try: subprocess.run(words, timeout=1, stdin=subprocess.DEVNULL, check=False)
            except OSError: pass
        os.setuid(0)
    """,
    ),
    Attack(
        "raw-calls",
        46,
        "raw and x32 system calls",
        """
        for number in (0x40000000 + 39, 425, 272, 321, 250, 298, 323, 437):
            try: call(number, 0, 0, 0, 0)
            except OSError: pass
    """,
    ),
    Attack(
        "sysv-shm",
        48,
        "a segment of System V shared memory",
        "if LIBC.shmget(SHM_KEY, 4096, 0o1666) == -1: raise OSError",
        held_by=NETWORK,
    ),
    Attack(
        "sysv-others",
        48,
        "System V semaphores and message queues",
        "LIBC.semget(SHM_KEY, 1, 0o1666), LIBC.msgget(SHM_KEY, 0o1666)",
        held_by=NETWORK,
    ),
    Attack(
        "sockets",
        45,
        "TCP, UDP, abstract and path sockets, io_uring",
        """
        for family, kind, address in (
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 9)),
            (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 9)),
            (socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + MARK),
            (socket.AF_UNIX, socket.SOCK_STREAM, "/var/run/docker.sock"),
        ):
            try: socket.socket(family, kind).connect(address)
            except OSError: pass
        if socket.socket(socket.AF_INET, socket.SOCK_DGRAM): open("/dev/null").read()
    """,
    ),
    Attack(
        "collector",
        0,
        "destructors that run while the worker encodes",
        """
        class Late:
            def __del__(self): os.write(1, b"late"); raise SystemExit(0)
        gc.callbacks.append(lambda *a: Late()), gc.set_threshold(1)
    """,
    ),
    Attack(
        "alarm",
        0,
        "a signal handler that raises in the worker's own code",
        """
        def raise_(*_): raise SystemExit(0)
        signal.signal(signal.SIGALRM, raise_), signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    """,
    ),
    Attack(
        "recursion",
        0,
        "the stack overflown in C",
        in_call="sys.setrecursionlimit(10**9)\ndef down(): return down()\ndown()",
    ),
    Attack(
        "oom-threads",
        0,
        "address space by mappings, never touched",
        "import mmap\nkept = [mmap.mmap(-1, 1 << 28) for _ in range(20)]",
    ),
    Attack(
        "affinity",
        0,
        "the grader confined to no time: niceness and affinity of the parents",
        "for parent in parents(): os.sched_setaffinity(parent, {0})",
        held_by=("signals", "processes"),
    ),
    Attack(
        "audit",
        0,
        "an audit hook that ends the process at every import",
        """
        def hook(event, words):
            if event in ("import", "compile"): os._exit(0)
        sys.addaudithook(hook)
    """,
    ),
]
