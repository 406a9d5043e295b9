"""Which cases a user may see."""

from __future__ import annotations

from django.http import Http404

from flows import api
from flows.access import AnyUser, may_on
from flows.capabilities.cases.api import Case
from flows.errors import UnknownCase


def case_or_404(user: AnyUser, number: int) -> Case:
    """Return a case of an instance that the user may see. Raises Http404."""
    try:
        found = api.cases.read(min(number, 2**63 - 1))
    except UnknownCase as error:
        raise Http404 from error
    if not may_on(user, "see", found.flow, found.wid):
        raise Http404
    return found
