"""Named conditions and transitions in the designer: which rules share one, and those that no rule has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flows import api
from flows.designer.draft.content import Design
from flows.designer.draft.edits import sharers

CONDITION, TRANSITION = "condition", "transition"


@dataclass(frozen=True)
class Sharing:
    """A named condition, and the other rules that have it, or have another condition under its name."""

    name: str
    same: Sequence[Any]
    different: Sequence[Any]


@dataclass(frozen=True)
class Unused:
    """A condition or transition that no rule has, with the address of a new rule that has it."""

    name: str
    text: str
    address: str


def stored(design: Design) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the named conditions and transitions that are kept without a rule, too."""
    return api.drafts.named_objects(design.name) if design.flow else {}


def sharing(design: Design, place: int, rows: Sequence[Any]) -> Sharing | None:
    """Return which rules share the condition of the one at a place; None if it is no named condition.

    `rows` is what the page shows of the rules, in their order.
    """
    rules = design.definition["triggers"]
    name = rules[place].get(CONDITION)
    if not isinstance(name, str) or not name:
        return None
    same = sharers(rules, place)
    named = [n for n, each in enumerate(rules) if n != place and each.get(CONDITION) == name]
    if not named and (CONDITION, name) not in stored(design):
        return None
    return Sharing(name, [rows[n] for n in same], [rows[n] for n in named if n not in same])


def known(design: Design) -> dict[str, str]:
    """Return the named conditions with their texts; the first, if rules have several under one name."""
    pairs = [(each.get(CONDITION), each.get("predicate")) for each in reversed(design.definition["triggers"])]
    used = {name: text for name, text in pairs if name and isinstance(name, str) and isinstance(text, str)}
    objects = stored(design).items()
    kept = {name: str(each["predicate"]) for (kind, name), each in objects if kind == CONDITION}
    return dict(sorted((kept | used).items()))


def begun(design: Design, name: str, transition: str) -> dict[str, Any]:
    """Return the values of a new rule with this condition or this transition, if there are such."""
    values: dict[str, Any] = {}
    if name in (texts := known(design)):
        values |= {CONDITION: name, "predicate": texts[name]}
    if (TRANSITION, transition) in (objects := stored(design)):
        values |= {TRANSITION: transition, **objects[TRANSITION, transition]}
    return values


def unused(design: Design) -> list[tuple[str, list[Unused]]]:
    """Return the conditions and the transitions that no rule of the draft has, by their kind."""
    found: dict[str, list[Unused]] = {}
    for (kind, name), content in stored(design).items():
        if not any(each.get(kind) == name for each in design.definition["triggers"]):
            text = str(content.get("predicate") or content.get("timeout") or "")
            address = f"?{urlencode({'rule': 'new', kind: name})}#panel"
            found.setdefault(kind, []).append(Unused(name, text, address))
    return list(found.items())
