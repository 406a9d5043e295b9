"""Random small flows: three attributes with three values each, a handful of triggers with random options."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

ATTRIBUTES = ("a", "b", "c")
values = st.integers(0, 2)
states = st.fixed_dictionaries({}, optional=dict.fromkeys(ATTRIBUTES, values))

_atom = st.builds(
    "{} {} {}".format, st.sampled_from(ATTRIBUTES), st.sampled_from(["=", "<", ">", "<>"]), values
)
_failing = st.just("1 / c = 1")  # fails wherever c is 0
predicates = st.one_of(
    _atom,
    st.builds("{} and {}".format, _atom, _atom),
    st.builds("{} or {}".format, _atom, _atom),
    st.builds("({}) and {}".format, _failing, _atom),
)
_options: dict[str, st.SearchStrategy[Any]] = {
    "revalidate": st.sampled_from(["none", "at_take", "withdraw"]),
    "max_attempts": st.integers(1, 3),
    "max_firings": st.integers(1, 4),
    "due_after": st.just("2 minutes"),
    "fire_once": st.booleans(),
    "refresh_payload": st.booleans(),
    "concurrent": st.booleans(),
    "writes": st.just(["a", "b"]),
    "pickup_deadline": st.just("10 minutes"),
    "on_error": st.sampled_from(["exception", "false"]),
    "enabled": st.booleans(),
}


@st.composite
def triggers(draw: st.DrawFn) -> dict[str, Any]:
    """One trigger as a definition writes it."""
    chosen = draw(st.sets(st.sampled_from(sorted(_options)), max_size=2))
    return {
        "transition": draw(st.sampled_from(["tr_x", "tr_y", "tr_z"])),
        "predicate": draw(predicates),
        "timeout": draw(st.sampled_from(["1 minute", "5 minutes"])),
        "backoff": "10 seconds",
    } | {name: draw(_options[name]) for name in sorted(chosen)}


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """A whole flow that has a final condition more often than not."""
    found = draw(st.lists(triggers(), min_size=2, max_size=5))
    for number, trigger in enumerate(found):
        trigger["condition"] = f"c{number}"
    if draw(st.integers(0, 3)):
        found.append({"predicate": draw(st.sampled_from(["c = 2", "a = 2 and b = 2"])), "final": True})
    return {
        "final_when_pending": draw(st.sampled_from(["reject", "defer", "cancel"])),
        "attributes": [{"name": name, "type": "integer", "default": "0"} for name in ATTRIBUTES],
        "triggers": found,
    }
