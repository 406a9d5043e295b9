"""Endpoints of SLAs, of the calendars of their working time, and of their clocks in an instance."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Status

from flows import api as kernel
from flows.capabilities.sla.api import Calendar, Sla
from monitor.api import inputs
from monitor.api.routing import OPERATE, READ, call_of, flow_of, number_of, router
from monitor.sla.schemas import CalendarOut, CalendarsOut, ClocksOut, SlaOut, SlasOut


@router.get("/flows/{slug:name}/slas", response=SlasOut, auth=READ, summary="SLAs")
def slas(request: HttpRequest, name: str) -> Any:
    """Return the SLAs of a flow by name."""
    return {"items": [vars(each) for each in kernel.sla.list([flow_of(request).name])]}


@router.post("/flows/{slug:name}/slas", response={201: SlaOut}, auth=OPERATE, summary="Define an SLA")
def add_sla(request: HttpRequest, name: str, given: inputs.SlaIn) -> Any:
    """Define an SLA; its clocks are computed for all kept history."""
    saved = kernel.sla.save(flow_of(request).name, Sla(**given.dict()), call_of(request).caller.name)
    return Status(201, vars(saved))


@router.put("/flows/{slug:name}/slas/{int:sla}", response=SlaOut, auth=OPERATE, summary="Replace an SLA")
def replace_sla(request: HttpRequest, name: str, sla: int, given: inputs.SlaIn) -> Any:
    """Replace an SLA; its clocks are computed again if anything but its name changes."""
    actor = call_of(request).caller.name
    return vars(kernel.sla.save(flow_of(request).name, Sla(**given.dict()), actor, number_of(sla)))


@router.delete(
    "/flows/{slug:name}/slas/{int:sla}", response={204: None}, auth=OPERATE, summary="Remove an SLA"
)
def remove_sla(request: HttpRequest, name: str, sla: int) -> Any:
    """Remove an SLA with its clocks."""
    kernel.sla.delete(flow_of(request).name, number_of(sla), call_of(request).caller.name)
    return Status(204, None)


@router.get("/flows/{slug:name}/calendars", response=CalendarsOut, auth=READ, summary="Calendars")
def calendars(request: HttpRequest, name: str) -> Any:
    """Return the calendars of a flow by name."""
    return {"items": [vars(each) for each in kernel.sla.list_calendars([flow_of(request).name])]}


@router.post(
    "/flows/{slug:name}/calendars",
    response={201: CalendarOut},
    auth=OPERATE,
    summary="Define a calendar",
)
def add_calendar(request: HttpRequest, name: str, given: inputs.CalendarIn) -> Any:
    """Define a calendar of working time, which SLAs of the flow name."""
    actor, calendar = call_of(request).caller.name, Calendar(**given.dict())
    return Status(201, vars(kernel.sla.save_calendar(flow_of(request).name, calendar, actor)))


@router.put(
    "/flows/{slug:name}/calendars/{int:calendar}",
    response=CalendarOut,
    auth=OPERATE,
    summary="Replace a calendar",
)
def replace_calendar(request: HttpRequest, name: str, calendar: int, given: inputs.CalendarIn) -> Any:
    """Replace a calendar; the clocks of its SLAs are computed again."""
    actor, new = call_of(request).caller.name, Calendar(**given.dict())
    return vars(kernel.sla.save_calendar(flow_of(request).name, new, actor, number_of(calendar)))


@router.delete(
    "/flows/{slug:name}/calendars/{int:calendar}",
    response={204: None},
    auth=OPERATE,
    summary="Remove a calendar",
)
def remove_calendar(request: HttpRequest, name: str, calendar: int) -> Any:
    """Remove a calendar that no SLA uses."""
    kernel.sla.delete_calendar(flow_of(request).name, number_of(calendar), call_of(request).caller.name)
    return Status(204, None)


@router.get("/instances/{int:wid}/clocks", response=ClocksOut, auth=READ, summary="Clocks of SLAs")
def clocks(request: HttpRequest, wid: int) -> Any:
    """Return the clocks of the SLAs that are enabled, at most 100: the present ones first."""
    found = kernel.sla.list_clocks(wid)
    return {"items": [vars(each) | {"breached": each.state == "breached"} for each in found]}
