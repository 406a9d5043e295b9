"""Endpoints that read flows, instances, histories and reasons."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Query
from pydantic import Field

from flows import api as kernel
from flows.capabilities.past import queries as past
from flows.filters import Filter, parse
from flows.queries import definitions, everywhere, instances, jobs, overview
from flows.queries.base import snapshot
from flows.queries.counts import CAP
from flows.queries.definitions import FlowInfo
from flows.queries.history import steps, trace
from flows.users import disclosure
from monitor import masking
from monitor.api import schemas
from monitor.api import values as shown
from monitor.api.cursors import PositionCursor, cursor, ends, position, position_text
from monitor.api.problems import Problem
from monitor.api.responses import Verbatim
from monitor.api.routing import READ, READ_SHOWN, call_of, flow_of, router
from monitor.api.scalars import Flag, NumberCursor, PastMoment
from monitor.past.moments import moment

Limit = Annotated[int, Field(ge=1, le=200)]
Text = Annotated[str, Field(max_length=4000, description="A filter, see docs/monitoring.md.")]
CursorText = Annotated[str, Field(max_length=250)]
Order = Literal["newest", "oldest"]


class Paged(schemas.Schema):
    cursor: NumberCursor = ""
    limit: Limit = 50


class Listed(Paged):
    q: Text = ""
    order: Order = "newest"
    as_of: PastMoment | None = None


class ListedOfFlow(Listed):
    columns: Annotated[str, Field(max_length=4000, description="Names of attributes with commas.")] = ""


class Counted(schemas.Schema):
    q: Text = ""
    exact: Flag = False
    as_of: PastMoment | None = None


@router.get("/me", response=schemas.MeOut, auth=READ_SHOWN, summary="Who calls")
def me(request: HttpRequest) -> Any:
    """Return the user of the request, and the token by which it is made."""
    caller = call_of(request).caller
    return {"user": caller.name, "token": caller.token}


@router.get("/flows", response=schemas.FlowsOut, auth=READ_SHOWN, summary="Flows")
def flows(request: HttpRequest, cursor: CursorText = "", as_of: PastMoment | None = None) -> Any:
    """Return the flows that the caller sees by name, with counts of instances and jobs."""
    at, names, after = as_of and moment(as_of), call_of(request).caller.flows, cursor.replace("\x00", "")
    with snapshot():
        found, more = past.summaries(names, at, after) if at else overview.summaries(names, after)
    items = [shown.past_flow(each) if at else shown.flow(each) for each in found]
    return {"items": items, "next": found[-1].name if more else None, "as_of": at}


@router.get("/flows/{slug:name}", response=schemas.FlowDetailOut, auth=READ_SHOWN, summary="One flow")
def flow(request: HttpRequest, name: str) -> Any:
    """Return one flow with its attributes, its triggers and the rights of the caller."""
    found = flow_of(request)
    with snapshot():
        summary = shown.flow(overview.summary(found))
    triggers = [vars(each) | {"id": each.tgid, "title": each.title} for each in found.triggers]
    attributes = [vars(each) | {"title": each.title} for each in found.attributes]
    rights = call_of(request).caller.rights(name)
    return summary | {"attributes": attributes, "triggers": triggers, "rights": rights}


@router.get("/instances", response=schemas.InstancesOut, auth=READ, summary="Instances of all flows")
def all_instances(request: HttpRequest, given: Query[Listed]) -> Any:
    """Return a page of the instances that the caller sees and the filter chooses."""
    chosen = _as_of(given.as_of, _parsed(given.q))
    selection = everywhere.selection(chosen, call_of(request).caller.listed)
    listed, oldest = past.listed_anywhere if chosen.at else everywhere.listed, given.order == "oldest"
    with snapshot():
        page = listed(selection, cursor(given.cursor, given.limit), oldest_first=oldest)
    rows = [shown.any_instance(each) for each in page.items]
    disclosure.counted(len(rows))
    return {"items": rows, "query": chosen.text(), "as_of": chosen.at, **ends(page, oldest_first=oldest)}


@router.get("/instances/count", response=schemas.CountOut, auth=READ, summary="Number of instances")
def count_all(request: HttpRequest, given: Query[Counted]) -> Any:
    """Return how many instances of all flows the filter chooses, at most 10,000 unless `exact`."""
    chosen = _as_of(given.as_of, _parsed(given.q))
    selection = everywhere.selection(chosen, call_of(request).caller.flows)
    matching = past.matching_anywhere if chosen.at else everywhere.matching
    with snapshot():
        return shown.count(matching(selection, None if given.exact else CAP))


@router.get(
    "/flows/{slug:name}/instances",
    response=schemas.InstancesOfFlowOut,
    auth=READ_SHOWN,
    summary="Instances of one flow",
)
def of_flow(request: HttpRequest, name: str, given: Query[ListedOfFlow]) -> Any:
    """Return a page of a flow's instances with the values of some attributes (default: all)."""
    found, oldest = flow_of(request), given.order == "oldest"
    if given.as_of and found.concealed:
        raise Problem(403, "The past of this flow has values that you may not see.")
    chosen, columns = _as_of(given.as_of, _parsed(given.q, found)), _columns(found, given.columns)
    listed = past.listed if chosen.at else instances.listed
    with snapshot():
        page = listed(chosen, cursor(given.cursor, given.limit), columns, oldest_first=oldest)
    rows = [shown.instance_row(each, name, columns) for each in page.items]
    disclosure.counted(len(rows))
    return {"items": rows, "query": chosen.text(), "as_of": chosen.at, **ends(page, oldest_first=oldest)}


@router.get(
    "/flows/{slug:name}/instances/count",
    response=schemas.CountOut,
    auth=READ,
    summary="Number of instances of one flow",
)
def count_of_flow(request: HttpRequest, name: str, given: Query[Counted]) -> Any:
    """Return how many instances of the flow the filter chooses, at most 10,000 unless `exact`."""
    chosen = _as_of(given.as_of, _parsed(given.q, flow_of(request)))
    matching = past.matching if chosen.at else instances.matching
    with snapshot():
        return shown.count(matching(chosen, None if given.exact else CAP))


@router.get("/flows/{slug:name}/jobs", response=schemas.JobsOut, auth=READ_SHOWN, summary="Jobs of one flow")
def jobs_of_flow(
    request: HttpRequest,
    name: str,
    state: Literal["pending", "late", "leased", "parked"] = "pending",
    transition: Annotated[str, Field(max_length=200)] = "",
    role: Annotated[str, Field(max_length=200, description="Only jobs that this role performs.")] = "",
    cursor: PositionCursor = "",
) -> Any:
    """Return a page of the flow's jobs in the order in which they are taken."""
    place, found = position(cursor), flow_of(request)
    with snapshot():
        wanted, of_role = transition.replace("\x00", ""), role.replace("\x00", "")
        page, following = jobs.listed(found.id, state, wanted, place, role=of_role)
    items = [shown.job(masking.job(found, each)) for each in page]
    return {"items": items, "next": position_text(following)}


@router.get(
    "/instances/{int:wid}", response=schemas.InstanceDetailOut, auth=READ_SHOWN, summary="One instance"
)
def instance(request: HttpRequest, wid: int) -> Any:
    """Return one instance with its state and its jobs, all as of one moment."""
    with snapshot():
        found, flow = call_of(request).caller.instance_or_404(wid)
        state, pending = Verbatim(instances.state_as_json(flow, wid)), jobs.of_instance(wid)
    row = vars(found) | {"status": schemas.STATUS[found.status], "parent": found.parent_wid}
    return row | {"state": state, "jobs": [shown.job(masking.job(flow, each)) for each in pending]}


@router.get("/instances/{int:wid}/history", response=schemas.StepsOut, auth=READ_SHOWN, summary="History")
def history(request: HttpRequest, wid: int, given: Query[Paged], order: Order = "newest") -> Any:
    """Return a page of the instance's steps with the values that each wrote."""
    place, oldest = cursor(given.cursor, given.limit), order == "oldest"
    with snapshot():
        found, flow = call_of(request).caller.instance_or_404(wid)
        page = trace.steps(wid, found.started_at, place, oldest_first=oldest)
    return {"items": [shown.step(masking.step(flow, each)) for each in page.items], **ends(page)}


@router.get(
    "/instances/{int:wid}/steps/{int:seq}",
    response=schemas.StepDetailOut,
    auth=READ_SHOWN,
    summary="One step",
)
def step(request: HttpRequest, wid: int, seq: int) -> Any:
    """Return one step with the state as of it."""
    with snapshot():
        found, flow = call_of(request).caller.instance_or_404(wid)
        one = trace.step(wid, found.started_at, seq) if seq < 2**31 else None
        if one is None:
            raise Http404
        state = masking.values(flow, steps.state(wid, found.started_at, seq))
    return shown.step(masking.step(flow, one)) | {"state": {name: each.text for name, each in state.items()}}


@router.get("/instances/{int:wid}/why", response=schemas.WhyOut, auth=READ_SHOWN, summary="Why, and why not")
def why(request: HttpRequest, wid: int, seq: Annotated[int, Field(ge=1, lt=2**31)] | None = None) -> Any:
    """Return which rules hold and what the others lack, now or at a step of the history."""
    with snapshot():
        return shown.why(masking.reasons(flow_of(request), kernel.reasons.explain_instance(wid, seq)))


def _parsed(text: str, flow: FlowInfo | None = None) -> Filter:
    return parse(text, flow, timezone.get_current_timezone())


def _as_of(text: str | None, chosen: Filter) -> Filter:
    """Return the filter as of a moment, if there is one. Raises BadFilter."""
    return chosen.as_of(moment(text)) if text else chosen


def _columns(flow: FlowInfo, text: str) -> tuple[definitions.Attribute, ...]:
    """Return the attributes of names with commas. Raises Problem."""
    if not text:
        return flow.attributes
    found = [flow.attribute(name) for name in dict.fromkeys(text.split(","))]
    if None in found:
        raise Problem(422, "A column is not an attribute of the flow.", "Use its names.", code="42703")
    return tuple(each for each in found if each)


def aware(moment: datetime | None) -> datetime | None:
    if moment is None or moment.tzinfo:
        return moment
    return moment.replace(tzinfo=timezone.get_current_timezone())
