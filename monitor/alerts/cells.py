"""The cells of a list of rules of alerts."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from flows.capabilities.alerts.api import SavedAlertRule
from monitor.alerts.rows import RuleRow
from pages.cells import Cells, Column, Content, Links, bad, beside, cut, spaced
from pages.clock import Clock
from pages.markup import format_html

LONGEST = 80


def cells(titles: Mapping[str, object]) -> Cells[RuleRow]:
    """Return the maker of the cells of a list of rules."""
    return Cells(titles, _columns())


def _columns() -> dict[str, Column[RuleRow]]:
    clock, links = Clock(), Links()
    return {
        "state": Column(lambda row: state(row, clock)),
        "flow": Column(lambda row: links.to("monitor:flow", row.rule.flow, row.flow_title)),
        "condition": Column(_condition),
        "value": Column(lambda row: row.value, "num"),
        "limit": Column(lambda row: spaced((row.rule.sign, row.limit)), "num"),
        "waits": Column(lambda row: row.waits),
        "started": Column(lambda row: clock.ago(row.rule.active.started_at) if row.rule.active else ""),
        "receivers": Column(lambda row: cut(row.receivers, LONGEST)),
        "author": Column(lambda row: row.rule.changed_by),
        "changed": Column(lambda row: clock.ago(row.rule.changed_at)),
    }


def _condition(row: RuleRow) -> Content:
    about = format_html('<span class="mono small">{}</span>', cut(row.about, LONGEST))
    return spaced((row.kind, about))


def state(row: RuleRow, clock: Clock) -> Content:
    """Return the state of a rule, since when it has it, and what a person has done about it."""
    label, colour = row.state
    pill = format_html('<span class="pill pill-{}">{}</span>', colour, label)
    return spaced((pill, *_since(row.rule, clock), *_handled(row.rule, clock)))


def _since(rule: SavedAlertRule, clock: Clock) -> tuple[Content, ...]:
    if rule.active:
        return (bad(_("active")) if rule.error else "", clock.ago(rule.active.started_at))
    return (clock.ago(rule.held_since_at),) if rule.held_since_at and rule.enabled else ()


def _handled(rule: SavedAlertRule, clock: Clock) -> tuple[Content, ...]:
    """Return who has acknowledged the active alert, and until when the rule is silenced."""
    active, until, by = rule.active, rule.silenced_until_at, ""
    if active is not None and active.acknowledged_at:
        by = beside(_("acknowledged by %(name)s") % {"name": active.acknowledged_by})
    silent = beside(spaced((_("silenced until"), clock.moment(until)))) if until else ""
    return (by, silent)
