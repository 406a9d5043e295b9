"""The cells of a list of proposals."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flows.capabilities.approvals.api import Proposal
from monitor.approvals.rows import Row
from monitor.lists import cells as shown
from pages.cells import Cells, Column, Content, Links, cut, spaced, tag
from pages.clock import Clock
from pages.markup import format_html
from pages.templatetags.wed import number

LONGEST_REASON = 90


def cells(titles: Mapping[str, object], mine: Collection[int], *, closed: bool) -> Cells[Row]:
    """Return the maker of the cells of a list of proposals; `mine` are those that the user can approve."""
    return Cells(titles, _columns(frozenset(mine), closed=closed), shown.attribute(_values))


def _values(row: Row) -> shown.Values:
    return row.cells.values


def _columns(mine: Collection[int], *, closed: bool) -> dict[str, Column[Row]]:
    clock, links = Clock(), Links()
    for_you = format_html('<b class="small">{}</b>', _("for you"))
    return {
        "instance": Column(lambda row: _instances(links, row)),
        "flow": Column(lambda row: row.flow_title),
        "operation": Column(lambda row: row.operation),
        "reason": Column(lambda row: cut(row.proposal.reason, LONGEST_REASON)),
        "maker": Column(lambda row: row.proposal.maker),
        "proposed": Column(lambda row: clock.ago(row.proposal.proposed_at)),
        "state": Column(lambda row: tag(row.state)),
        "waits": Column(lambda row: spaced((row.waits, for_you if row.proposal.number in mine else ""))),
        "until": Column(lambda row: "" if closed else clock.moment(row.proposal.expires_at)),
        "decided": Column(lambda row: clock.moment(row.proposal.closed_at, none="")),
    }


def _instances(links: Links, row: Row) -> Content:
    """Return the instance of a proposal, or the number of those of a proposal about many."""
    if row.proposal.wid:
        return shown.instance(links, row.proposal.wid, row.cells.key)
    return _many(row.proposal) if row.proposal.bulk else ""


def _many(proposal: Proposal) -> str:
    n = proposal.total or 0
    return ngettext("%(shown)s instance", "%(shown)s instances", n) % {"shown": number(n)}
