"""The picture of a flow: drawn in the browser, listed as a table, and exported as Mermaid."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows import api
from flows.access import may
from flows.designer.draft.content import Design
from flows.designer.draft.tabs import flow_page
from flows.designer.picture import mermaid
from flows.designer.picture.diagram import diagrams_of
from flows.designer.picture.drawings import data, name
from flows.designer.picture.picture_table import sections
from flows.queries import jobs
from flows.queries.base import snapshot
from flows.queries.definitions import FlowInfo
from flows.queries.graph import graph
from flows.queries.rule_groups import grouped
from pages.guard import page

# Jobs are counted up to this number.
MOST_JOBS = 99


@require_safe
@page
def picture(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the page with the picture of the running definition; `?format=mermaid` downloads it as text."""
    with snapshot():
        context = flow_page(request, flow_id, "picture")
        flow: FlowInfo = context["flow"]
        drawn = graph(flow_id)
        found = {queue.transition: queue.pending for queue in jobs.queues(flow_id, MOST_JOBS)}
    groups = grouped(drawn, flow)
    if request.GET.get("format") == "mermaid":
        return _download(mermaid.text(drawn, name, groups), f"{flow.name}.mmd")
    context |= {"graph": drawn, "data": data(drawn, groups), "sections": sections(flow, drawn, groups, found)}
    context["shown"] = diagrams_of(flow.name)
    context |= {
        "rules_address": context["design"].address("rules"),
        "pdl_address": _pdl(request, context["design"]),
    }
    return render(request, "admin/flows/designer/picture.html", context)


def _pdl(request: HttpRequest, design: Design) -> str:
    """Return the address of the page that edits the text of a flow that was made of PDL; "" for others."""
    source = api.flows.read_source(design.name)
    edits = source is not None and source["language"] == "pdl" and may(request.user, "design", design.name)
    return design.address("pdl") if edits else ""


def _download(content: str, name: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}"'
    return HttpResponse(content, "text/plain; charset=utf-8", headers={"Content-Disposition": disposition})
