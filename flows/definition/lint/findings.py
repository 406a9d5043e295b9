"""What the checks of a definition find."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint.classes import Leaf
from flows.definition.lint.tables import State, Table

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a definition that is allowed and probably not meant.

    `how`: proved for all states, declared (it follows from what the definition says of its transitions), or
    observed in the history or at present. `state` or `instances` show it. `id` stays the same until the texts
    concerned change, so that an acknowledgement can be kept by it.
    """

    id: str
    check: str
    severity: str
    how: str
    path: Path
    message: str
    hint: str = ""
    position: int | None = None
    length: int | None = None
    state: State | None = None
    instances: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Rule:
    """A trigger of the definition with its comparisons and its table; without one where nothing is proved."""

    place: int
    trigger: Mapping[str, Any]
    leaves: Sequence[Leaf]
    table: Table | None

    @property
    def title(self) -> str:
        given = self.trigger.get("name") or self.trigger.get("transition")
        return str(given or _("the final condition"))

    @property
    def path(self) -> Path:
        return "triggers", self.place, "predicate"

    @property
    def reads(self) -> set[str]:
        return {name for leaf in self.leaves for name in leaf.attributes}

    @property
    def sign(self) -> str:
        """Return what identifies the rule as it is."""
        return f"{self.trigger.get('transition')}|{self.trigger['predicate']}"

    def found(
        self, check: str, severity: str, how: str, message: str, *, others: Sequence[str] = (), **more: Any
    ) -> Finding:
        """Return a finding at this rule's condition."""
        return Finding(
            identity(check, self.sign, *others),
            check,
            severity,
            how,
            more.pop("path", self.path),
            message,
            **more,
        )


def identity(*parts: str) -> str:
    """Return the stable name of a finding."""
    return f"{parts[0]}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"


def findings(definition: Mapping[str, Any], rules: Sequence[Rule]) -> Iterator[Finding]:
    """Return what the definition alone shows."""
    attributes = {one["name"]: one for one in definition["attributes"]}
    enabled = [rule for rule in rules if rule.trigger.get("enabled", True)]
    for rule in rules:
        yield from _alone(rule, attributes)
    for one, other in combinations(enabled, 2):
        yield from _pair(one, other)
    yield from _reach(definition, enabled)
    yield from _unused(attributes, rules)


def _alone(rule: Rule, attributes: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    table = rule.table
    if table and "t" not in table.held:
        message = _("The condition of {rule} is true on no state.").format(rule=rule.title)
        yield rule.found("never_true", "warning", "proved", message, hint=_("It never fires."))
    if table and set(table.held) == {"t"}:
        message = _("The condition of {rule} is true on every state.").format(rule=rule.title)
        yield rule.found("always_true", "warning", "proved", message, hint=_("It fires at each step."))
    writes = rule.trigger.get("writes")
    if (
        writes is not None
        and rule.reads
        and not rule.reads & set(writes)
        and not rule.trigger.get("fire_once")
    ):
        message = _("{rule} writes none of the attributes that its condition reads.").format(rule=rule.title)
        hint = _("After it is done its condition still holds, and it fires again.")
        yield rule.found("leaves_itself_true", "warning", "declared", message, hint=hint)
    for leaf in rule.leaves:
        yield from _leaf(rule, leaf, attributes)


def _leaf(rule: Rule, leaf: Leaf, attributes: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    constants = leaf.constants()
    if constants is None:
        return
    name = leaf.attributes[0]
    place: dict[str, Any] = {"position": leaf.position, "length": leaf.length, "others": [str(leaf.position)]}
    if attributes[name].get("type") == "enum":
        for lost in (one for one in constants if one not in [*attributes[name].get("options", []), "null"]):
            message = _("“{value}” is none of the options of {name}.").format(value=lost, name=name)
            options = ", ".join(attributes[name].get("options", []))
            hint = _("Options: {options}.").format(options=options)
            yield rule.found("no_option", "warning", "proved", message, hint=hint, **place)
    if "null" in constants and not {"is", "in", "between"} & {*leaf.words}:
        message = _("A comparison with null is never true.")
        hint = _("Write {name} is null, or is not null.").format(name=name)
        yield rule.found("compared_with_null", "warning", "proved", message, hint=hint, **place)
    elif leaf.negative and attributes[name].get("default") is None:
        message = _("While {name} is null, this is not true.").format(name=name)
        hint = _("Write {name} is distinct from ... if null should count as different.").format(name=name)
        state = rule.table.first("u") if rule.table else None
        yield rule.found("null_is_not_different", "info", "proved", message, hint=hint, state=state, **place)


def _pair(one: Rule, other: Rule) -> Iterator[Finding]:
    if not (one.table and other.table):
        return
    both = one.table.together(other.table)
    shared = set(one.trigger.get("writes") or ()) & set(other.trigger.get("writes") or ())
    if both and shared:
        message = _("{rule} and {other} can be pending together, and both write {names}.").format(
            rule=one.title, other=other.title, names=", ".join(sorted(shared))
        )
        hint = _("The later result replaces the earlier one.")
        yield one.found(
            "both_write", "warning", "proved", message, hint=hint, state=both, others=[other.sign]
        )
    if not (one.reads & other.reads and one.table.first("t") and other.table.first("t")):
        return
    forth, back = one.table.implies(other.table), other.table.implies(one.table)
    if forth and back:
        message = _("The conditions of {rule} and {other} are true on the same states.")
        text = message.format(rule=one.title, other=other.title)
        yield one.found("equal", "warning", "proved", text, others=[other.sign])
    elif forth or back:
        narrow, wide = (one, other) if forth else (other, one)
        message = _("Wherever the condition of {rule} is true, that of {other} is true too.")
        text = message.format(rule=narrow.title, other=wide.title)
        state = narrow.table.first("t") if narrow.table else None
        yield narrow.found("implied", "info", "proved", text, state=state, others=[wide.sign])


def _reach(definition: Mapping[str, Any], rules: Sequence[Rule]) -> Iterator[Finding]:
    if not any(rule.trigger.get("final") for rule in rules):
        message = _("The flow has no final condition.")
        hint = _("No instance ever ends; each that has nothing more to do becomes an exception.")
        yield Finding(identity("no_final"), "no_final", "warning", "declared", ("triggers",), message, hint)
    working = [rule for rule in rules if not rule.trigger.get("final")]
    if any(rule.trigger.get("writes") is None for rule in working):
        return  # a transition that may write everything can make every rule true
    written = {name for rule in working for name in rule.trigger["writes"]}
    start = {one["name"]: one.get("default") for one in definition["attributes"]}
    for rule in (rule for rule in rules if rule.table and not rule.reads & written):
        initial = [
            state
            for state in (rule.table.where("t") if rule.table else ())
            if all(str(state[name]).lower() == str(start[name]).lower() for name in rule.reads)
        ]
        if not initial:
            message = _("No transition writes what the condition of {rule} reads.").format(rule=rule.title)
            hint = _("It can be true only for an instance that is started so.")
            yield rule.found("nothing_makes_true", "info", "declared", message, hint=hint)


def _unused(attributes: Mapping[str, Any], rules: Sequence[Rule]) -> Iterator[Finding]:
    used = {name for rule in rules for name in rule.reads}
    used |= {name for rule in rules for name in rule.trigger.get("writes") or ()}
    used |= {str(rule.trigger.get("due_attr")) for rule in rules}
    for place, name in enumerate(attributes):
        if name not in used:
            message = _("No rule reads {name}, and none declares that it writes it.").format(name=name)
            path = ("attributes", place, "name")
            yield Finding(identity("unused", name), "unused", "info", "declared", path, message)
