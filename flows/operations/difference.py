"""What has to be done to one definition to make it another, as migration operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Options
from flows.operations.attributes import AddAttribute, AlterAttribute, RemoveAttribute
from flows.operations.base import FlowOperation
from flows.operations.flows import AlterFlow
from flows.operations.triggers import IDENTITY, AddTrigger, AlterTrigger, RemoveTrigger

Definition = dict[str, Any]
Words = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """A trigger as it was and as it is."""

    old: Words
    new: Words


def settings(definition: Definition) -> Words:
    """The settings of a flow that are not the usual ones."""
    return FLOW.given({word: definition.get(word) for word in FLOW})


def unnamed(attribute: Words) -> Words:
    """What an attribute is told beside its name."""
    return {word: value for word, value in ATTRIBUTE.given(attribute).items() if word != "name"}


def difference(flow: str, old: Definition, new: Definition) -> list[FlowOperation]:
    """The operations that lead from old to new, in an order in which each of them is allowed."""
    return list(_in_order(flow, old, new, alter=True))


def careful_difference(flow: str, old: Definition, new: Definition) -> list[FlowOperation]:
    """As difference, but a changed trigger leaves before the attributes change and comes back after them."""
    return list(_in_order(flow, old, new, alter=False))


def _in_order(flow: str, old: Definition, new: Definition, alter: bool) -> Iterator[FlowOperation]:
    pairs, gone, added = match_triggers(old["triggers"], new["triggers"])
    changed = [pair for pair in pairs if pair.old != pair.new]
    if not alter:
        gone, added, changed = [*gone, *(p.old for p in changed)], [*added, *(p.new for p in changed)], []
    was, now = _by_name(old), _by_name(new)
    yield from _settings(flow, old, new)
    yield from (RemoveTrigger(flow, TRIGGER.given(trigger)) for trigger in gone)
    for name, attribute in now.items():
        yield from _attribute(flow, name, was.get(name), attribute)
    for pair in sorted(changed, key=lambda pair: bool(pair.new.get("final"))):
        yield _alter(flow, pair, old["triggers"], new["triggers"])
    yield from (AddTrigger(flow, TRIGGER.given(trigger)) for trigger in added)
    for name in was.keys() - now.keys():
        yield RemoveAttribute(flow, name, unnamed(was[name]))


def _by_name(definition: Definition) -> dict[str, Words]:
    return {attribute["name"]: attribute for attribute in definition["attributes"]}


def _settings(flow: str, old: Definition, new: Definition) -> Iterator[FlowOperation]:
    changed = [word for word in FLOW if old.get(word) != new.get(word)]
    if changed:
        yield AlterFlow(
            flow, {word: new.get(word) for word in changed}, {word: old.get(word) for word in changed}
        )


def _attribute(flow: str, name: str, old: Words | None, new: Words) -> Iterator[FlowOperation]:
    if old is None:
        yield AddAttribute(flow, name, unnamed(new))
        return
    changes, was = _changes(old, new, ATTRIBUTE)
    if changes:
        yield AlterAttribute(flow, name, changes, was)


def _alter(flow: str, pair: Pair, old: list[Words], new: list[Words]) -> AlterTrigger:
    changes, was = _changes(pair.old, pair.new, TRIGGER)
    return AlterTrigger(flow, _identity(pair, old, new), changes, was)


def _changes(old: Words, new: Words, options: Options) -> tuple[Words, Words]:
    """The new and the old values of the words that differ."""
    defaults = options.defaults
    differing = [word for word in defaults if old.get(word, defaults[word]) != new.get(word, defaults[word])]
    return (
        {word: new.get(word, defaults[word]) for word in differing},
        {word: old.get(word, defaults[word]) for word in differing},
    )


def _identity(pair: Pair, old: list[Words], new: list[Words]) -> Words:
    """The fewest words that mean this trigger and no other, before the change and after it."""
    for words in (("name",), ("transition",), ("name", "transition", "condition"), IDENTITY):
        given = {word: pair.old[word] for word in words if pair.old.get(word) is not None}
        after = {word: pair.new.get(word, TRIGGER[word].default) for word in given}
        if given and _count(old, given) == 1 and _count(new, after) == 1:
            return given
    return {word: value for word, value in pair.old.items() if word in IDENTITY}


def _count(triggers: list[Words], words: Words) -> int:
    return sum(all(trigger.get(word) == value for word, value in words.items()) for trigger in triggers)


def match_triggers(old: list[Words], new: list[Words]) -> tuple[list[Pair], list[Words], list[Words]]:
    """Which trigger of the new definition is which of the old one; those that went; those that came."""
    gone, added, pairs = list(old), list(new), []
    for key in _keys():
        for before in list(gone):
            candidates = [after for after in added if key(after) == key(before)]
            if candidates and key(before) and (len(candidates) == 1 or candidates[0] == before):
                pairs.append(Pair(before, candidates[0]))
                gone.remove(before)
                added.remove(candidates[0])
    return pairs, gone, added


def _keys() -> tuple[Callable[[Words], Any], ...]:
    """From the surest sign that two triggers are one to the weakest that still counts."""
    return (
        lambda trigger: trigger,
        lambda trigger: trigger.get("final"),
        lambda trigger: (trigger.get("name"), trigger.get("transition"), trigger.get("condition")),
        lambda trigger: trigger.get("transition") and (trigger.get("transition"), trigger.get("condition")),
        lambda trigger: trigger.get("name"),
        lambda trigger: trigger.get("transition"),
    )
