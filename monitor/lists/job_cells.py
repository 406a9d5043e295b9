"""The cells of a list of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.utils.translation import gettext as _

from flows.access import AnyUser, may
from flows.messages import stored
from flows.queries.definitions import FlowInfo
from flows.queries.jobs import OpenJob
from monitor.lists import cells as shown
from monitor.lists.columns import Cells as OfInstance
from monitor.templatetags.monitor import titled_firing
from pages.cells import Cells, Column, Content, Links, bad, clamped, cut, spaced
from pages.clock import NOTHING, Clock
from pages.labels import JOB_STATE
from pages.texts import Texts

_STATES = Texts(JOB_STATE)
LONGEST_ERROR = 300


@dataclass(frozen=True)
class JobRow:
    """A job of the list, and what is shown of its instance."""

    job: OpenJob
    cells: OfInstance


def cells(flow: FlowInfo, user: AnyUser, titles: Mapping[str, object]) -> Cells[JobRow]:
    """Return the maker of the cells of a list of jobs of a flow, for a user."""
    return Cells(titles, _columns(flow, user), shown.attribute(lambda row: row.cells.values))


def _columns(flow: FlowInfo, user: AnyUser) -> dict[str, Column[JobRow]]:
    clock, links, states, late = Clock(), Links(), _STATES.all(), bad(_("late"))
    designs = may(user, "design", flow.name)
    title = cache(lambda transition: titled_firing(flow, transition, with_name=designs))
    waits = cache(waits_for)
    return {
        "instance": Column(lambda row: shown.instance(links, row.job.wid, row.cells.key)),
        "transition": Column(lambda row: title(row.job.transition)),
        "role": Column(lambda row: row.job.role or NOTHING),
        "state": Column(
            lambda row: spaced((states.get(row.job.state, row.job.state), late if row.job.late else ""))
        ),
        "waits": Column(lambda row: waits(*awaited(row.job))),
        "since": Column(lambda row: clock.ago(row.job.fired_at), "nowrap"),
        "priority": Column(lambda row: row.job.priority, "num"),
        "attempts": Column(lambda row: row.job.attempts, "num"),
        "next": Column(
            lambda row: NOTHING if row.job.state == "K" else clock.moment(row.job.not_before), "nowrap"
        ),
        "holder": Column(lambda row: row.job.holder or NOTHING),
        "error": Column(lambda row: _error(row.job), "small"),
    }


def _error(job: OpenJob) -> Content:
    text = stored(job.last_error) if job.last_error else NOTHING
    return clamped(cut(text, LONGEST_ERROR))


def awaited(job: OpenJob) -> tuple[str, str, str]:
    """Return the facts about whom a job waits for: who has it, else who performs it, in which role."""
    if job.state == "K":
        return "", "repair", ""
    return job.holder or job.assigned_to or "", job.performer, job.role


def waits_for(name: str, performer: str, role: str) -> str:
    """Return whom a job waits for: who holds it, who it is assigned to, else who may perform it."""
    if name:
        return name
    if performer == "repair":
        return _("people who repair it")
    named = {"role": role}
    if performer == "person":
        return _("people of the role %(role)s") % named if role else _("people")
    if performer == "database":
        return _("the database")
    return _("workers of the role %(role)s") % named if role else _("a worker")
