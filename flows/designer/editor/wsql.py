"""The page that takes statements of WSQL, checks them, shows the SQL that each becomes, and saves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows.access import may
from flows.designer.draft import conflicts
from flows.designer.draft.content import Design, Seen, design_of, may_edit
from flows.designer.draft.submission import Conflicting, Forgotten, content, save
from flows.designer.draft.tabs import design_page
from flows.errors import Refused
from flows.languages.wsql import WsqlError, help
from flows.languages.wsql.drafts import Applied, apply_to_draft
from flows.summaries import Summary
from pages.guard import page

DEFINING = (
    "create_attribute", "create_condition", "create_transition", "create_trigger", "update_attribute",
    "update_transition", "enable_trigger", "attribute_set", "condition_set", "transition_set", "trigger_set",
    "final_set",
)  # fmt: skip


@dataclass(frozen=True)
class Statements:
    """Statements of WSQL as a change of a draft."""

    flow: str
    text: str
    part: str = "settings"

    def applied(self, definition: dict[str, Any]) -> tuple[dict[str, Any], Summary, None]:
        """Return the changed definition and a summary. Raises WsqlError, WedError."""
        found = _applied(self.text, self.flow, definition)
        n = len(found.statements)
        return found.definition, Summary("%(n)s statement", {"n": n}, plural="%(n)s statements"), None

    def renames(self, _definition: dict[str, Any]) -> list[tuple[str, str]]:
        """Return nothing: no statement gives an attribute another name."""
        return []


@require_http_methods(["GET", "HEAD", "POST"])
@page
def wsql(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Ask for statements, show what they become, or save them in the draft."""
    design = design_of(request, flow_id, name)
    if not may_edit(request.user, design):
        raise Http404
    if request.method != "POST":
        return _show(request, design, {})
    seen = Seen.read(request.POST.get("seen", ""))
    text = request.POST.get("statements", "").replace("\r\n", "\n")
    if seen is None:
        messages.error(request, _("The form was sent incompletely. Nothing was saved."))
        return HttpResponseRedirect(design.address("wsql"))
    return _answer(request, design, seen, text)


def _answer(request: HttpRequest, design: Design, seen: Seen, text: str) -> HttpResponse:
    """Do what the button says, or show why it cannot be done."""
    shown = {"text": text, "seen": str(seen)}
    try:
        return _post(request, design, seen, shown)
    except WsqlError as wrong:
        return _show(request, design, shown | {"wrong": [wrong, *wrong.others]})
    except Conflicting as found:
        return conflicts.ask(request, design, "text", found, design.address("wsql"))
    except Forgotten:
        error = _("The draft was discarded after you opened this page. Nothing was saved.")
        return _show(request, design_of(request, None, design.name), {"text": text, "error": error}, 409)
    except Refused as refused:
        return _show(request, design, shown | {"error": refused.sentence}, 409)


def _post(request: HttpRequest, design: Design, seen: Seen, shown: dict[str, Any]) -> HttpResponse:
    """Check the statements, and save them if that was asked."""
    change = Statements(design.name, shown["text"])
    if request.POST.get("do") == "check":
        return _show(request, design, shown | {"found": _checked(design, seen, shown["text"])})
    saved = save(design, seen, change, request.user.get_username(), conflicts.choices(request))
    messages.success(request, _("Saved in the draft: %(summary)s.") % {"summary": saved.summary})
    publishes = request.POST.get("do") == "publish" and may(request.user, "publish", design.name)
    now = design_of(request, None, design.name)
    return HttpResponseRedirect(now.address("publish" if publishes else "wsql"))


def _checked(design: Design, seen: Seen, text: str) -> Applied:
    with transaction.atomic():
        base = content(seen, design.draft) if design.draft else design.definition
        return _applied(text, design.name, base)


def _applied(text: str, flow: str, definition: dict[str, Any]) -> Applied:
    """Return the definition after the statements. Raises WsqlError, and WedError if there are none."""
    found = apply_to_draft(text, flow, definition)
    if not found.statements:
        raise Refused(_("There is no statement in the text. Write at least one."))
    return found


def _show(request: HttpRequest, design: Design, shown: dict[str, Any], status: int = 200) -> HttpResponse:
    context = design_page(request, design, "text") | shown
    context |= {"publish_leads": False, "back": design.address("text")}
    context["syntax"] = "\n".join(help.explained(DEFINING))
    context["publishes"] = may(request.user, "publish", design.name)
    return render(request, "admin/flows/designer/wsql.html", context, status=status)
