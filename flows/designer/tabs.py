"""The tabs of a flow's pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from flows.access import may_design
from flows.queries.definitions import FlowInfo, flow_by_id

# The names of the URLs in the order of the tabs.
TITLES: dict[str, Any] = {
    "change": _("Definition"),
    "picture": _("Picture"),
    "try": _("Try it"),
    "publish": _("Publish"),
    "versions": _("Versions"),
}


@dataclass(frozen=True)
class Tab:
    """One tab: its title, its address and whether it is the page that is shown."""

    title: str
    address: str
    current: bool


def flow_page(request: HttpRequest, flow_id: int, tab: str) -> dict[str, Any]:
    """Return what every tab of a flow's pages shows; raise Http404 for users who may not see definitions."""
    flow = flow_by_id(flow_id) if may_design(request.user, "view") else None
    if flow is None:
        raise Http404
    return {"flow": flow, "tabs": tabs(flow, tab)}


def tabs(flow: FlowInfo, current: str) -> list[Tab]:
    """Return the tabs of the flow; `current` is the name of the one that is shown."""
    return [Tab(str(title), address(name, flow.id), name == current) for name, title in TITLES.items()]


def address(name: str, flow_id: int) -> str:
    """Return the address of one tab of the flow's pages."""
    return reverse(f"{admin.site.name}:flows_flow_{name}", args=[flow_id])
