"""What editors, systems and people do to the text of a submission; each keeps what the code does.

A transform takes the tree (relative path to text) and returns a new one. Line ends and marks that are not
text are made by `build`, which writes what it is given byte for byte.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable

from tests.support.splice import Tree

Transform = Callable[[Tree], dict[str, str]]

MARKER = re.compile(r"^\s*### (BEGIN|END) YOUR SOLUTION\n", re.MULTILINE)


def on_python(change: Callable[[str], str]) -> Transform:
    """The transform that applies `change` to each Python file."""

    def transform(tree: Tree) -> dict[str, str]:
        return {name: change(text) if name.endswith(".py") else text for name, text in tree.items()}

    return transform


strip_markers = on_python(lambda text: MARKER.sub("", text))
lose_end_markers = on_python(
    lambda text: re.sub(r"^\s*### END YOUR SOLUTION\n", "", text, flags=re.MULTILINE)
)
your_code = on_python(lambda text: text.replace("YOUR SOLUTION", "YOUR CODE"))
short_markers = on_python(lambda text: text.replace("### BEGIN YOUR SOLUTION", "# BEGIN"))
crlf = on_python(lambda text: text.replace("\n", "\r\n"))
no_final_newline = on_python(lambda text: text.rstrip("\n"))
byte_order_mark = on_python(lambda text: "\ufeff" + text)
print_at_import = on_python(lambda text: text + '\nprint("loaded", __name__)\n')
non_ascii_comments = on_python(
    lambda text: text + "\n# 梯度：形状 (n, m) → (m,), naïve Überprüfung ∂L/∂W ✓\n"
)


def _leftover(text: str) -> str:
    """Put `raise NotImplementedError()` after every `return` that ends a function."""
    lines = text.splitlines()
    ends = {
        node.body[-1].end_lineno or 0: lines[node.body[-1].lineno - 1][: node.body[-1].col_offset]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and isinstance(node.body[-1], ast.Return)
    }
    for line, indentation in sorted(ends.items(), reverse=True):
        lines.insert(line, f"{indentation}raise NotImplementedError()")
    return "\n".join(lines) + "\n"


leftover_raise = on_python(_leftover)


def _tabs(text: str) -> str:
    """Indent by tabs, outside of strings that go over several lines."""
    lines = text.splitlines()
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING or "FSTRING" in tokenize.tok_name[token.type]:
            inside.update(range(token.start[0], token.end[0]))
    for number, line in enumerate(lines):
        if number not in inside:
            lines[number] = re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), line)
    return "\n".join(lines) + "\n"


tabs = on_python(_tabs)


def in_file(ending: str, change: Callable[[str], str]) -> Transform:
    """The transform that changes the files whose path ends so."""

    def transform(tree: Tree) -> dict[str, str]:
        return {name: change(text) if name.endswith(ending) else text for name, text in tree.items()}

    return transform


def rename_import(old: str, new: str, ending: str = "apps/simple_ml.py") -> Transform:
    """The transform that writes an import in another way."""
    return in_file(ending, lambda text: text.replace(old, new))


def without(*prefixes: str) -> Transform:
    """The transform that loses the files whose path starts so."""
    return lambda tree: {name: text for name, text in tree.items() if not name.startswith(prefixes)}
