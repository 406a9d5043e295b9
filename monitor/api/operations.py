"""Endpoints that start instances, and that operate on one instance or one of its jobs."""

from __future__ import annotations

import logging
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Status

from flows import api as kernel
from flows.queries import instances
from monitor.api import inputs, schemas
from monitor.api.others import check_others
from monitor.api.problems import Problem
from monitor.api.routing import OPERATE, OPERATE_SHOWN, PERFORM_SHOWN, call_of, flow_of, number_of, router
from monitor.operations import Detail, arguments, perform

log = logging.getLogger("wedsql.api")


@router.post(
    "/flows/{slug:name}/instances",
    response={201: schemas.StartedOut, 200: schemas.StartedOut},
    auth=OPERATE,
    summary="Start an instance",
)
def start(request: HttpRequest, response: HttpResponse, name: str, given: inputs.StartIn) -> Any:
    """Start an instance (201); with a key that was used before, return the instance that it started (200).

    It is refused (409) if that instance was started with other values of the attributes.
    """
    actor, keys = call_of(request).caller.name, [given.key]
    found = kernel.instances.start_many(flow_of(request).name, [given.state], actor=actor, keys=keys)[0]
    if found.error is not None:
        raise found.error
    if found.differs:
        raise Problem(
            409,
            f"This key started instance {found.wid} with other values of: {', '.join(found.differs)}.",
            "Use another key for another instance, or send the values again that the first request had.",
        )
    response.headers["Location"] = reverse("api:instance", args=[found.wid])
    if not found.known:
        _log(request, "start", found.wid or 0)
    return Status(200 if found.known else 201, {"wid": found.wid})


@router.post(
    "/instances/{int:wid}/cancel", response=schemas.DoneOut, auth=OPERATE_SHOWN, summary="Cancel an instance"
)
def cancel(request: HttpRequest, wid: int, given: inputs.OperateIn) -> Any:
    """Cancel an instance that has not ended, without compensation."""
    return _perform(request, "cancel", wid, None, given)


@router.post(
    "/instances/{int:wid}/suspend",
    response=schemas.DoneOut,
    auth=OPERATE_SHOWN,
    summary="Suspend an instance",
)
def suspend(request: HttpRequest, wid: int, given: inputs.OperateIn) -> Any:
    """Stop an instance: no job is offered or committed until it is resumed."""
    return _perform(request, "suspend", wid, None, given)


@router.post(
    "/instances/{int:wid}/resume", response=schemas.DoneOut, auth=OPERATE_SHOWN, summary="Resume an instance"
)
def resume(request: HttpRequest, wid: int, given: inputs.OperateIn) -> Any:
    """Let a suspended instance continue with the time that was left."""
    return _perform(request, "resume", wid, None, given)


@router.post(
    "/instances/{int:wid}/rematch",
    response=schemas.RematchedOut,
    auth=OPERATE_SHOWN,
    summary="Match an instance again",
)
def rematch(request: HttpRequest, wid: int, given: inputs.RematchIn) -> Any:
    """Evaluate the conditions of the flow on the instance again; `fired` are the transitions that fired."""
    caller, flow, reason = call_of(request).caller, flow_of(request).name, given.reason
    caller.check("rematch", flow, wid)
    check_others(wid, caller, given)
    done = kernel.instances.rematch(flow, [wid], actor=caller.name, reason=reason)
    _log(request, "rematch", wid)
    return {"changed": bool(done["changed"]), "fired": sorted(done["fired"])}


@router.post(
    "/instances/{int:wid}/jobs/{int:job}/retry",
    response=schemas.DoneOut,
    auth=PERFORM_SHOWN,
    summary="Retry a job",
)
def retry(request: HttpRequest, wid: int, job: int, given: inputs.OperateIn) -> Any:
    """Offer a job that waits for its next try or is parked; a parked one needs the right to handle cases."""
    return _perform(request, "retry", wid, job, given)


@router.post(
    "/instances/{int:wid}/jobs/{int:job}/release",
    response=schemas.DoneOut,
    auth=OPERATE_SHOWN,
    summary="End the lease of a job",
)
def release(request: HttpRequest, wid: int, job: int, given: inputs.OperateIn) -> Any:
    """End the lease of a job; the result of its holder will be rejected."""
    return _perform(request, "release", wid, job, given)


@router.post(
    "/instances/{int:wid}/jobs/{int:job}/withdraw",
    response=schemas.DoneOut,
    auth=OPERATE_SHOWN,
    summary="Withdraw a job",
)
def withdraw(request: HttpRequest, wid: int, job: int, given: inputs.OperateIn) -> Any:
    """Remove a job that no worker holds; the instance may become an exception."""
    return _perform(request, "withdraw", wid, job, given)


@router.post(
    "/instances/{int:wid}/jobs/{int:job}/priority",
    response=schemas.DoneOut,
    auth=OPERATE_SHOWN,
    summary="Change the priority of a job",
)
def priority(request: HttpRequest, wid: int, job: int, given: inputs.PriorityIn) -> Any:
    """Change the priority of a job; the highest of a transition is taken first."""
    return _perform(request, "priority", wid, job, given, given.priority)


@router.post(
    "/instances/{int:wid}/jobs/{int:job}/extend",
    response=schemas.DoneOut,
    auth=OPERATE_SHOWN,
    summary="Prolong the time limit of a job",
)
def extend(request: HttpRequest, wid: int, job: int, given: inputs.ExtendIn) -> Any:
    """Prolong the time limit of a job, also while a worker performs it, and the lease that holds it."""
    return _perform(request, "extend", wid, job, given, given.seconds)


@router.post(
    "/instances/{int:wid}/jobs/{int:job}/reassign",
    response=schemas.DoneOut,
    auth=OPERATE_SHOWN,
    summary="Assign a job to a worker",
)
def reassign(request: HttpRequest, wid: int, job: int, given: inputs.ReassignIn) -> Any:
    """Let only workers of the name `to` take the job from now on; an empty one gives it back to all."""
    return _perform(request, "reassign", wid, job, given, given.to)


def _perform(
    request: HttpRequest,
    name: str,
    wid: int,
    job: int | None,
    given: inputs.OperateIn,
    detail: Detail = None,
) -> Any:
    found = None if job is None else number_of(job)
    caller, flow = call_of(request).caller, flow_of(request).name
    caller.check(name, flow, wid, arguments(name, found, detail))
    check_others(wid, caller, given)
    perform(name, wid, found, detail, given.reason, caller.name)
    return _done(request, name, wid)


def _done(request: HttpRequest, name: str, wid: int) -> Any:
    _log(request, name, wid)
    found = instances.instance(wid)
    if found is None:
        raise Problem(404)
    return {"wid": wid, "status": schemas.STATUS[found.status], "seq": found.seq}


def _log(request: HttpRequest, name: str, wid: int) -> None:
    """Log which token performed an operation; the history has the user."""
    caller = call_of(request).caller
    fields = {"operation": name, "wid": wid, "user": caller.name}
    fields["token"] = caller.token.prefix if caller.token else ""
    log.info("%s of instance %s by %s", name, wid, caller.name, extra=fields)
