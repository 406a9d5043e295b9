"""Endpoints of signals: events from outside that give a waiting instance a result, or start one."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from flows import api as kernel
from monitor.api.inputs import SignalIn
from monitor.api.problems import Problem
from monitor.api.routing import OPERATE_SHOWN, READ_SHOWN, call_of, flow_of, router

log = logging.getLogger("wedsql.api")
Outcome = Literal["delivered", "started", "kept", "expired", "ignored"]


class SentOut(Schema):
    """What became of a signal; `repeated`: the token was sent before, and this is the first answer."""

    id: int
    outcome: Outcome
    instance: int | None
    seq: int | None
    repeated: bool


class SignalOut(Schema):
    """A signal as it was sent, and what became of it."""

    id: int
    signal: str
    instance: int | None
    key: str | None
    data: dict[str, Any]
    sent_by: str
    sent_at: datetime
    outcome: Outcome
    keep_until: datetime | None
    settled_at: datetime | None
    seq: int | None
    problem: str | None


class SignalsOut(Schema):
    """Signals, the newest first; `next` is the value of `before` for the next page."""

    items: list[SignalOut]
    next: int | None


class Listed(Schema):
    """Which signals: of one instance, before a number, and how many."""

    instance: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    before: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


@router.post("/flows/{slug:name}/signals", response=SentOut, auth=OPERATE_SHOWN, summary="Send a signal")
def send_signal(request: HttpRequest, name: str, given: SignalIn) -> Any:
    """Give the data of the signal to the job that waits for it; keep the signal, or start an instance."""
    flow = flow_of(request)
    if given.instance and given.key:
        raise Problem(422, "A signal names one instance, by its number or by a key.", code="22023")
    if any(one.name in given.data for one in flow.concealed):
        raise Problem(403, "You may not write an attribute whose values you may not see.")
    sent = kernel.signals.send(
        flow.name,
        given.signal,
        given.data,
        to=given.instance or given.key,
        token=given.token,
        actor=call_of(request).caller.name,
    )
    log.info("signal by a token or session", extra={"flow": flow.name, "wid": sent.wid})
    found = {"id": sent.id, "outcome": sent.outcome, "instance": sent.wid}
    return found | {"seq": sent.seq, "repeated": sent.repeated}


@router.get("/flows/{slug:name}/signals", response=SignalsOut, auth=READ_SHOWN, summary="Signals")
def signals(request: HttpRequest, name: str, given: Query[Listed]) -> Any:
    """Return the signals of a flow or of one instance, without the values that the caller may not see."""
    flow = flow_of(request)
    found = kernel.signals.list(flow.name, wid=given.instance, before=given.before, limit=given.limit + 1)
    items = [
        {
            "id": one.id,
            "signal": one.name,
            "instance": one.wid,
            "key": one.key,
            "data": {key: value for key, value in one.data.items() if flow.shows(key)},
            "sent_by": one.actor,
            "sent_at": one.sent_at,
            "outcome": one.outcome,
            "keep_until": one.keep_until,
            "settled_at": one.settled_at,
            "seq": one.seq,
            "problem": one.problem,
        }
        for one in found[: given.limit]
    ]
    return {"items": items, "next": found[given.limit - 1].id if len(found) > given.limit else None}
