"""Moves over HTTP: the list for programs, and the endpoint at which other installations leave messages.

The caller of the latter is no user but an installation: its signature is the authentication. So it is not in
the document of the API, which is for the programs of users.
"""

from __future__ import annotations

import logging
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, Schema
from pydantic import Field

from flows import api as kernel
from flows.capabilities.moves.api import Move
from flows.capabilities.moves.reaper import SENDER
from monitor.api import inputs, limits
from monitor.api.problems import Problem
from monitor.api.routing import READ, call_of, router
from monitor.moves.packages import moment_and_number
from monitor.moves.schemas import MoveOut, MovesOut

log = logging.getLogger("wedsql.api")
MOST_BYTES = 12 * 1024 * 1024
State = Literal["offered", "released", "done", "refused", "taken_back", "held", "arrived", "withdrawn"]


class Installation:
    """The authentication of an installation: a registered one names itself, and signs what it sends.

    The body of a request that names none is not read.
    """

    def __call__(self, request: HttpRequest) -> str:
        """Return the number of the installation. Raises Problem."""
        named = request.headers.get(SENDER, "")[:40].lower()
        known = {each.id for each in kernel.moves.peers() if each.enabled}
        if named not in known:
            raise Problem(403, "The request is of no registered installation.", f"Send the header {SENDER}.")
        request.api_rate = limits.use(f"installation {named}")  # type: ignore[attr-defined]
        limits.check_body(request, MOST_BYTES)
        return named


class Listed(Schema):
    flow: inputs.QueryText = ""
    state: State | None = None
    wid: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    cursor: Annotated[str, Field(max_length=80)] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


@router.get("/moves", response=MovesOut, auth=READ, summary="Moves of instances")
def list_moves(request: HttpRequest, given: Query[Listed]) -> Any:
    """Return moves of instances, of the flows that the caller sees, the newest first."""
    caller, before = call_of(request).caller, moment_and_number(given.cursor.replace("~", " "))
    if given.cursor and before is None:
        raise Http404
    seen = frozenset({caller.flow_or_404(given.flow).name}) if given.flow else caller.flows
    found = kernel.moves.list(
        flows=None if seen is None else sorted(seen),
        states=[given.state] if given.state else None,
        wid=given.wid,
        before=before,
        limit=given.limit + 1,
    )
    page = found[: given.limit]
    following = _place(page[-1]) if len(found) > len(page) else None
    return {"items": [_shown(each) for each in page], "next": following}


def _place(move: Move) -> str:
    """Return the cursor of what is behind a move; nothing in it has to be escaped in an address."""
    return f"{move.begun_at.isoformat().replace('+00:00', 'Z')}~{move.id}"


def _shown(move: Move) -> dict[str, Any]:
    """Return a move as programs get it."""
    return {name: getattr(move, name) for name in MoveOut.model_fields}


@router.post(
    "/moves",
    auth=Installation(),
    summary="Leave the message of a move",
    include_in_schema=False,
)
def receive_move(request: HttpRequest) -> HttpResponse:
    """Read a signed message of another installation, and return the signed answer; 204 if it needs none."""
    answer = kernel.moves.receive(request.body)
    log.info("message of an installation")
    if answer is None:
        return HttpResponse(status=204)
    return HttpResponse(answer, content_type="application/json")
