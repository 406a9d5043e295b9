"""The state machine of flows/tests/model as a check: it must find nothing on the kernel as it is."""

from __future__ import annotations

from chaos.checks import Check
from chaos.guarded import Bench, must
from flows.tests.model import search

# Without these rules nothing happens that a definition or a reaper could get wrong.
_ALWAYS = ("define", "start", "step", "tick")


def finds(kind: str, *rules: str, examples: int = 24) -> Check:
    """Return a check that fails when the machine, with these rules, meets a violation of the kind."""

    def check(b: Bench) -> None:
        seen = search.search(b.dsn, examples, 30, only=kind, rules=(*_ALWAYS, *rules))
        found = [(what, one) for what, one in seen.found.items() if seen.over]
        must(not found, "; ".join(f"{what} (example {one.example})" for what, one in found))

    check.__doc__ = f"The state machine finds no {kind}."
    return check
