"""The flows of the bench as definitions for `publish`."""

from __future__ import annotations

from typing import Any

FLOW = "bench"
FIFTY = "bench_fifty"
SETS = {"tr_a2": "a2='done'", "tr_a3": "a3='done'", "tr_final": "a1='final'"}
"""what each transition sets, as the SET clause of the paper's clients"""


def figure2(name: str = FLOW) -> dict[str, Any]:
    """Return figure 2 of the paper: tr_a2 and tr_a3 in parallel, then tr_final, then final."""
    return {
        "flow": name,
        "attributes": [
            {"name": "a1", "type": "text", "default": "ready"},
            {"name": "a2", "type": "text"},
            {"name": "a3", "type": "text"},
        ],
        "triggers": [
            _trigger("t1", "tr_a2", "a1 = 'ready' and a2 is null", "3 days 18 hours"),
            _trigger("t2", "tr_a3", "a1 = 'ready' and a3 is null", "30 seconds"),
            _trigger("tf", "tr_final", "a1 = 'ready' and a2 is not null and a3 is not null", "10 seconds"),
            {"name": "end", "predicate": "a1 <> 'ready'", "final": True},
        ],
    }


def wide(name: str, triggers: int) -> dict[str, Any]:
    """Return figure 2 with this number of triggers; the additional ones test a fourth attribute."""
    definition = figure2(name)
    definition["attributes"].append({"name": "a4", "type": "integer", "default": "0"})
    definition["triggers"] += [
        _trigger(f"x{number}", f"tr_x{number}", f"a1 = 'ready' and a4 = {number}", "1 hour")
        for number in range(1, triggers - 3)
    ]
    return definition


def fifty() -> dict[str, Any]:
    """Return fifty transitions in sequence, each of which adds one."""
    return {
        "flow": FIFTY,
        "attributes": [{"name": "n", "type": "integer", "default": "1"}],
        "triggers": [
            *(_trigger(f"s{n}", f"tr_s{n}", f"n = {n}", "1 minute") for n in range(1, 51)),
            {"name": "end", "predicate": "n > 50", "final": True},
        ],
    }


def _trigger(name: str, transition: str, predicate: str, timeout: str) -> dict[str, Any]:
    return {
        "name": name,
        "transition": transition,
        "condition": f"c_{name}",
        "predicate": predicate,
        "timeout": timeout,
        "mode": "transaction",
    }
