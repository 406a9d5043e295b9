"""The list of flows under Design: which version runs, and whether a draft or a request waits."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows import api
from flows.access import Action, AnyUser, designs, may, may_add, visible_flows
from flows.designer.draft.content import Design
from flows.designer.new import unpublished
from flows.queries.base import snapshot
from flows.queries.definitions import FlowRow, flow_rows, listed
from flows.types import MAIN, DraftInfo, Publication
from pages.guard import page
from pages.urlparams import text

PER_PAGE = 50
DESIGNING: tuple[Action, ...] = ("design", "publish", "approve")


@dataclass(frozen=True)
class Listed:
    """One flow with its draft and its newest request that is not decided or not published yet."""

    flow: FlowRow
    draft: DraftInfo | None
    request: Publication | None

    @property
    def design(self) -> Design:
        return Design(self.flow.name, self.flow, None)

    @property
    def rules(self) -> str:
        return self.design.address("rules")

    @property
    def publish(self) -> str:
        return self.design.address("publish")

    @property
    def versions(self) -> str:
        return self.design.address("versions")


@dataclass(frozen=True)
class Waiting:
    """A draft or a request to publish that is not decided or published yet."""

    title: str
    about: str
    address: str


@require_safe
@page
def flows(request: HttpRequest) -> HttpResponse:
    """Return one page of the flows that the user sees, by name after `after`, whose names have `q`."""
    user = request.user
    wanted, after = text(request, "q"), text(request, "after")
    with snapshot():
        visible = visible_flows(user)
        if not (designs(user) or visible is None or visible):
            raise Http404
        found = listed(visible, wanted, after, PER_PAGE + 1)
        drafts = {each.flow: each for each in api.drafts.list() if each.branch == MAIN and not each.closed}
        requests = {each.flow: each for each in reversed(api.publications.list(only_open=True, limit=500))}
    shown = [Listed(flow, drafts.get(flow.name), requests.get(flow.name)) for flow in found[:PER_PAGE]]
    context = {
        "flows": shown,
        "more": shown[-1].flow.name if len(found) > PER_PAGE else "",
        "after": after,
        "wanted": wanted,
        "drafts": unpublished(user),
        "may_add": may_add(user),
    }
    return render(request, "admin/flows/designer/flows.html", context)


def waiting(user: AnyUser, limit: int = 8) -> list[Waiting]:
    """Return the open requests and the drafts of the flows that the user may design, the newest first."""
    requests = api.publications.list(only_open=True, limit=limit)
    drafts = [each for each in api.drafts.list() if each.branch == MAIN and not each.closed][:limit]
    known = flow_rows({each.flow for each in requests} | {each.flow for each in drafts})
    found = [
        (each.flow, "publish", _("waits for approval") if each.status == "requested" else _("is scheduled"))
        for each in requests
    ]
    found += [
        (each.flow, "rules", _("draft, saved by %(who)s") % {"who": each.changed_by}) for each in drafts
    ]
    return [
        Waiting(flow, about, Design(flow, known.get(flow), None).address(tab))
        for flow, tab, about in found
        if any(may(user, action, flow) for action in DESIGNING)
    ][:limit]
