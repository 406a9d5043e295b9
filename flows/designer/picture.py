"""The picture of a flow: drawn in the browser, listed as a table, and exported as Mermaid."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows.designer import mermaid
from flows.designer.tabs import flow_page
from flows.queries.base import snapshot
from flows.queries.graph import Edge, Graph, Node, graph
from pages.guard import page


@require_safe
@page
def picture(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the page with the picture of the running definition; `?format=mermaid` downloads it as text."""
    with snapshot():
        context = flow_page(request, flow_id, "picture")
        drawn = graph(flow_id)
    if request.GET.get("format") == "mermaid":
        return _download(mermaid.text(drawn, name), f"{context['flow'].name}.mmd")
    context |= {"graph": drawn, "data": data(drawn), "table": table(drawn)}
    return render(request, "admin/flows/designer/picture.html", context)


def _download(content: str, name: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}"'
    return HttpResponse(content, "text/plain; charset=utf-8", headers={"Content-Disposition": disposition})


def name(node: Node) -> str:
    """Return the name of a node as the page shows it."""
    if node.rule and (node.kind == "rule" or node.rule.label):
        return node.rule.title
    return {
        "start": _("Start"),
        "final": _("Final"),
        "exception": _("Exception"),
        "other": _("Other changes"),
    }[node.kind]


def data(drawn: Graph) -> dict[str, Any]:
    """Return what the script draws."""
    return {
        "nodes": [
            {
                "id": node.id,
                "kind": node.kind,
                "title": name(node),
                "condition": node.rule.predicate if node.rule else "",
                "transition": node.rule.transition if node.rule else "",
                "enabled": node.rule.enabled if node.rule else True,
            }
            for node in drawn.nodes
        ],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "attributes": list(edge.attributes),
                "count": edge.count,
                "share": round(edge.share, 4),
            }
            for edge in drawn.edges
        ],
    }


def table(drawn: Graph) -> list[dict[str, Any]]:
    """Return the same content for screen readers: per node what follows from it, the most frequent first."""
    names = {node.id: name(node) for node in drawn.nodes}

    def following(node: Node) -> list[dict[str, Any]]:
        found: list[Edge] = sorted((e for e in drawn.edges if e.source == node.id), key=lambda e: -e.count)
        return [
            {
                "name": names[e.target],
                "target": e.target,
                "attributes": ", ".join(e.attributes),
                "count": e.count,
                "percent": round(100 * e.share),
            }
            for e in found
        ]

    return [
        {"node": node, "name": names[node.id], "next": following(node)}
        for node in drawn.nodes
        if node.kind != "final"
    ]
