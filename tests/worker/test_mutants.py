"""Small changes of a function: each mistake of a kind has the change that takes it back."""

from __future__ import annotations

import ast

import pytest

from grader.worker.mutants import Function, edits

# what was written, and what was meant
MISTAKES = {
    "floor-division": ("return sqrt(3 // n)", "return sqrt(3 / n)"),
    "sign": ("return p + lr * g", "return p - lr * g"),
    "negated": ("return g * a", "return -(g * a)"),
    "not-negated": ("return -g", "return g"),
    "parentheses": ("return x - mean / std", "return (x - mean) / std"),
    "parentheses-around-the-end": ("return m / v ** 0.5 + eps", "return m / (v ** 0.5 + eps)"),
    "parentheses-far": ("return p - lr * m / v ** 0.5 + eps", "return p - lr * m / (v ** 0.5 + eps)"),
    "inside-a-call": ("return power(a, n) - 1", "return power(a, n - 1)"),
    "root": ("return x / (var + eps)", "return x / (var + eps) ** 0.5"),
    "operands": ("return a @ g", "return g @ a"),
    "argument-order": ("return where(c, a, b)", "return where(a, c, b)"),
    "detached": ("return a + b.data", "return a + b"),
    "call-too-many": ("return log(exp(x))", "return exp(x)"),
    "method-too-many": ("return x.sum().detach()", "return x.sum()"),
    "keyword-too-many": ("return total(x, keepdims=True)", "return total(x)"),
    "maximum": ("return x.min()", "return x.max()"),
    "axis": ("return total(x, axis=1)", "return total(x, axis=0)"),
    "axis-missing": ("return g - s * g.sum()", "return g - s * g.sum(axis=1, keepdims=True)"),
    "axes-missing": ("return summation(x) / n", "return summation(x, axes=(1,)) / n"),
    "axis-not-kept": ("return x - x.max(axis=1)", "return x - x.max(axis=1, keepdims=True)"),
    "off-by-one": ("return range(n + 1)", "return range(n)"),
    "flag": ("return split(x, shuffle=False)", "return split(x, shuffle=True)"),
    "comparison": ("return x >= 0", "return x > 0"),
    "inverted-test": ("if flip:\n    a = b\nreturn a", "if not flip:\n    a = b\nreturn a"),
    "branches": ("return a if flip else b", "return b if flip else a"),
    "other-variable": ("return h * h", "return h * w"),
    "attribute": ("return self.bias - mean * self.bias", "return self.bias - mean * self.weight"),
    "order": ("g = g * a\ng = g + b\nreturn g", "g = g + b\ng = g * a\nreturn g"),
    "out-of-the-loop": (
        "for b in x:\n    a = draw()\n    use(a, b)",
        "a = draw()\nfor b in x:\n    use(a, b)",
    ),
    "into-the-loop": ("for b in x:\n    use(b)\nstep()", "for b in x:\n    use(b)\n    step()"),
    "last-out-of-the-loop": (
        "for b in x:\n    use(b)\n    step()",
        "for b in x:\n    use(b)\nstep()",
    ),
    "break": ("for b in x:\n    if b:\n        break\n    use(b)", "for b in x:\n    if b:\n        continue\n    use(b)"),
    "statement-too-many": ("g = g + b\ng = g + b\nreturn g", "g = g + b\nreturn g"),
    "sum-in-place": ("a += b\nreturn a", "a -= b\nreturn a"),
    "copied-text": ("return load('a'), load('a'), load('b')", "return load('a'), load('b'), load('b')"),
    "unused-argument": ("return (ndl.Adam(p), w)", "return (h(p), w)"),
}  # fmt: skip


def function(body: str) -> Function:
    """A method with that body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (made,) = ast.parse(f"def f(self, h, w, flip):\n{lines}").body
    assert isinstance(made, ast.FunctionDef)
    return made


@pytest.mark.parametrize("name", MISTAKES)
def test_some_change_takes_the_mistake_back(name: str) -> None:
    """Among the changes is the right function; its line is where the two differ, and all are undone."""
    wrong, right = map(function, MISTAKES[name])
    before, wanted = ast.unparse(wrong), ast.unparse(right)

    found = []
    for edit in edits(wrong, ["bias", "weight"]):
        with edit.made():
            if ast.unparse(wrong) == wanted:
                found.append(edit.line)

    assert found
    assert ast.unparse(wrong) == before
    assert set(found) <= set(range(2, 2 + len(MISTAKES[name][0].splitlines())))


def test_single_line_is_that_line() -> None:
    """A change inside a statement has that statement's line."""
    wrong = function("a = h\nb = a // w\nreturn b")

    lines = set()
    for edit in edits(wrong, []):
        with edit.made():
            if "a / w" in ast.unparse(wrong):
                lines.add(edit.line)

    assert lines == {3}
