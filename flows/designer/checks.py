"""The tab with the checks of a definition: what is allowed and probably not meant, each with its evidence."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows.api.linting import lint
from flows.definition.lint import Finding
from flows.designer.draft import Design
from flows.designer.shown import rule_title
from flows.designer.tabs import flow_page
from flows.designer.trying import limited
from flows.designer.values import as_text
from flows.errors import WedError
from flows.queries.base import snapshot
from pages.guard import page

_SEVERITY = {"error": ("E", "!"), "warning": ("W", "!"), "info": ("S", "i")}


@require_safe
@page
def checks(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the page with the findings about the draft, or about the running definition without one."""
    with snapshot():
        context = flow_page(request, flow_id, "checks")
        design: Design = context["design"]
        problems = design.problems
    if not problems:
        try:
            with limited():
                found = lint(design.name, design.definition)
            context["findings"] = [_shown(design, finding) for finding in found]
        except WedError as error:
            context["error"] = error.sentence
    return render(request, "admin/flows/designer/checks.html", context | {"problems": problems})


def _shown(design: Design, finding: Finding) -> dict[str, Any]:
    """Return a finding with the part that it concerns, its place on the pages, and what shows it."""
    part, place, *_option = (*finding.path, None, None)
    kind, glyph = _SEVERITY[finding.severity]
    return {
        "finding": finding,
        "kind": kind,
        "glyph": glyph,
        "severity": {"error": _("error"), "warning": _("warning"), "info": _("note")}[finding.severity],
        "how": {"proved": _("proved"), "declared": _("declared"), "observed": _("observed")}[finding.how],
        "about": _about(design.definition, part, place),
        "address": _address(design, part, place),
        "state": [(name, as_text(value) or "∅") for name, value in (finding.state or {}).items()],
    }


def _about(definition: dict[str, Any], part: Any, place: Any) -> str:
    if not isinstance(place, int) or part not in ("triggers", "attributes"):
        return ""
    item = definition[part][place]
    return str(item.get("name", "")) if part == "attributes" else rule_title(item) or _("Final")


def _address(design: Design, part: Any, place: Any) -> str:
    """Return the page where the part is changed: the row is named by its place, from 1."""
    tab = {"triggers": "rules", "attributes": "attributes"}.get(part)
    if tab is None or not isinstance(place, int):
        return ""
    name = "rule" if tab == "rules" else "attribute"
    return f"{design.address(tab)}?{name}={place + 1}"
