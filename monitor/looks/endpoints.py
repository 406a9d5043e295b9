"""Endpoints of looks: at masked values of an instance, and those of a flow for auditors."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from flows import api as kernel
from flows.access import may
from flows.capabilities.looks.api import Asked, Viewer
from flows.users import disclosure
from monitor.api import inputs
from monitor.api.caller import Needs, forbidden
from monitor.api.cursors import cursor as place_of
from monitor.api.reads import aware
from monitor.api.routing import READ_SHOWN, call_of, flow_of, router
from monitor.api.scalars import Moment, NumberCursor

LOOK = Needs("look", masks=True)


class RevealedOut(Schema):
    """The look that was recorded, and the values."""

    id: int
    at: datetime
    values: dict[str, Any]


class LookOut(Schema):
    """Values that a user was shown; `wid` is null for a list, `reason` empty where a role shows them."""

    id: int
    at: datetime
    actor: str
    way: Literal["page", "file", "http", "live", "command"]
    wid: int | None
    attributes: list[str]
    reason: str
    address: str
    instances: int | None = Field(description="How many a list or a file had, where they were counted.")


class LooksOut(Schema):
    items: list[LookOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")


class LooksAsked(Schema):
    actor: Annotated[str, Field(max_length=200)] = ""
    wid: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    attribute: Annotated[str, Field(max_length=200)] = ""
    since: Moment | None = None
    until: Moment | None = None
    cursor: NumberCursor = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


@router.post("/instances/{int:wid}/looks", response=RevealedOut, auth=LOOK, summary="Look at masked values")
def look_at(request: HttpRequest, wid: int, given: inputs.LookIn) -> Any:
    """Record a look at masked values of the instance with its reason, and return them."""
    disclosure.no_values()
    caller, flow = call_of(request).caller, flow_of(request).name
    hidden = may(caller.user, "reveal", flow)
    viewer = Viewer(caller.name, "http", hidden, [flow], request.path)
    return kernel.looks.look_at(wid, given.attributes, given.reason, viewer)


@router.get("/flows/{slug:name}/looks", response=LooksOut, auth=READ_SHOWN, summary="Looks at masked values")
def list_looks(request: HttpRequest, name: str, given: Query[LooksAsked]) -> Any:
    """Return who was shown values that are masked or hidden, the newest first; for users who may reveal."""
    disclosure.no_values()
    if not may(call_of(request).caller.user, "reveal", flow_of(request).name):
        raise forbidden(name, "audit")
    actor, attribute = (each.replace("\x00", "") for each in (given.actor, given.attribute))
    asked = Asked(actor, given.wid, attribute, aware(given.since), aware(given.until))
    before = place_of(given.cursor, given.limit).before
    last = before if isinstance(before, int) else None
    found = kernel.looks.list(name, asked, before=last, limit=given.limit + 1)
    items = found[: given.limit]
    return {"items": items, "next": f"b{items[-1].id}" if len(found) > given.limit else None}
