"""The case that follows when a person has done what a case asks for."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from flows import api
from flows.access import flows_of, may, rights


def claim_next(request: HttpRequest, queue: str | None, flows: Collection[str] | None) -> HttpResponse:
    """Claim the most urgent case for the user and show its repair; the list if there is none."""
    actor = request.user.get_username()
    found = api.cases.next(queue, actor, flows=None if flows is None else sorted(flows))
    if found is None:
        messages.info(request, _("There is no case that is neither claimed nor put aside."))
        return HttpResponseRedirect(reverse("monitor:cases"))
    return HttpResponseRedirect(reverse("monitor:repair", args=[found.wid]))


def after(request: HttpRequest, wid: int, flow: str, *, is_mine: bool) -> HttpResponse:
    """Return the page that follows when the instance of a case is repaired.

    A person who works through cases gets the next one: whoever had claimed this one, and clerks, who come
    for nothing else. For other users it is the instance.
    """
    if may(request.user, "handle", flow) and (is_mine or is_clerk(request, flow)):
        return claim_next(request, None, flows_of(request.user, "handle"))
    return HttpResponseRedirect(reverse("monitor:instance", args=[wid]))


def is_mine(request: HttpRequest, wid: int, flow: str) -> bool:
    """Return whether the user has claimed the open case of an instance."""
    open_cases = api.cases.list([flow], {"wid": wid}, limit=1)
    return any(one.owner == request.user.get_username() for one in open_cases)


def is_clerk(request: HttpRequest, flow: str) -> bool:
    """Return whether the user handles the cases of a flow without operating, repairing or designing it."""
    return rights(request.user, flow) & {"handle", "operate", "repair", "design"} == {"handle"}
