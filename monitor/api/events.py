"""The endpoint of the stream of events."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, StreamingHttpResponse
from pydantic import Field

from flows.queries.base import snapshot
from flows.queries.history import changes
from monitor.api.problems import Problem
from monitor.api.routing import READ, call_of, router
from monitor.api.streams import Stream

MEDIA_TYPE = "text/event-stream"
EXAMPLE = """id: 0c1d9a52.8412.8413.1.1
event: step
data: {"flow":"order","wid":1,"seq":1,"status":"running"}

"""
_CONTENT = {MEDIA_TYPE: {"schema": {"type": "string"}, "example": EXAMPLE}}
_HEADER = {
    "name": "Last-Event-ID",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The id of the last event that was received.",
}
Place = Annotated[str, Field(max_length=changes.MOST_CHARACTERS)]


@router.get(
    "/events",
    auth=READ,
    summary="Stream of events",
    openapi_extra={
        "parameters": [_HEADER],
        "responses": {200: {"description": "Server-sent events.", "content": _CONTENT}},
    },
)
def events(
    request: HttpRequest,
    flow: str = "",
    cursor: Place = "",
) -> Any:
    """Return the steps of the instances that the caller sees, as they are committed, as server-sent events.

    The stream begins behind the event with the id in Last-Event-ID (or `cursor`), otherwise now.
    """
    call = call_of(request)
    if flow:
        call.caller.flow_or_404(flow)
    last = request.headers.get("Last-Event-ID", "")
    stream = Stream(call.caller, flow, _place(last or cursor))
    headers = call.rate.headers() | {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(stream, content_type=MEDIA_TYPE, headers=headers)


def _place(text: str) -> changes.Place:
    """Return the place of an id, or that of now. Raises Problem."""
    with snapshot():
        now = changes.here()
    if not text:
        return now
    try:
        found = changes.Place.parse(text)
        changes.check(found, now)
    except changes.BadPlace:
        hint = "Read the lists again, and begin without it."
        raise Problem(422, "The id is of no event of this database.", hint, code="22023") from None
    return found
