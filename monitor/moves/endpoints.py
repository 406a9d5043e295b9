"""The endpoint at which other installations leave the messages of moves.

Its caller is no user but an installation: its signature is the authentication. So it is not in the document
of the API, which is for the programs of users.
"""

from __future__ import annotations

import logging

from django.http import HttpRequest, HttpResponse

from flows import api as kernel
from flows.capabilities.moves.reaper import SENDER
from monitor.api import limits
from monitor.api.problems import Problem
from monitor.api.routing import router

log = logging.getLogger("wedsql.api")
MOST_BYTES = 12 * 1024 * 1024


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
