"""What is done to a whole draft: undo, redo, merge with what runs, discard."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin, messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.definition.merge import merge
from flows.designer.draft import conflicts
from flows.designer.draft.content import Design, Seen, design_of, may_edit
from flows.designer.draft.submission import Conflicting, resolved, to_decide
from flows.designer.draft.tabs import design_page
from flows.errors import Refused
from flows.summaries import Summary
from flows.types import Draft
from pages.guard import page

Action = Callable[[HttpRequest, Design, Draft], HttpResponse]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def draft(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Ask whether to discard the draft, or do what a form asks: undo, redo, update, discard."""
    design = design_of(request, flow_id, name)
    if not may_edit(request.user, design):
        raise Http404
    if design.draft is None:
        messages.info(request, _("This flow has no draft any more."))
        return HttpResponseRedirect(design.address("rules"))
    if request.method != "POST":
        return render(request, "admin/flows/designer/discard.html", design_page(request, design, "rules"))
    do = {"undo": _undo, "redo": _redo, "update": _update, "discard": _discard}.get(
        request.POST.get("do", "")
    )
    if do is None:
        messages.error(request, _("The form was sent incompletely. Nothing was saved."))
        return HttpResponseRedirect(design.address("rules"))
    return _done(request, design, design.draft, do)


def _done(request: HttpRequest, design: Design, found: Draft, do: Action) -> HttpResponse:
    if Seen.read(request.POST.get("seen", "")) != Seen.of(found):
        text = _("%(who)s saved the draft after you opened this page. Look at it, then do it again.")
        messages.warning(request, text % {"who": found.changed_by})
        return HttpResponseRedirect(design.address("rules"))
    try:
        with transaction.atomic():
            return do(request, design, found)
    except Conflicting as conflicting:
        return conflicts.ask(request, design, "rules", conflicting, design.address("draft"))
    except Refused as error:
        messages.error(request, error.sentence)
        return HttpResponseRedirect(design.address("rules"))


def _undo(request: HttpRequest, design: Design, found: Draft) -> HttpResponse:
    api.drafts.undo(found.at, actor=request.user.get_username())
    messages.success(request, _("Undone."))
    return _back(request, design)


def _redo(request: HttpRequest, design: Design, found: Draft) -> HttpResponse:
    api.drafts.redo(found.at, actor=request.user.get_username())
    messages.success(request, _("Done again."))
    return _back(request, design)


def _back(request: HttpRequest, design: Design) -> HttpResponse:
    tab = request.POST.get("tab", "")
    address = design.address(tab if tab in ("rules", "attributes", "forms", "settings") else "rules")
    task = request.POST.get("task", "")
    shown = tab == "forms" and task.isascii() and task.isdigit() and len(task) < 7
    return HttpResponseRedirect(f"{address}?rule={task}" if shown else address)


def _update(request: HttpRequest, design: Design, found: Draft) -> HttpResponse:
    """Merge the draft with the running definition."""
    merged, version = api.drafts.merge_running(found)
    definition, asked = merged.definition, to_decide(merged)
    if asked:
        chosen = conflicts.choices(request)
        if (
            chosen is None
            or chosen.seen != str(Seen.of(found))
            or set(chosen.sides) != set(range(len(asked)))
        ):
            raise Conflicting(asked, found, definition)
        other = merge(found.base, api.drafts.running_definition(found.flow)[1], found.definition).definition
        definition = resolved(definition, [(c, chosen.sides[n]) for n, c in enumerate(asked)], other)
    summary = Summary("merged with version %(version)s", {"version": version})
    actor = request.user.get_username()
    api.drafts.save(found.at, definition, summary=summary, base_version=version, actor=actor)
    text = _("The draft now changes version %(version)s.") % {"version": version}
    messages.success(request, text)
    return HttpResponseRedirect(design.address("rules"))


def _discard(request: HttpRequest, design: Design, found: Draft) -> HttpResponse:
    api.drafts.discard(found.at)
    messages.success(request, _("The draft was discarded."))
    if design.flow is None:
        return HttpResponseRedirect(reverse(f"{admin.site.name}:flows_flow_changelist"))
    return HttpResponseRedirect(design.address("rules"))
