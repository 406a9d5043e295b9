"""The page that takes rows of a spreadsheet, shows what they would become, and saves them as one change."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.designer.draft import conflicts
from flows.designer.draft.content import Design, Seen, by_item, design_of, may_edit
from flows.designer.draft.edits import OPTIONS
from flows.designer.draft.submission import Conflicting, Forgotten, content, save
from flows.designer.draft.tabs import design_page
from flows.designer.editor import rows
from flows.designer.editor.rows import NoRows, Pasting, Table
from flows.errors import Refused
from pages.guard import page

TABS = {"triggers": "rules", "attributes": "attributes"}


@require_http_methods(["GET", "HEAD", "POST"])
@page
def paste(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Ask for rows, show them with their problems, or save them."""
    design = design_of(request, flow_id, name)
    given = request.POST if request.method == "POST" else request.GET
    part = given.get("part", "triggers")
    if not may_edit(request.user, design) or part not in TABS:
        raise Http404
    if request.method != "POST":
        return _show(request, design, part, {})
    seen = Seen.read(request.POST.get("seen", ""))
    if seen is None:
        messages.error(request, _("The form was sent incompletely. Nothing was saved."))
        return HttpResponseRedirect(design.address(TABS[part]))
    return _post(request, design, part, seen)


def _post(request: HttpRequest, design: Design, part: str, seen: Seen) -> HttpResponse:
    text = request.POST.get("rows", "").replace("\r\n", "\n")
    shown = {"text": text, "seen": str(seen)}
    try:
        return _taken(request, design, part, seen, rows.read(part, text), shown)
    except NoRows as wrong:
        return _show(request, design, part, shown | {"error": str(wrong)})
    except Conflicting as found:
        return conflicts.ask(request, design, TABS[part], found, design.address("paste"))
    except Forgotten:
        error = _(
            "The draft was discarded after you opened this page. Nothing was saved; saving adds the rows."
        )
        now = design_of(request, None, design.name)
        return _show(request, now, part, {"text": text, "error": error}, 409)
    except Refused as refused:
        return _show(request, design, part, shown | {"error": refused.sentence}, 409)


def _taken(
    request: HttpRequest, design: Design, part: str, seen: Seen, table: Table, shown: dict[str, Any]
) -> HttpResponse:
    """Save the rows, or show them as a table where that was asked or a cell is no value."""
    change = Pasting(part, table.rows)
    if request.POST.get("do") == "preview" or table.wrong:
        with transaction.atomic():
            base = content(seen, design.draft) if design.draft else design.definition
        return _show(request, design, part, shown | {"table": table, "rows": _preview(design, base, change)})
    saved = save(design, seen, change, request.user.get_username(), conflicts.choices(request))
    messages.success(request, _("Saved in the draft: %(summary)s.") % {"summary": saved.summary})
    return HttpResponseRedirect(design.address(TABS[part]))


def _preview(design: Design, base: dict[str, Any], change: Pasting) -> list[dict[str, Any]]:
    """Return the rows with the problems that the definition would have with them."""
    changed, _summary, _none = change.applied(base)
    found = by_item(api.conditions.check_definition(design.name, changed), change.part)
    shown = []
    for place, row in zip(change.places(base), change.rows, strict=True):
        own = found.get(place, {})
        texts = {name: [str(each.message) for each in each_own] for name, each_own in own.items()}
        problems = {
            name: [*row.problems.get(name, []), *texts.get(name, [])] for name in {*row.problems, *texts}
        }
        shown.append({"row": row, "new": place >= len(base[change.part]), "problems": problems})
    return shown


def _show(
    request: HttpRequest, design: Design, part: str, shown: dict[str, Any], status: int = 200
) -> HttpResponse:
    table = shown.get("table")
    context = (
        design_page(request, design, TABS[part]) | shown | {"part": part, "back": design.address(TABS[part])}
    )
    context["publish_leads"] = False
    context["usual"] = [OPTIONS[part][name].label for name in rows.USUAL[part]]
    if table is not None:
        context["columns"] = [column.label for column in table.columns]
        context["rows"] = [
            each
            | {
                "cells": [
                    (
                        column.label,
                        each["row"].cells.get(column.name, ""),
                        each["problems"].get(column.name, []),
                    )
                    for column in table.columns
                ],
                "others": [
                    text
                    for name, texts in each["problems"].items()
                    if name not in {column.name for column in table.columns}
                    for text in texts
                ],
            }
            for each in shown["rows"]
        ]
    return render(request, "admin/flows/designer/paste.html", context, status=status)
