"""The page on which a workflow is written in PDL, beside its picture and what its checks find."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import AnyUser, may, may_add
from flows.designer.draft.content import Design, design_of, main_draft
from flows.designer.draft.rewrites import Rewriting
from flows.designer.draft.tabs import design_page
from flows.designer.imports.page import ImportForm, found
from flows.designer.picture.diagram import Diagram, diagrams
from flows.designer.publication.open_warnings import held_by_others
from flows.designer.publication.publication_rights import may_publish
from flows.designer.trial.path import limited
from flows.errors import Refused
from flows.languages.pdl import BadPdl, Text
from flows.languages.pdl.picture import as_process, is_drawn
from flows.loading.pdl import ImportedWorkflow, examine, prepare_pdl
from flows.loading.processes import Checked, check_pdl, outcome, publish_file
from flows.queries.definitions import flow_by_name
from flows.summaries import Summary
from flows.users.holdings import confirmed, typed
from pages.guard import page

STARTING = """\
WORKFLOW Example {
  STRING Answer { VALUE ""; }
  TASK Ask: Form { OUT_CONTEXT Answer; ROLE Clerk; }
  TASK Check: Form { DEPENDS AND (Ask -> SUCCEEDED); IN_CONTEXT Answer; ROLE Senior; }
}

TASK Form {
  TYPE MANUAL;
  PRIORITY 0;
  DEADLINE 2 DAYS;
  DISCONNECTED_OPERATION FALSE;
}
"""
_LONGEST_ID = 100


@dataclass(frozen=True)
class Written:
    """What was written: the text, which of its workflows is meant, and the definition that it is to replace.

    `base` is a digest, since a version can have its second definition before its first instance; "" for none.
    """

    text: str
    workflow: str = ""
    base: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> Written:
        """Return the text and the choices that the page has sent."""
        sent = request.POST
        text = sent.get("text", "").replace("\r\n", "\n").replace("\r", "\n")
        return cls(text, sent.get("workflow", "").strip()[:_LONGEST_ID], sent.get("base", "")[:_LONGEST_ID])


@require_http_methods(["GET", "HEAD", "POST"])
@page
def pdl(request: HttpRequest, flow_id: int | None = None) -> HttpResponse:
    """Show the text of a flow, or the beginning of a new one, with its picture; check or publish it."""
    design = _design(request, flow_id)
    if request.method != "POST":
        return _show(request, design, _kept(design))
    written = Written.of(request)
    do = request.POST.get("do")
    if do == "look":
        return render(request, "admin/flows/designer/parts/pdl_found.html", _looked_at(written))
    form = _form(request, design)
    if not form.is_valid():
        return _show(request, design, written, {"form": form})
    if do == "draft" and design is not None:
        return _draft(request, design, written, form)
    return _answer(request, design, written, form, publish=do == "publish")


def _design(request: HttpRequest, flow_id: int | None) -> Design | None:
    """Return the flow of the page, None for a new one. Raises Http404 for who may not design it."""
    if flow_id is None:
        if not may_add(request.user):
            raise Http404
        return None
    design = design_of(request, flow_id, None)
    if not may(request.user, "design", design.name):
        raise Http404
    return design


def _kept(design: Design | None) -> Written:
    """Return the text of the draft or the present version of a flow; a short example for a new one."""
    if design is None:
        return Written(STARTING)
    source = (api.drafts.read_source(design.name) if design.draft else None) or api.flows.read_source(
        design.name
    )
    if source is None or source["language"] != "pdl":
        return Written("", base=_digest(design.name))
    return Written(source["text"], source["map"]["workflow"], _digest(design.name))


def _form(request: HttpRequest, design: Design | None) -> ImportForm:
    named = {"name": design.name} if design else request.POST
    return ImportForm(named, user=request.user, use_required_attribute=False)


def _looked_at(written: Written) -> dict[str, Any]:
    """Return the properties of a text that need no database: its problems and its picture."""
    examined = examine([Text(written.text)], written.workflow)
    shown: list[Diagram] = []
    if examined.workflow is not None and is_drawn(examined.workflow):
        shown = diagrams(as_process(examined.workflow, examined.library))
    too_many = examined.workflow is not None and not shown
    severities = [each.severity for each in examined.problems]
    counts = {"errors": severities.count("error"), "warnings": severities.count("warning")}
    return found(Checked(examined.problems), shown) | counts | {"shown": shown, "too_many": too_many}


def _answer(
    request: HttpRequest, design: Design | None, written: Written, form: ImportForm, *, publish: bool
) -> HttpResponse:
    """Check the text, and publish it if that was asked and nothing prevents it."""
    name = form.cleaned_data["name"]
    try:
        with limited():
            checked = check_pdl(name, written.text, written.workflow)
    except Refused as refused:
        return _show(request, design, written, {"form": form, "error": refused.sentence}, 409)
    now = _digest(name)
    stale = now != written.base
    if publish and checked.made is not None and not stale:
        if not may_publish(request.user, name):
            raise Http404
        why_not = _published(request, name, checked)
        if why_not is None:
            return HttpResponseRedirect(Design(name, flow_by_name(name), None).address("pdl"))
        why = {"form": form, "error": why_not.sentence, "held": held_by_others(why_not)}
        return _show(request, design, written, why, 409)
    surprising = stale and (publish or design is not None)  # of a new flow only its name is compared
    shown = {"form": form, "error": _stale() if surprising else "", "checked": checked}
    shown["held"] = typed(request.POST.get("held"))
    shown |= _rights(request.user, name)
    status = 409 if surprising else 200
    return _show(request, design, Written(written.text, written.workflow, now), shown, status)


def _draft(request: HttpRequest, design: Design, written: Written, form: ImportForm) -> HttpResponse:
    """Save what the text becomes in the draft, with the text, which becomes the source of its version."""
    shown: dict[str, Any] = {"form": form}
    try:
        made = prepare_pdl(design.name, [Text(written.text)], written.workflow)
    except BadPdl as found_problems:
        return _show(request, design, written, shown | {"checked": Checked(found_problems.problems)})
    if _digest(design.name) != written.base:
        now = Written(written.text, written.workflow, _digest(design.name))
        return _show(request, design, now, shown | {"error": _stale()}, 409)
    try:
        summary = _save_draft(design, made, request.user.get_username())
    except Refused as refused:
        return _show(request, design, written, shown | {"error": refused.sentence}, 409)
    messages.success(request, _("Saved in the draft: %(summary)s.") % {"summary": summary})
    return HttpResponseRedirect(design_of(request, None, design.name).address("pdl"))


def _save_draft(design: Design, made: ImportedWorkflow, actor: str) -> Summary:
    """Make a workflow the content of the draft; the base is compared before, so nothing is merged."""
    with transaction.atomic():
        draft = main_draft(design.name) or api.drafts.open(design.name, actor=actor)
        definition, summary, _place = Rewriting(made.compiled.definition).applied(draft.definition)
        api.drafts.save(draft.at, definition, summary=summary, actor=actor)
        api.drafts.keep_source(design.name, made.source)
    return summary


def _digest(name: str) -> str:
    """Return a digest of the flow's definition and its draft; empty if there is no such flow."""
    if flow_by_name(name) is None:
        return ""
    draft = main_draft(name)
    version, definition = api.drafts.running_definition(name)
    text = json.dumps([version, definition, draft.definition if draft else None], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _stale() -> str:
    """Return the changes of the flow since a text was begun."""
    return _(
        "The flow or its draft has another definition by now, which was not made from this text. Nothing was"
        " saved or published; your text is below, and saving or publishing it replaces that definition."
    )


def _rights(user: AnyUser, name: str) -> dict[str, Any]:
    """Return whether the user may publish a text that was checked, and as what."""
    return {"publishes": may_publish(user, name), "flow_name": name, "exists": flow_by_name(name) is not None}


def _published(request: HttpRequest, name: str, checked: Checked) -> Refused | None:
    """Publish what was checked, and return why it cannot be published; None if it was."""
    if checked.made is None:
        raise Http404
    try:
        with confirmed(typed(request.POST.get("held"))):
            done = publish_file(name, checked.made, request.user.get_username(), "written in PDL")
    except Refused as refused:
        return refused
    messages.success(request, outcome(done))
    return None


def _show(
    request: HttpRequest,
    design: Design | None,
    written: Written,
    shown: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "written": written,
        "form": ImportForm(user=request.user, use_required_attribute=False),
    }
    context |= _looked_at(written)
    context |= design_page(request, design, "picture") | {"publish_leads": False} if design else {}
    context |= {"opened": request.method != "POST"} | (shown or {})
    if design is not None:
        context |= {"by_hand": not written.text, "back": design.address("picture")}
    checked = context.get("checked")
    if checked is not None:
        context |= found(checked, context.get("shown", ()))
        context["errors"] = sum(each.severity == "error" for each in checked.problems)
    return render(request, "admin/flows/designer/pdl.html", context, status=status)
