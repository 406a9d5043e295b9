"""Checks of what a definition says of the people who perform its tasks, and of when these are due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint.findings import Finding, Rule, identity

ROLE = "role:"
SKILL = "skill:"


@dataclass(frozen=True, slots=True)
class People:
    """The users of a definition who may log in, and all roles that such users have."""

    users: frozenset[str]
    roles: frozenset[str]


def persons(definition: Mapping[str, Any], rules: Sequence[Rule], people: People | None) -> Iterator[Finding]:
    """Return the options about people that nothing reads, and the tasks that no person can perform.

    people: None where it is not known which users there are.
    """
    tasks = [rule for rule in rules if rule.trigger.get("performer") == "person" and rule.enabled]
    yield from _settings(definition, tasks)
    performers = {
        str(rule.trigger.get("transition")): rule for rule in rules if rule.trigger.get("transition")
    }
    for rule in tasks:
        yield from _performed_before(rule, performers)
    if people is not None:
        yield from _unknown(definition, tasks, people)


def named(definition: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...], int]]:
    """Return the names of persons, and with role: of roles, each with its path and the place of its rule.

    The place is -1 for an option of the flow or an attribute.
    """
    if definition.get("responsible"):
        yield str(definition["responsible"]), ("responsible",), -1
    places = {str(one["name"]): place for place, one in enumerate(definition["attributes"])}
    for place, trigger in enumerate(definition["triggers"]):
        if trigger.get("performer") != "person" or not trigger.get("enabled", True):
            continue
        if trigger.get("role"):
            yield f"{ROLE}{trigger['role']}", ("triggers", place, "role"), place
        at = places.get(str(trigger.get("candidate") or ""))
        value = None if at is None else str(definition["attributes"][at].get("default") or "").strip()
        if value:
            yield value, ("attributes", at or 0, "default"), -1


def _settings(definition: Mapping[str, Any], tasks: Sequence[Rule]) -> Iterator[Finding]:
    """Return the options of the flow that no task reads."""
    due = [str(rule.trigger["deadline"]) for rule in tasks if rule.trigger.get("deadline")]
    warnings = [str(one) for one in definition.get("warnings") or ()]
    policy = definition.get("notified") or "all"
    unread: dict[str, str] = {}
    if not due:
        without = _("No rule whose performer is a person has a deadline.")
        unread |= dict.fromkeys(["warnings"] if warnings else [], without)
        unread |= dict.fromkeys(["task_calendar"] if definition.get("task_calendar") else [], without)
    if policy != "all" and not any(rule.trigger.get("role") for rule in tasks):
        unread["notified"] = _("No rule whose performer is a person has a role.")
    if policy == "all" and (definition.get("notified_count") or 1) != 1:
        unread["notified_count"] = _("A task is offered to all who have its role.")
    if definition.get("responsible") and not tasks:
        unread["responsible"] = _("People perform nothing in this flow.")
    for name, why in sorted(unread.items()):
        message = _("The option {name} of the flow has no effect.").format(name=name)
        yield Finding(identity("no_effect", name), "no_effect", "warning", "proved", (name,), message, why)
    if due and any(one.endswith("transfer") for one in warnings) and not definition.get("responsible"):
        message = _("At “transfer” a task goes to the person responsible, and the flow names none.")
        hint = _("It has an effect in instances only for which a person is chosen when they start.")
        yield Finding(
            identity("no_responsible"), "no_responsible", "info", "declared", ("warnings",), message, hint
        )


def _performed_before(rule: Rule, performers: Mapping[str, Rule]) -> Iterator[Finding]:
    """Return the transitions whose performer is looked for in vain, and those that exclude everybody."""
    same, others = rule.trigger.get("same_as"), list(rule.trigger.get("not_by") or ())
    for option, name in [("same_as", same), *(("not_by", each) for each in others)]:
        if name and (why := _not_by_people(performers.get(str(name)))):
            message = _("{rule} asks in {option} who performed {transition}, which no person does.").format(
                rule=rule.title, option=option, transition=name
            )
            more: dict[str, Any] = {"path": ("triggers", rule.place, option), "others": [option, str(name)]}
            yield rule.found("no_person", "warning", "declared", message, hint=why, **more)
    if same and same in others:
        message = _("Whoever performed {transition} alone may perform {rule}, and may not.").format(
            rule=rule.title, transition=same
        )
        hint = _("Remove the transition from same_as or from not_by.")
        path = ("triggers", rule.place, "not_by")
        yield rule.found("no_person", "warning", "proved", message, hint=hint, others=["both"], path=path)


def _not_by_people(rule: Rule | None) -> str:
    """Return why no person performs a transition; "" where one may."""
    if rule is None:
        return _("No rule has this transition.")
    if rule.trigger.get("performer") == "database":
        return _("The database performs it.")
    if rule.trigger.get("child"):
        return _("It starts children.")
    if rule.trigger.get("performer") != "person" and not rule.trigger.get("signal"):
        return _("Workers perform it.")
    return ""


def _unknown(definition: Mapping[str, Any], tasks: Sequence[Rule], people: People) -> Iterator[Finding]:
    """Return the names of persons who may not log in, and of roles that no person has."""
    rules = {rule.place: rule for rule in tasks}
    for name, path, place in named(definition):
        if name.startswith(SKILL):
            continue  # who has a skill changes more often than flows
        if name.startswith(ROLE):
            role = name.removeprefix(ROLE).strip()
            if role in people.roles:
                continue
            message = _("No user who may log in has the role “{role}”.").format(role=role)
            near = get_close_matches(role, people.roles, 1)
            hint = _("A role is a group named “role:{role}”.").format(role=role)
            hint = _("Is “{role}” meant?").format(role=near[0]) if near else hint
        elif name not in people.users:
            message = _("No user who may log in has the name “{name}”.").format(name=name)
            hint = _("A person is named by the user name.")
        else:
            continue
        parts = ("no_person", name, str(path[0]), str(path[-1]))
        number = rules[place].number if place in rules else 0
        yield Finding(identity(*parts), "no_person", "warning", "observed", path, message, hint, rule=number)
