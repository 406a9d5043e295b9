"""What would follow from new values of an instance, as a person who repairs it reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows.capabilities.recovery.api import RepairPreview
from flows.designer.trial.values import as_text
from flows.errors import WedError
from flows.queries.definitions import FlowInfo
from flows.queries.jobs import OpenJob

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


def failed(job: OpenJob, flow: FlowInfo, status: str) -> str:
    """Return the purpose of a job that failed; the job of a compensation belongs to the step it undoes."""
    title = next((one.title for one in flow.triggers if one.tgid == job.tgid), job.transition)
    if status != "X":
        return title
    by = flow.transition_titles.get(job.transition, job.transition)
    return _("%(by)s, to undo “%(step)s”") % {"by": by, "step": title}


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
