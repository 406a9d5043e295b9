"""The flow to which the address of a list narrows it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from flows.access import visible_flows
from flows.queries.overview import visible_ids
from pages.urlparams import text

LONGEST = 63


def named_flow(request: HttpRequest, *, of_tasks: bool = False) -> str:
    """Return the flow that the address names, "" for none; the page says so where the user sees no such flow.

    With `of_tasks` any flow is meant: tasks are also of flows of which the user sees nothing else.
    """
    name = text(request, "flow")
    visible = None if of_tasks else visible_flows(request.user)
    if name and not visible_ids(visible, name):
        _warn(request, name)
    return name


def named_flow_ids(request: HttpRequest) -> tuple[str, list[int]]:
    """Return the flow that the address names, as named_flow, and the ids of the flows of the page."""
    name = text(request, "flow")
    found = visible_ids(visible_flows(request.user), name)
    if name and not found:
        _warn(request, name)
    return name, found


def _warn(request: HttpRequest, name: str) -> None:
    messages.warning(request, _("You see no flow “%(name)s”.") % {"name": name[:LONGEST]})
