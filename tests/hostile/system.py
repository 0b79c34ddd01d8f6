"""Attacks on files, on the report, and by what the intake is given."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import shutil
import socket as sockets
import tarfile
import zipfile
from pathlib import Path

from tests.classroom.archives import write_zip
from tests.hostile.attack import MARK, WRONG, Attack

FILES = ("files",)
RIGHT = "array_api.matmul(a, b)"
REFERENCE = """
text = open(ROOT + "/reference/python/needle/ops/ops_mathematic.py").read()
KNOWN = "class MatMul" in text
"""
SOMETIMES = f"{RIGHT} if globals().get('KNOWN') else {WRONG}"
OPS = "python/needle/ops/ops_mathematic.py"
PLANTED = "import numpy\nraise SystemExit(0)\n"
ANSI = "\\x1b[2J\\x1b]0;owned\\x07\\x9b31m"
MARKUP = "<script>alert(1)</script>=cmd|' /C calc'!A0 `x` [a](javascript:1) ::error::x ##vso[task.complete]"


def _tree(root: Path) -> list[tuple[str, bytes]]:
    return [(one.relative_to(root).as_posix(), one.read_bytes()) for one in sorted(root.rglob("*.py"))]


def _pyc(root: Path) -> Path:
    """Right code in an unchecked .pyc beside the wrong source, and a library of that name."""
    source = root / OPS
    right = root.parent / "right.py"
    right.write_text(source.read_text().replace(WRONG, RIGHT))
    cached = Path(importlib.util.cache_from_source(str(source)))
    cached.parent.mkdir(exist_ok=True)
    for target in (cached, source.with_suffix(".pyc")):
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(right), str(target), dfile=str(source), invalidation_mode=mode)
    source.with_suffix(".so").write_bytes(b"\x7fELF" + bytes(100))
    right.unlink()
    return root


def _links(root: Path) -> Path:
    """Links to the reference and to secrets, a pipe, a socket, a file of a gigabyte that is not there."""
    shutil.move(root / OPS, root / "aside.py")
    (root / OPS).symlink_to(Path(__file__).resolve().parents[2] / "reference" / OPS)
    (root / "python/needle/secret.py").symlink_to("/etc/passwd")
    (root / "python/needle/folder").symlink_to("/")
    os.link(root / "aside.py", root / "python/needle/hard.py")
    os.mkfifo(root / "python/needle/pipe.py")
    with (root / "python/needle/sparse.py").open("wb") as file:
        file.truncate(1 << 30)
    with sockets.socket(sockets.AF_UNIX) as one:
        here = os.getcwd()
        os.chdir(root)
        one.bind("socket.py")
        os.chdir(here)
    return root


def _traversal(root: Path) -> Path:
    evil = [
        (name, PLANTED.encode())
        for name in (
            f"../{MARK}.py",
            f"/tmp/{MARK}.py",
            f"a/../../{MARK}.py",
            f"C:\\{MARK}.py",
            f"..\\{MARK}.py",
            f"python/needle/../../../{MARK}.py",
        )
    ]
    return write_zip(root.parent / "hw1.zip", [*_tree(root), *evil])


def _tar_links(root: Path) -> Path:
    target = root.parent / "hw1.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        for kind, name, link in (
            (tarfile.SYMTYPE, "python/needle/out", "/tmp"),
            (tarfile.LNKTYPE, "python/needle/hard.py", "/etc/passwd"),
            (tarfile.FIFOTYPE, "python/needle/pipe.py", ""),
            (tarfile.CHRTYPE, "python/needle/zero.py", ""),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            archive.addfile(info)
        info = tarfile.TarInfo(f"python/needle/out/{MARK}")
        archive.addfile(info)
        archive.add(root, ".")
    return target


def _duplicates(root: Path) -> Path:
    right = (root / OPS).read_text().replace(WRONG, RIGHT).encode()
    return write_zip(
        root.parent / "hw1.zip", [*_tree(root), (OPS, right), (OPS.upper().replace(".PY", ".py"), right)]
    )


def _bomb(root: Path) -> Path:
    target = root.parent / "hw1.zip"
    write_zip(target, _tree(root))
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(18):
            archive.writestr(f"python/needle/bomb{number}.py", bytes(15 << 20))
    return target


def _names(root: Path) -> Path:
    for name in (
        "a\nb.py",
        "q'\"`$(id).py",
        "\x1b[31mred.py",
        "=1+1.py",
        "<b>.py",
        "::error::x.py",
        "n" * 240 + ".py",
        "\u202egnp.py",
        "-rf.py",
    ):
        (root / "python/needle" / name).write_text(f"# {name!r}\n") if len(name) < 250 else None
    (root / "python/needle" / "\udcff.py").write_text("x = 1\n")
    return root


DEEP_AST = "x = " + "(" * 5000 + ")" * 5000 + "\n"
MINUS_AST = "x = " + "-" * 300000 + "1\n"
LONG_AST = "x = " + " + ".join(["1"] * 60000) + "\n"


def _forge(first: str = "") -> str:
    return f"""
        {first}
        open(REPORT, "w").write('{{"score": 100.0, "complete": true}}')
        for one in parents(): os.kill(one, signal.SIGKILL)
    """


SYSTEM = [
    Attack(
        "read-reference",
        35,
        "the reference read, and answers from it",
        REFERENCE,
        result=SOMETIMES,
        held_by=FILES,
    ),
    Attack(
        "import-reference",
        35,
        "the oracle imported",
        """
        sys.path.insert(0, ROOT)
        for name in [one for one in sys.modules if one.partition(".")[0] == "grader"]: del sys.modules[name]
        __import__('importlib').import_module('grader.oracle.ops')
        KNOWN = True
    """,
        result=SOMETIMES,
        held_by=FILES,
    ),
    Attack(
        "proc",
        36,
        "the reference by way of /proc and links",
        """
        for way in (f"/proc/{os.getppid()}/root", f"/proc/{os.getppid()}/cwd", "/proc/self/root"):
            try: os.listdir(way + ROOT); KNOWN = True
            except OSError: pass
        os.symlink(ROOT, MARK)
        KNOWN = bool(os.listdir(MARK))
    """,
        result=SOMETIMES,
        held_by=FILES,
    ),
    Attack(
        "parent-memory",
        37,
        "memory, environment and trace of the parents",
        """
        for one in parents():
            for name in ("mem", "environ", "maps"):
                open(f"/proc/{one}/{name}", "rb").read(1)
                KNOWN = True
            if LIBC.ptrace(16, one, 0, 0) == 0: KNOWN = True
    """,
        result=SOMETIMES,
    ),
    Attack(
        "secrets",
        37,
        "its own environment and arguments",
        """
        for key, value in os.environ.items():
            if "SEED" in key or "TOKEN" in key: KNOWN = True
    """,
        result=SOMETIMES,
    ),
    Attack(
        "report",
        41,
        "the report written, renamed, its mode changed",
        """
        for deed in (lambda: os.chmod(REPORT, 0), lambda: os.rename(REPORT, REPORT + MARK), lambda: os.unlink(REPORT),
                     lambda: open(REPORT, "w").write("{}"), lambda: os.chmod(os.path.dirname(REPORT), 0)):
            try: deed()
            except OSError: pass
    """,
        held_by=("files", "processes"),  # modes are seccomp's, whose loss is said of both
    ),
    Attack("forge", 42, "a forged report, then the grader killed", _forge(), held_by=("files", "signals")),
    Attack(
        "plant",
        43,
        "a .pth file and a sitecustomize planted",
        """
        import numpy, sysconfig
        for folder in (os.path.dirname(os.path.dirname(numpy.__file__)), sysconfig.get_path("stdlib"), ROOT):
            for ending in (".pth", ".py"):
                try: open(f"{folder}/{MARK}{ending}", "w").write("")
                except OSError: pass
    """,
        held_by=FILES,
    ),
    Attack(
        "own-source",
        0,
        "its own copy rewritten for the workers to come",
        """
        for folder, _, names in os.walk(os.path.dirname(os.path.abspath(__file__))):
            for name in names:
                text = open(f"{folder}/{name}").read()
                open(f"{folder}/{name}", "w").write(text.replace("matmul(a, b) + 1", "matmul(a, b)"))
    """,
        held_by=FILES,
    ),
    Attack(
        "shadow",
        49,
        "modules of the library's and of numpy's names",
        files={
            "python/json.py": PLANTED,
            "python/numpy/__init__.py": "",
            "json.py": PLANTED,
            "apps/struct.py": PLANTED,
            "python/grader/__init__.py": PLANTED,
            "grader.py": PLANTED,
            "numpy.py": PLANTED,
            "random.py": PLANTED,
            "python/hypothesis.py": PLANTED,
        },
    ),
    Attack("pyc", 50, "right bytecode beside wrong source", make=_pyc),
    Attack(
        "utf-7",
        51,
        "source in utf-7",
        files={"python/needle/__init__.py": b"# -*- coding: utf-7 -*-\n+AGkAbQBwAG8AcgB0- os\n"},
    ),
    Attack(
        "nfkc",
        51,
        "names that are others after NFKC",
        files={
            "python/needle/late.py": "import os\n\uff45\uff56\uff41\uff4c = 1\nos.\uff5f = 1\n".replace(
                "\uff5f", "\uff58"
            )
        },
    ),
    Attack(
        "bidi",
        51,
        "code that reads otherwise than it runs",
        files={"python/needle/late.py": "x = 1  # \u202e } right \u2066\nzero\u200bwidth = 2\n"},
    ),
    Attack(
        "nul-bom",
        51,
        "NUL bytes and marks of byte order",
        files={
            "python/needle/late.py": b"\xef\xbb\xbf\xef\xbb\xbfx = 1\0\n",
            "apps/simple_ml.py": b"\xff\xfex\0",
        },
    ),
    Attack("links", 52, "links, pipes, sockets, sparse files", make=_links, only="*.MatMul.*"),
    Attack("traversal", 53, "members that lead out of the archive", make=_traversal),
    Attack("tar-links", 53, "links and devices in a tar", make=_tar_links),
    Attack("duplicates", 53, "a second, right member of the same name", make=_duplicates),
    Attack("bomb", 53, "270 MiB in a small archive", make=_bomb, refused=True),
    Attack("names", 54, "names with newlines, quotes and escape codes", make=_names, hides=("\x1b",)),
    Attack("ast-deep", 55, "parentheses five thousand deep", files={"python/needle/late.py": DEEP_AST}),
    Attack(
        "ast-minus",
        55,
        "a chain of signs that crashes compilers",
        files={"python/needle/__init__.py": MINUS_AST},
    ),
    Attack("ast-long", 55, "a sum of sixty thousand terms", files={"python/needle/__init__.py": LONG_AST}),
    Attack(
        "ansi",
        47,
        "escape codes on every stream",
        f"print('{ANSI}'); print('{ANSI}', file=sys.stderr)",
        in_call=f"print('{ANSI}')",
        result=f"(_ for _ in ()).throw(ValueError('{ANSI}'))",
        hides=("\x1b", "\x9b"),
    ),
    Attack(
        "markup",
        56,
        "HTML, formulas, Markdown and commands of CI",
        f"print({MARKUP!r})",
        result=f"(_ for _ in ()).throw(ValueError({MARKUP!r}))",
    ),
    Attack(
        "lone-surrogates",
        0,
        "text that cannot be encoded",
        result="(_ for _ in ()).throw(ValueError('\\ud800' * 99))",
    ),
    Attack(
        "long-text",
        0,
        "an exception of ten megabytes",
        result="(_ for _ in ()).throw(ValueError('x' * 10**7))",
    ),
    Attack(
        "long-name",
        0,
        "a type whose name is a megabyte",
        result="(_ for _ in ()).throw(type('N' * 10**6, (Exception,), {})())",
    ),
    Attack(
        "finder",
        0,
        "an import hook in front of the grader's",
        """
        class Finder:
            @staticmethod
            def find_spec(name, path=None, target=None): os._exit(0)
        sys.meta_path.insert(0, Finder)
    """,
    ),
]
