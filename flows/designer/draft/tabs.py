"""The tabs of a flow's pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from flows.access import AnyUser, may, may_design
from flows.designer.draft.content import Design, design_of, may_edit, undo_of
from pages.addresses import address as address_of

# The names of the URLs in the order of the tabs.
TITLES: dict[str, Any] = {
    "rules": _("Rules"),
    "attributes": _("Attributes"),
    "forms": _("Forms"),
    "picture": _("Picture"),
    "try": _("Try it"),
    "whatif": _("What if"),
    "checks": _("Checks"),
    "publish": _("Publish"),
    "versions": _("Versions"),
    "text": _("Text"),
    "settings": _("Settings"),
    "change": _("All at once"),
}
# The form with everything at once is for flows up to this size: each attribute and rule is 15 ms and 17 kB.
MOST_ITEMS = 60
# The tabs of a flow that was never published: those that edit, try and publish the draft.
BEFORE_FIRST = ("rules", "attributes", "forms", "try", "publish", "text", "settings")
# Those without a form of their own: the button for what comes next is that of the draft, which publishes it.
SHOWING = ("rules", "attributes", "forms", "picture", "checks", "versions")


@dataclass(frozen=True)
class Tab:
    """One tab: its title, its address and whether it is the page that is shown."""

    title: str
    address: str
    current: bool


def flow_page(request: HttpRequest, flow_id: int, tab: str) -> dict[str, Any]:
    """Return the context of every tab of a flow; raise Http404 for users who may not see definitions."""
    design = design_of(request, flow_id, None)
    return design_page(request, design, tab) | {"flow": design.flow}


def design_page(request: HttpRequest, design: Design, tab: str) -> dict[str, Any]:
    """Return the same for a flow that may have been never published."""
    return {
        "design": design,
        "tabs": tabs(request.user, design, tab),
        "tab_name": tab,
        "tab_title": TITLES[tab],
        "editable": may_edit(request.user, design),
        "publish_leads": tab in SHOWING and design.changes > 0 and may(request.user, "publish", design.name),
        "undo": undo_of(design),
        "draft_address": design.address("draft"),
        "try_address": design.address("try"),
        "scenarios_address": design.address("scenarios"),
    }


def tabs(user: AnyUser, design: Design, current: str) -> list[Tab]:
    """Return the tabs of the flow for the user; `current` is the name of the one that is shown."""
    names = [name for name in TITLES if design.flow or name in BEFORE_FIRST]
    items = len(design.definition["attributes"]) + len(design.definition["triggers"])
    if items > MOST_ITEMS or not may_design(user):  # Django's own form is for staff
        names = [name for name in names if name != "change"]
    return [Tab(str(TITLES[name]), design.address(name), name == current) for name in names]


def address(name: str, flow_id: int) -> str:
    """Return the address of one tab of the pages of a flow that was published."""
    return address_of(f"{admin.site.name}:flows_flow_{name}", flow_id)
