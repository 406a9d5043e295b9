"""Differences and problems of definitions, and the values of their conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two definitions: the old and the new value.

    A setting is an object with one option. `old` is empty for what was added, `new` for what was removed.
    """

    part: Literal["setting", "attribute", "trigger"]
    kind: Literal["added", "changed", "removed"]
    old: dict[str, Any]
    new: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PublishReport:
    """Counts of what publishing changed, or would change (dry_run), in the definition and in instances.

    `left` is the number of living instances that are still to be re-matched, `failed` of those that could not
    be and stay as they are, `failed_sample` has some of them.
    """

    version: int
    dry_run: bool
    attributes_added: int = 0
    attributes_changed: int = 0
    attributes_removed: int = 0
    triggers_added: int = 0
    triggers_changed: int = 0
    triggers_removed: int = 0
    checked: int = 0
    changed: int = 0
    left_exception: int = 0
    new_exception: int = 0
    final: int = 0
    reopened: int = 0
    fired: dict[str, int] = field(default_factory=dict)
    left: int = 0
    failed: int = 0
    failed_sample: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason for which a definition cannot be published.

    `path` leads to it: ("triggers", 3, "predicate"). `position` (from 1) and `length` are those of characters
    in a condition.
    """

    path: tuple[str | int, ...]
    position: int | None
    length: int | None
    code: str
    message: str
    hint: str = ""
    reason: str = ""
    severity: Literal["error", "warning", "info"] = "error"


@dataclass(frozen=True, slots=True)
class Truths:
    """The values of a definition's conditions on one state.

    `held` has a letter for each trigger in its place: t true, f false, u unknown, e failed. `errors` has
    SQLSTATE and message of those that failed.
    """

    held: str
    errors: dict[int, tuple[str, str]] = field(default_factory=dict)


class ConditionFunction(NamedTuple):
    """One function that a condition may call."""

    name: str
    arguments: str
    returns: str


@dataclass(frozen=True, slots=True)
class Completions:
    """What a condition may contain besides attributes."""

    functions: list[ConditionFunction]
    keywords: list[str]
    operators: list[str]
    types: list[str]


@dataclass(frozen=True, slots=True)
class AutomaticStep:
    """A step of a trial that the database performed: its trigger, what it changed and fired, or its error."""

    trigger: int
    changes: dict[str, Any]
    fired: list[int]
    error: str


REPAIR = -1  # in place of a trigger: the exception is completed


@dataclass(frozen=True, slots=True)
class Situation:
    """An invented instance after a step of a trial. Triggers are named by their places in the definition.

    `held` has the value of each condition, as in Truths; `fired`, `withdrawn` and `errors` are those of the
    last step, and `automatic` is what the database performed after it. `stored` is the whole as JSON, which
    the next step needs.
    """

    state: dict[str, Any]
    status: str
    reason: str | None
    held: str
    fired: list[int]
    pending: list[int]
    parked: list[int]
    waiting: dict[int, str]
    withdrawn: list[int]
    errors: dict[int, str]
    stored: dict[str, Any]
    automatic: list[AutomaticStep] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a condition with its value on a state, and the values of the attributes in it."""

    kind: Literal["and", "or", "not", "leaf"]
    position: int
    text: str
    value: str
    attributes: dict[str, Any]

    @property
    def sentence(self) -> str:
        """Return it in words: payment = 'paid' is false: payment is 'declined'."""
        values = ", ".join(f"{name} is {_as_sql(value)}" for name, value in self.attributes.items())
        return f"{self.text} {_VALUES[self.value]}" + (f": {values}" if values else "")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The value of a condition on a state, and the fewest parts that would have to change for it to hold."""

    value: str
    obstacles: list[Part]


_VALUES = {"t": "is true", "f": "is false", "u": "is unknown", "e": "fails"}


def _as_sql(value: Any) -> str:
    if value is None:
        return "null"
    return (
        repr(value).lower()
        if isinstance(value, bool)
        else f"'{value}'"
        if isinstance(value, str)
        else str(value)
    )


def obstacles(parts: Mapping[str, Part], path: str, wanted: str) -> list[tuple[str, str]]:
    """Return the fewest leaves that would have to change for a part to have the wanted value, by their paths.

    Each is with the value that it needs. An AND needs all of its parts to be true and one to be false, an OR
    the other way round.
    """
    part = parts[path]
    if part.value == wanted:
        return []
    if part.kind == "leaf":
        return [(path, wanted)]
    needed = wanted if part.kind != "not" else {"t": "f", "f": "t"}[wanted]
    below = [obstacles(parts, one, needed) for one in _below(parts, path)]
    if part.kind == "not" or (part.kind == "and") == (wanted == "t"):
        return [leaf for leaves in below for leaf in leaves]
    return min(below, key=len)


def alternatives(
    parts: Mapping[str, Part], path: str, wanted: str, most: int = 4
) -> list[list[tuple[str, str]]]:
    """Return the ways in which a part gets the wanted value, each as `obstacles`, the shortest first.

    A condition with several alternatives has as many ways. At most `most` are returned.
    """
    part = parts[path]
    if part.value == wanted:
        return [[]]
    if part.kind == "leaf":
        return [[(path, wanted)]]
    needed = wanted if part.kind != "not" else {"t": "f", "f": "t"}[wanted]
    below = [alternatives(parts, one, needed, most) for one in _below(parts, path)]
    if part.kind == "not" or (part.kind == "and") == (wanted == "t"):
        ways: list[list[tuple[str, str]]] = [[]]
        for each in below:
            ways = sorted(([*way, *more] for way in ways for more in each), key=len)[:most]
        return ways
    return sorted((way for each in below for way in each), key=len)[:most]


def _below(parts: Mapping[str, Part], path: str) -> list[str]:
    depth = path.count(".") + 2 if path else 1
    start = f"{path}." if path else ""
    return [one for one in parts if one and one.startswith(start) and one.count(".") + 1 == depth]
