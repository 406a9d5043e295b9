"""Checks of the flows that rules start children in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint import Finding, Rule
from flows.engine.connection import rows


def called(flow: str, definition: Mapping[str, Any], rules: Sequence[Rule], conn: Any) -> Iterator[Finding]:
    """Return the rules whose children cannot start, because their flow or an attribute is not there yet."""
    starting = [rule for rule in rules if rule.trigger.get("child")]
    known = _attributes({str(rule.trigger["child"]) for rule in starting}, conn) if starting else {}
    ending = _ending(set(known), conn) if known else set()
    if any(rule.final and rule.enabled for rule in rules):
        ending.add(flow)
    else:
        ending.discard(flow)
    known[flow] = {str(each["name"]) for each in definition["attributes"]}
    for rule in starting:
        child = str(rule.trigger["child"])
        if child not in known:
            message = _("{rule} starts children in the flow {flow}, which does not exist.")
            hint = _("Until it does, an instance here becomes an exception.")
            yield _found(rule, "no_flow", message.format(rule=rule.title, flow=child), hint, "child", child)
            continue
        if child not in ending and str(rule.trigger.get("child_wait") or "").strip() != "0":
            message = _("{rule} waits for the ends of children, but the flow {flow} has no final condition.")
            hint = _("They never end, so the job is never done.")
            yield _found(rule, "no_end", message.format(rule=rule.title, flow=child), hint, "child", child)
        for name in dict.fromkeys(_set(rule.trigger)):
            if name not in known[child]:
                message = _("{rule} sets the attribute {name} of its children, but the flow {flow} has none.")
                message = message.format(rule=rule.title, name=name, flow=child)
                hint = _("Until it has, an instance here becomes an exception.")
                yield _found(rule, "no_child_attribute", message, hint, "child_set", name)


def _found(rule: Rule, check: str, message: str, hint: str, option: str, other: str) -> Finding:
    path = ("triggers", rule.place, option)
    return rule.found(check, "warning", "observed", message, hint=hint, others=[other], path=path)


def _set(trigger: Mapping[str, Any]) -> Iterator[str]:
    """Return the names of the attributes that a rule sets in its children."""
    for line in trigger.get("child_set") or ():
        yield str(line).partition("=")[0].strip()


def _attributes(flows: set[str], conn: Any) -> dict[str, set[str]]:
    """Return the attributes of those flows that exist."""
    query = """
        select f.name, array(select a.aname::text from wedsql.attr a where a.flow_id = f.id)
        from wedsql.flow f where f.name = any (%s)"""
    return {name: set(names) for name, names in rows(conn, query, (sorted(flows),))}


def _ending(flows: set[str], conn: Any) -> set[str]:
    """Return those of these flows that have a final condition."""
    query = """
        select f.name from wedsql.flow f join wedsql.trig t on t.flow_id = f.id
        where f.name = any (%s) and t.cfinal and t.enabled"""
    return {str(name) for (name,) in rows(conn, query, (sorted(flows),))}
