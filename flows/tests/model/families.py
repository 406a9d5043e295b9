"""Random small flows: a few attributes, a handful of triggers with any of the options, and edits of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

NUMBERS = ("a", "b", "c")
ATTRIBUTES = [{"name": name, "type": "integer", "default": "0"} for name in NUMBERS] + [
    {"name": "d", "type": "timestamptz"},
    {"name": "e", "type": "date"},
    {"name": "i", "type": "interval"},
    {"name": "p", "type": "text"},
]
TRANSITIONS = ["tr_x", "tr_y", "tr_z"]
FINALS = st.sampled_from(["c = 2", "a = 2 and b = 2", "a = 2"])
# d is in minutes and e in days from the machine's time; the machine writes them as a timestamp and a date.
states = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(NUMBERS, st.integers(0, 2))
    | {
        "d": st.sampled_from([None, 3, 10, -5]),
        "e": st.sampled_from([None, 0, 1]),
        "i": st.sampled_from([None, "1 day 02:00:00", "-1 days +03:00:00"]),
        "p": st.sampled_from([None, "ana", "role:Boss"]),
    },
)

# Each is true of some states and false of others: a predicate that is never true leads nowhere.
_atom = st.one_of(
    st.builds(
        "{} {}".format, st.sampled_from(NUMBERS), st.sampled_from(["= 0", "= 1", "= 2", "< 2", "> 0", "<> 1"])
    ),
    st.sampled_from(["d is not null", "e is null", "c < 3", "c > 3"]),
)
_failing = st.just("1 / c = 1")  # fails if c is 0
predicates = st.one_of(
    _atom,
    st.builds("{} and {}".format, _atom, _atom),
    st.builds("{} or {}".format, _atom, _atom),
    st.builds("({}) and {}".format, _failing, _atom),
)
OUTCOMES = [None, ["FAILED"], ["Done: a = 2", "FAILED: b = 2"], ["One: b = b + 1", "Two"], ["One: a = 1 / c"]]
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "revalidate": st.sampled_from(["none", "at_take", "withdraw"]),
    "mode": st.sampled_from(["auto", "transaction", "lease"]),
    "max_attempts": st.integers(1, 3),
    "max_firings": st.integers(1, 4),
    "due_after": st.sampled_from(["2 minutes", "1 day", None]),
    "due_attr": st.sampled_from(["d", "e", None]),
    "fire_once": st.booleans(),
    "refresh_payload": st.booleans(),
    "concurrent": st.booleans(),
    "priority": st.integers(-1, 1),
    "signal": st.booleans(),
    "keep": st.sampled_from([None, "10 minutes"]),
    "mutex": st.just("m"),
    "lock": st.sampled_from(["one", "/all {a}"]),
    "writes": st.sampled_from([["a", "b"], ["a", "b", "c", "d", "e", "i", "p"]]),
    "pickup_deadline": st.just("10 minutes"),
    "on_error": st.sampled_from(["exception", "false", "abort"]),
    "enabled": st.booleans(),
    "timeout": st.sampled_from(["1 minute", "5 minutes", None]),
    "performer": st.sampled_from(["worker", "person", "person"]),
    "role": st.sampled_from(["", "Clerk", "Boss"]),
    "candidate": st.just("p"),
    "not_by": st.sampled_from([["tr_x"], ["tr_y", "tr_z"]]),
    "same_as": st.sampled_from(["tr_x", None]),
    "deadline": st.sampled_from(["2 minutes", "1 day", None]),
    "outcomes": st.sampled_from(OUTCOMES),
    "offline": st.booleans(),
    "sets_when_taken": st.sampled_from([None, "b = 1", "a = a + 1", "b = 1 / c"]),
}
# Values at the edge of what PostgreSQL can compute; a definition may be rejected, but no round may end on
# them.
EXTREMES: dict[str, Any] = {
    "pickup_deadline": "300000 years",
    "backoff": "170000000 years",
    "due_after": "290000 years",
    "timeout": "1000 years",
}


# Flows of which people perform most.
PERSONS: list[dict[str, Any]] = [
    {"performer": "person", "role": "Clerk", "offline": True},
    {"performer": "person", "role": "Boss", "outcomes": OUTCOMES[2], "revalidate": "withdraw"},
    {"performer": "person", "candidate": "p", "deadline": "2 minutes", "max_attempts": 1},
    {"performer": "person", "role": "Clerk", "not_by": ["tr_x"], "revalidate": "at_take"},
    {"performer": "person", "role": "Clerk", "sets_when_taken": "b = 1", "fire_once": True},
]
# Options shared by most triggers of one flow, so that an option often occurs twice.
THEMES: list[dict[str, Any]] = [
    {},
    {"due_after": "2 minutes"},
    {"due_attr": "d"},
    {"due_attr": "e"},
    {"max_attempts": 1},
    {"max_firings": 1},
    {"revalidate": "withdraw"},
    {"revalidate": "at_take"},
    {"pickup_deadline": "10 minutes"},
    {"due_after": "2 minutes", "on_error": "false", "predicate": "1 / c = 1 or c < 3"},
    {"due_after": "2 minutes", "on_error": "abort", "predicate": "1 / c = 1 or c < 3"},
    {"max_attempts": 1, "revalidate": "withdraw"},
    {"mutex": "m"},
    {"lock": "one"},
    {"signal": True},
    {"signal": True, "keep": "10 minutes"},
    *PERSONS,
]


_FINAL_TIMES = st.sampled_from([{}, {}, {}, {"due_after": "2 minutes"}, {"due_attr": "d"}])


@st.composite
def triggers(draw: st.DrawFn) -> dict[str, Any]:
    """Draw one trigger as a definition contains it."""
    chosen = draw(st.sets(st.sampled_from(sorted(OPTIONS)), max_size=2))
    return {
        "transition": draw(st.sampled_from(TRANSITIONS)),
        "predicate": draw(predicates),
        "timeout": draw(OPTIONS["timeout"]),
        "backoff": "10 seconds",
    } | {name: draw(OPTIONS[name]) for name in sorted(chosen)}


@st.composite
def definitions(draw: st.DrawFn, themes: Sequence[dict[str, Any]] = THEMES) -> dict[str, Any]:
    """Draw a whole flow with one theme; three of four have a final condition."""
    found = draw(st.lists(triggers(), min_size=2, max_size=4))
    theme = draw(st.sampled_from(themes))
    for number, trigger in enumerate(found):
        if draw(st.integers(0, 2)):
            trigger |= theme
        trigger["condition"] = f"c{number}"
    if draw(st.integers(0, 3)):
        found.append({"predicate": draw(FINALS), "final": True} | draw(_FINAL_TIMES))
    return {
        "final_when_pending": draw(st.sampled_from(["reject", "defer", "cancel"])),
        "retention": draw(st.sampled_from([None, "1 minute"])),
        "attributes": ATTRIBUTES,
        "triggers": found,
    }


# One option of one trigger, changed while it has jobs.
options = st.sampled_from(sorted(OPTIONS)).flatmap(lambda name: st.tuples(st.just(name), OPTIONS[name]))
