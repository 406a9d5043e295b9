"""Whether persons may still do what they have asked for: a request is performed by the right of its person.

An operation on many instances, a publication and a proposal happen later, without the person who asked for
them. Whoever was deactivated, or has lost the right, has no effect by them any more: they end with WD304.
Names that no account has are those of programs and commands, which have no rights of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model

from flows import api
from flows.access import Action, AnyUser, may, may_add, right_for
from flows.queries.definitions import names
from flows.types import Publication

if TYPE_CHECKING:
    from flows.engine.maintenance import Request

# The columns that the role of the reaper may read (flows.grants).
_COLUMNS = ("username", "email", "is_active", "is_staff", "is_superuser")


def may_still(person: str, allows: Callable[[AnyUser], bool]) -> bool:
    """Return whether the person of this name may do it still; also true where no account has the name."""
    user = get_user_model().objects.only(*_COLUMNS).filter(username=person).first()
    return user is None or (user.is_active and allows(user))


def end_lost(conn: Any = None) -> int:
    """End what is about to happen and whose person may no longer do it; return how many requests."""
    ended = 0
    for one in api.maintenance.standing_requests(conn=conn):
        if not may_still(one.person, partial(_allowed, one)):
            ended += api.maintenance.end_request(one.kind, one.number, one.person, conn=conn)
    return ended


def approve_publication(number: int, *, note: str = "", actor: str = "") -> Publication:
    """Approve a publication; one whose requester may no longer request it fails instead, and is returned.

    Raises what flows.api.publications.approve raises.
    """
    found = api.publications.read(number)
    if not may_still(found.requested_by, partial(_publishes, found.flow)):
        api.maintenance.end_request("publication", number, found.requested_by)
        return api.publications.read(number)
    return api.publications.approve(number, note=note, actor=actor)


def _allowed(request: Request, user: AnyUser) -> bool:
    if request.kind == "publication":
        return all(_publishes(flow, user) for flow in request.flows)
    action: Action = right_for(request.operation)
    return all(may(user, action, flow) for flow in request.flows)


def _publishes(flow: str, user: AnyUser) -> bool:
    return may(user, "publish", flow) or (may_add(user) and flow not in names())
