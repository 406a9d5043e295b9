"""Endpoints of devices that perform tasks without a connection."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from flows import api as kernel
from flows.capabilities.offline.api import OfflinePackage
from flows.capabilities.tasks.rights import task_or_404
from monitor.api import inputs
from monitor.api.problems import Problem
from monitor.api.routing import call_of, router
from monitor.offline import schemas
from monitor.offline.exchange import STATES, sent, shown, synchronized
from monitor.tasks.endpoints import PERFORM, row_of


class OfDevice(Schema):
    device: inputs.DeviceKey


class Known(OfDevice):
    known: Annotated[str, Field(max_length=64, pattern=r"^[0-9a-f]*$")] = ""


@router.post("/offline/devices", response=schemas.DeviceOut, auth=PERFORM, summary="Connect a device")
def connect_device(request: HttpRequest, given: inputs.DeviceIn) -> Any:
    """Note that a device of the caller is connected, with what it reports."""
    report = given.dict(exclude={"device"}, exclude_none=True)
    found = kernel.offline.device_seen(call_of(request).caller.name, given.device, report)
    return vars(found) | {"state": STATES[found.state]}


@router.get("/offline/tasks", response=schemas.OfflineTasksOut, auth=PERFORM, summary="Locked tasks")
def offline_tasks(request: HttpRequest, given: Query[Known]) -> Any:
    """Return the locked tasks of the caller with the versions of their packages, or that none has changed."""
    person = call_of(request).caller.name
    kernel.offline.device_seen(person, given.device)
    listed = [{"task": task, "version": version} for task, version in _in_scope(request)]
    return synchronized(person, given.device, listed, given.known)


@router.get(
    "/offline/packages/{int:task}",
    response=schemas.OfflinePackageOut,
    auth=PERFORM,
    summary="What a device needs of a task",
)
def offline_package(request: HttpRequest, task: int, given: Query[OfDevice]) -> Any:
    """Return the package with which a device performs a task that the caller has locked."""
    caller = call_of(request).caller
    found: OfflinePackage = kernel.offline.read_package(caller.name, given.device, task)
    _sheet, flow = task_or_404(caller.user, task)
    values = {name: each for name, each in found.state_of.items() if flow.shows(name)}
    names = ("description", "reads", "writes", "outcomes", "application", "claim", "seq", "version")
    return row_of(found) | {name: getattr(found, name) for name in names} | {"values": values}


@router.post("/offline/results", response=schemas.OfflineResultsOut, auth=PERFORM, summary="Send results")
def send_offline_results(request: HttpRequest, given: inputs.OfflineResultsIn) -> Any:
    """Keep results of a device. Each counts once, however often it is sent, in the order of the numbers."""
    caller = call_of(request).caller
    if _out_of_scope(request, [one.task for one in given.results]):
        raise Problem(404, "A task is of a flow for which the token is not.")
    results = [(one.number, _content(one, given.sent_at)) for one in given.results]
    return {"results": sent(caller.name, given.device, results)}


@router.get(
    "/offline/results", response=schemas.OfflineResultsOut, auth=PERFORM, summary="Results of a device"
)
def list_offline_results(request: HttpRequest, given: Query[OfDevice]) -> Any:
    """Return the outcomes of the last 200 results of a device, the last first."""
    caller = call_of(request).caller
    device = kernel.offline.device_seen(caller.name, given.device).device
    found = kernel.offline.results(device, caller.name, limit=200)
    other = _out_of_scope(request, [one.task for one in found])
    return {"results": [shown(one) for one in found if one.task not in other]}


def _content(one: inputs.OfflineResultIn, sent_at: datetime) -> dict[str, Any]:
    """Return a result as the kernel takes it."""
    if one.discarded:
        return {"discarded": True}
    return {
        "task": one.task,
        "claim": one.claim,
        "seq": one.seq,
        "values": one.data,
        "outcome": one.outcome,
        "reason": one.reason,
        "made_at": one.made_at,
        "sent_at": sent_at,
    }


def _out_of_scope(request: HttpRequest, tasks: list[int | None]) -> set[int | None]:
    """Return those of these tasks, ended ones too, that are of flows for which the token is not."""
    token = call_of(request).caller.token
    if token is None or not token.flows:
        return set()
    about = kernel.tasks.listed([each for each in tasks if each is not None])
    return {each.job_id for each in about if each.flow not in token.flows}


def _in_scope(request: HttpRequest) -> list[tuple[int, str]]:
    """Return the locked tasks of the caller, of the flows of its token if that names some."""
    caller = call_of(request).caller
    found = kernel.offline.tasks(caller.name)
    if caller.token is None or not caller.token.flows:
        return found
    flows = {one.job_id: one.flow for one in kernel.tasks.own(caller.name)}
    return [(task, version) for task, version in found if flows.get(task) in caller.token.flows]
