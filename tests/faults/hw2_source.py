"""How the faults of hw2 are written: the reference's text with pieces replaced, and what then fails."""

from __future__ import annotations

from tests.faults.model import Expect
from tests.support import reference_function


def altered(name: str, *replaced: tuple[str, str]) -> dict[str, str]:
    """The reference's function with pieces of its text replaced; each piece must be there."""
    source = reference_function(name)
    for old, new in replaced:
        assert old in source, f"{name} has no {old!r}"
        source = source.replace(old, new)
    return {name: source}


def lost(*failed: str, says: tuple[str, ...] = (), consequences: tuple[str, ...] = ()) -> Expect:
    """The expectation that `failed` fails; the network may fail with it, since it is made of everything."""
    return Expect(failed, says, consequences=(*consequences, "mlp_resnet.*"))


def named(check: str, mistake: str, *says: str, consequences: tuple[str, ...] = ()) -> Expect:
    """The expectation that one check fails with a known mistake."""
    return lost(check, says=(*says, f'"known_mistake": "{mistake}"'), consequences=consequences)
