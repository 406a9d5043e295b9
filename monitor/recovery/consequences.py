"""What a person who repairs an instance reads: what its rules lack, and what would follow from new values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows.capabilities.reasons import form_values
from flows.capabilities.reasons.api import InstanceReasons, Obstacle, RuleReason
from flows.capabilities.recovery.api import RepairPreview
from flows.designer.trial.values import as_text
from flows.errors import WedError
from flows.labels import translate_label
from flows.queries.definitions import FlowInfo
from flows.queries.jobs import OpenJob
from monitor.reasons.rows import ShownObstacle, ShownRule, shown_rule
from pages.labels import SYSTEM_TITLES

State = Mapping[str, Any]
# What becomes of an instance, by the status that it gets.
OUTCOME = {
    "R": gettext_lazy("The instance runs."),
    "E": gettext_lazy("The instance becomes an exception: no rule continues it."),
    "F": gettext_lazy("The instance becomes final."),
    "S": gettext_lazy("The instance is suspended."),
    "X": gettext_lazy("Workers undo the steps, the last one first; no other job is offered meanwhile."),
    "A": gettext_lazy("The instance ends as aborted."),
}
# What is said when an operation is done, by the status of the instance; of others that it is repaired.
DONE = {
    "A": gettext_lazy("Instance %(wid)s has ended: its steps are undone."),
    "X": gettext_lazy("The steps of instance %(wid)s are being undone."),
    "E": gettext_lazy("The change of instance %(wid)s is applied, but no rule continues it yet."),
}
# Why a replay does not use the result of a step again.
CALLED = {
    "changed": gettext_lazy("what it reads changed"),
    "compensated": gettext_lazy("its effect is undone"),
    "call": gettext_lazy("its rule asks for a worker"),
}
# Rules that say what they need, the nearest first; more can be seen on the page "Why".
NEAREST = 5
# The types of which a person may decide a value; those of others are facts, which a person has to find out.
KNOWABLE = ("text", "enum", "boolean")


@dataclass(frozen=True)
class Helped:
    """What persons wrote into an attribute, and how many such cases reached their final state after it.

    `value` is what they all wrote, where they did (`is_same`).
    """

    final: int
    is_same: bool
    value: Any


@dataclass(frozen=True)
class Way:
    """What a rule needs by one alternative of its condition; `values` would do, if a person can know them.

    `key` names it in a form.
    """

    key: str
    obstacles: Sequence[ShownObstacle]
    values: Mapping[str, Any] | None


@dataclass(frozen=True)
class Missing:
    """A rule that does not hold, with the ways in which it would hold."""

    shown: ShownRule
    ways: Sequence[Way]


@dataclass(frozen=True)
class Cell:
    """The value of an attribute before and after; None is null."""

    title: str
    type: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Moved:
    """An attribute that another user changed: as the person saw it, as it is, and what the person wants."""

    title: str
    type: str
    before: str | None
    now: str | None
    yours: str | None
    is_changed: bool


@dataclass(frozen=True)
class Undone:
    """A step that is undone: by a transition, "" for the database itself, None for nothing."""

    seq: int
    title: str
    by: str | None


@dataclass(frozen=True)
class Replayed:
    """A step whose result a replay uses again, or why it does not."""

    seq: int
    title: str
    why: str


@dataclass(frozen=True)
class ShownPreview:
    """What would follow: one sentence, the values that change, and rules and jobs by their titles."""

    outcome: str
    cells: list[Cell]
    fires: list[str]
    now_true: list[str]
    now_false: list[str]
    withdrawn: list[str]
    undone: list[Undone]
    reused: list[Replayed]
    called: list[Replayed]
    refusal: WedError | None


def done(operation: str, status: str) -> str:
    """Return the message after an operation, by the status of the instance; %(wid)s is its number."""
    if operation == "discard_late":
        return _("The late result of instance %(wid)s is discarded.")
    return str(DONE.get(status) or _("Instance %(wid)s is repaired."))


def missing(
    found: InstanceReasons,
    flow: FlowInfo,
    attributes: Sequence[Mapping[str, Any]],
    helped: Mapping[str, Sequence[Helped]] | None = None,
) -> list[Missing]:
    """Return the rules that do not hold, each with the values that it needs.

    `helped` has what persons wrote in such cases, by attribute: first come the rules that need this, and only
    this is proposed. Then follow the nearest; of those as near, rules whose transition has been done before
    come last: a repair is to go on. Without such cases, an amount, a time or a date is a fact, and never
    proposed. So is what a transition wrote, except where it is then done again, and for the final condition,
    by which a person says what was done by hand.
    """
    titles = {**SYSTEM_TITLES.all(), **flow.transition_titles}
    labels = found.labels.translated(translate_label)
    names = {one["name"] for one in attributes if one.get("type", "text") in KNOWABLE}
    helps = helped or {}
    ways = {
        rule.id: [_proposed(rule, way, names, flow, helps) for way in rule.ways] for rule in found.nearest
    }
    ranked = sorted(found.nearest, key=lambda one: (-_help(one, helps), len(one.obstacles), one.is_done))
    shown = sorted(ranked, key=lambda one: not any(ways[one.id]))[
        :NEAREST
    ]  # none that can be filled in is left out
    return [
        _missing(rule, shown_rule(rule, labels, titles), ways[rule.id]) for rule in ranked if rule in shown
    ]


def _proposed(
    rule: RuleReason,
    way: Sequence[Obstacle],
    names: Collection[str],
    flow: FlowInfo,
    helped: Mapping[str, Sequence[Helped]],
) -> Mapping[str, Any] | None:
    """Return the values that a person can know of what a way of a rule needs; None if there are others."""
    values = form_values.rule(way, names)
    if values is None or (rule.final and not helped):
        return values
    if helped:
        return values if all(_final(name, values, helped) for name in values) else None
    others = {one.transition for one in flow.triggers if one.transition != rule.transition}
    written = {name: write.by for one in way for name, write in one.written.items()}
    return None if any(written.get(name) in others for name in values if values[name] is not None) else values


def _help(rule: RuleReason, helped: Mapping[str, Sequence[Helped]]) -> int:
    """Return in how many cases persons helped with what one of the ways needs."""
    return max((_help_of(way, helped) for way in rule.ways), default=0)


def _help_of(way: Sequence[Obstacle], helped: Mapping[str, Sequence[Helped]]) -> int:
    names = {name for one in way for name in one.now}
    values = form_values.rule(way, names) or {}
    return min((_final(name, values, helped) for name in names), default=0)


def _final(name: str, values: Mapping[str, Any], helped: Mapping[str, Sequence[Helped]]) -> int:
    """Return the most cases that were helped by this value of an attribute, or by any where none is given."""
    found = helped.get(name, ())
    if name in values:
        wanted = plain_text(values[name])
        found = [one for one in found if not one.is_same or plain_text(one.value) == wanted]
    return max((one.final for one in found), default=0)


def _missing(rule: RuleReason, shown_as: ShownRule, proposed: Sequence[Mapping[str, Any] | None]) -> Missing:
    every = zip(proposed, (shown_as.obstacles, *shown_as.others), strict=True)
    return Missing(
        shown_as,
        [
            Way(f"{rule.id}.{n}" if n else str(rule.id), obstacles, values)
            for n, (values, obstacles) in enumerate(every)
        ],
    )


def failed(job: OpenJob, flow: FlowInfo, status: str) -> str:
    """Return the purpose of a job that failed; the job of a compensation belongs to the step it undoes."""
    title = next((one.title for one in flow.triggers if one.tgid == job.tgid), job.transition)
    if status != "X":
        return title
    by = flow.transition_titles.get(job.transition, job.transition)
    return _("%(by)s, to undo “%(step)s”") % {"by": by, "step": title}


def filled(rules: Sequence[Missing], key: str) -> Mapping[str, Any]:
    """Return the values of the way with this key; none if there is no such way."""
    return next((way.values or {} for one in rules for way in one.ways if way.key == key), {})


def moved(before: State, now: State, yours: State, flow: FlowInfo) -> list[Moved]:
    """Return the attributes that changed from one state to the other, with what the person wants."""
    return [
        Moved(
            one.title, one.type, plain_text(before.get(one.name)), plain_text(now.get(one.name)),
            plain_text(yours.get(one.name)), one.name in yours,
        )
        for one in flow.attributes
        if before.get(one.name) != now.get(one.name)
    ]  # fmt: skip


def shown(preview: RepairPreview, flow: FlowInfo) -> ShownPreview:
    """Return a preview in the words of the flow."""
    titles = {one.tgid: one.title for one in flow.triggers}
    fired = {each.trigger for each in preview.fires}
    final = {one.tgid for one in flow.triggers if one.final}  # the outcome says it
    # The conditions of an instance that ends matter no more.
    ends = preview.status_after in "FAC" and "instance" not in preview.facts
    rules = {} if ends else titles
    cells = [
        Cell(
            one.title,
            one.type,
            plain_text(preview.before.get(one.name)),
            plain_text(preview.after.get(one.name)),
        )
        for one in flow.attributes
        if one.name in preview.before or one.name in preview.after
    ]
    return ShownPreview(
        _outcome(preview),
        cells,
        [titles.get(each.trigger, each.transition) for each in preview.fires],
        [rules[each] for each in preview.became_true if each in rules and each not in fired | final],
        [rules[each] for each in preview.became_false if each in rules],
        [titles.get(each.trigger, each.transition) for each in preview.withdrawn],
        list(_undone(preview, flow.transition_titles)),
        list(_replayed(preview, "reused", flow.transition_titles)),
        list(_replayed(preview, "called", flow.transition_titles)),
        preview.refusal,
    )


def _undone(preview: RepairPreview, titles: Mapping[str, str]) -> Iterator[Undone]:
    """Yield the steps that would be undone, in this order, with the words of the flow."""
    for one in preview.facts.get("compensations", ()):
        by = one["compensated_by"]
        yield Undone(one["seq"], titles.get(one["transition"], one["transition"]), by and titles.get(by, by))


def _replayed(preview: RepairPreview, kind: str, titles: Mapping[str, str]) -> Iterator[Replayed]:
    """Yield the steps whose results a replay uses again ("reused"), or does not ("called")."""
    for one in preview.facts.get(kind, ()):
        title = titles.get(one["transition"], one["transition"])
        yield Replayed(one["seq"], title, str(CALLED.get(one.get("why", ""), "")))


def _outcome(preview: RepairPreview) -> str:
    if "instance" in preview.facts:
        return _("A new instance begins with these values.")
    if preview.status_after == preview.status_before and preview.status_after in "FACS":
        return _("The instance stays as it is.")
    if preview.status_after == preview.status_before == "E":
        return _("The instance stays an exception: no rule continues it.")
    if preview.status_before == "E" and preview.status_after == "R":
        return _("The instance runs again.")
    return str(OUTCOME.get(preview.status_after, ""))


def plain_text(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else as_text(value)
