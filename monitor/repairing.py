"""What a person who repairs an instance reads: what its rules lack, and what would follow from new values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows import filling
from flows.api.reasons import InstanceReasons
from flows.api.repairing import RepairPreview
from flows.designer.values import as_text
from flows.errors import WedError
from flows.labels import translate_label
from flows.queries.definitions import FlowInfo
from monitor.shown_reasons import ShownRule, shown_rule
from pages.labels import SYSTEM_JOB, SYSTEM_STEP

State = Mapping[str, Any]
# Rules that say what they need, the nearest first; more can be seen on the page "Why".
NEAREST = 5


@dataclass(frozen=True)
class Missing:
    """A rule that does not hold; `values` would make it hold, None if its condition does not say which."""

    shown: ShownRule
    values: Mapping[str, Any] | None


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
class ShownPreview:
    """What would follow: one sentence, the values that change, and rules and jobs by their titles."""

    outcome: str
    cells: list[Cell]
    fires: list[str]
    now_true: list[str]
    now_false: list[str]
    withdrawn: list[str]
    refusal: WedError | None


def missing(found: InstanceReasons, flow: FlowInfo, attributes: Sequence[Mapping[str, Any]]) -> list[Missing]:
    """Return the rules that do not hold, nearest first, each with the values that it needs."""
    titles = {name: str(label) for name, label in (SYSTEM_STEP | SYSTEM_JOB).items()} | flow.transition_titles
    labels = {name: translate_label(label) for name, label in found.labels.items()}
    names = {one["name"] for one in attributes}
    return [
        Missing(shown_rule(rule, labels, titles), filling.rule(rule.obstacles, names))
        for rule in found.nearest[:NEAREST]
    ]


def filled(rules: Sequence[Missing], number: str) -> Mapping[str, Any]:
    """Return the values of the rule with this number; none if there is no such rule."""
    return next((one.values or {} for one in rules if str(one.shown.rule.id) == number), {})


def moved(before: State, now: State, yours: State, flow: FlowInfo) -> list[Moved]:
    """Return the attributes that changed from one state to the other, with what the person wants."""
    return [
        Moved(
            one.title, one.type, _text(before.get(one.name)), _text(now.get(one.name)),
            _text(yours.get(one.name)), one.name in yours,
        )
        for one in flow.attributes
        if before.get(one.name) != now.get(one.name)
    ]  # fmt: skip


def shown(preview: RepairPreview, flow: FlowInfo) -> ShownPreview:
    """Return a preview in the words of the flow."""
    titles = {one.tgid: one.title for one in flow.triggers}
    fired = {each.trigger for each in preview.fires}
    cells = [
        Cell(one.title, one.type, _text(preview.before.get(one.name)), _text(preview.after.get(one.name)))
        for one in flow.attributes
        if one.name in preview.before or one.name in preview.after
    ]
    return ShownPreview(
        _outcome(preview),
        cells,
        [titles.get(each.trigger, each.transition) for each in preview.fires],
        [titles[each] for each in preview.became_true if each in titles and each not in fired],
        [titles[each] for each in preview.became_false if each in titles],
        [titles.get(each.trigger, each.transition) for each in preview.withdrawn],
        preview.refusal,
    )


def _outcome(preview: RepairPreview) -> str:
    if preview.status_after == "F":
        return _("The instance becomes final.")
    if preview.status_after == "E":
        if preview.status_before == "E":
            return _("The instance stays an exception: no rule continues it.")
        return _("The instance becomes an exception: no rule continues it.")
    return _("The instance runs again.") if preview.status_before == "E" else _("The instance runs.")


def _text(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else as_text(value)
