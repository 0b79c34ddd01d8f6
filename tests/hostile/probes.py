"""Attacks by answers of another form: probes of the worker replaced by the submission."""

from __future__ import annotations

from tests.hostile.attack import Attack

FORGE = """
def forge(probe, answer, arrays=()):
    sys.modules["grader.worker.main"].PROBES[probe] = lambda *a: (answer, list(arrays))
"""
RENAMED = """
module = sys.modules["grader.worker.main"]
wire = sys.modules["grader.wire"]
class Changing:
    def __getattr__(self, name): return getattr(wire, name)
    def encode(self, message, arrays=()):
        result = message.get("result", {})
        if "changed" in result or "order" in result:
            message = {**message, "result": {key: {CHANGE} for key in result}}
        return wire.encode(message, arrays)
module.wire = Changing()
"""
FORGED = {
    "static": "forge('survey.static', {'only_raises': 5, 'unresolved': 3, 'copies': {}, 'errors': []})",
    "static-entries": "forge('survey.static', {'only_raises': [{}], 'unresolved': [{}], 'copies': [1], 'errors': [1]})",
    "static-imports": """forge('survey.static', {'errors': [], 'only_raises': [], 'copies': [], 'unresolved': [
        {'module': 'os', 'problem': 'module', 'used': False, 'name': [], 'file': {}, 'line': 'x'}]})""",
    "imports": "forge('survey.imports', {'failed': [{}], 'places': 5})",
    "imports-raised": """forge('survey.imports', {'places': [], 'failed': [
        {'module': [], 'raised': {'type': {}, 'text': [], 'frames': [{}], 'syntax': {}}}]})""",
    "places": "forge('survey.imports', {'failed': [], 'places': [5] * 500})",
    "outside": """forge('survey.imports', {'failed': [], 'places': [
        {'file': '../' * 9 + 'etc/passwd', 'line': 1, 'function': 'root:'}] * 500})""",
    "typos": "forge('survey.typos', {'typos': [{}]})",
    "edits": "forge('survey.scaffold', {'edits': [{'file': {}, 'line': [], 'what': 1, 'how': None}]})",
    "blame": "for one in ('sharing', 'edited', 'places'): forge(f'blame.{one}', {one: [{}, [], 1]})",
}
CHANGES = {"text": "'x'", "none": "None", "huge": "10 ** 4000", "objects": "[{}]", "negative": "-1"}

PROBES = [
    *(
        Attack(f"forged-{name}", 0, f"forged answers of {name}", FORGE + code, hides=("root:x:0",))
        for name, code in FORGED.items()
    ),
    *(
        Attack(
            f"values-{name}",
            0,
            f"every fact of an answer is another one: {name}",
            RENAMED.replace("{CHANGE}", code),
        )
        for name, code in CHANGES.items()
    ),
    Attack(
        "frames-forged",
        0,
        "an exception whose places are none",
        """
        describe = sys.modules["grader.worker.describe"]
        describe.exception = lambda *a: {"type": [], "text": {}, "frames": [5, {}, {"file": []}], "syntax": 1}
    """,
        result="(_ for _ in ()).throw(ValueError('x'))",
    ),
]
