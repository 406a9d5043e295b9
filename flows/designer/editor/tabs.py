"""The tabs Rules, Attributes and Settings, which edit the draft of a flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows.designer.draft import conflicts
from flows.designer.draft.content import Design, Seen, design_of, may_edit
from flows.designer.draft.edits import ACTIONS, OPTIONS, Edit, NoSuchItem, with_timeout
from flows.designer.draft.submission import Conflicting, Forgotten, Saved, save
from flows.designer.draft.tabs import design_page
from flows.designer.editor import lists, named_objects
from flows.designer.editor.fields import OptionsForm
from flows.designer.forms import form_preview
from flows.errors import Refused
from flows.labels import translate_label
from flows.queries.server.notifications import Withheld, state_withheld
from pages.guard import page

NEW = "new"
ANOTHER = "another"  # saves, and shows the form of a new one
# What the list does with an item whose form is not shown.
WITHOUT_FORM = ("delete", "move")
# The tab by the list of the definition.
# Attributes that a rule may write are chosen in boxes if there are no more of them, and else typed.
MOST_BOXES = 40
TAB = {"triggers": "rules", "attributes": "attributes", "settings": "settings"}


@dataclass(frozen=True)
class Choice:
    """The item that the side panel shows: its place, or None for a new one, which has `values` already."""

    place: int | None
    values: Mapping[str, Any] = field(default_factory=dict)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def rules(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Show the rules of the draft and one of them to edit, or save a change of it."""
    design = design_of(request, flow_id, name)
    if request.method == "POST" and request.POST.get("do") == "form":
        return form_preview.show(request, design)
    return _tab(request, design, name, "triggers")


@require_http_methods(["GET", "HEAD", "POST"])
@page
def attributes(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Show the attributes of the draft and one of them to edit, or save a change of it."""
    return _tab(request, design_of(request, flow_id, name), name, "attributes")


@require_http_methods(["GET", "HEAD", "POST"])
@page
def settings(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Show the flow's own options to edit, or save them."""
    return _tab(request, design_of(request, flow_id, name), name, "settings")


def _tab(request: HttpRequest, design: Design, name: str | None, part: str) -> HttpResponse:
    if name is not None and design.flow and request.method != "POST":
        return HttpResponseRedirect(design.address(TAB[part]))  # it was published meanwhile
    if request.method == "POST":
        return _post(request, design, part)
    if part not in lists.CHOICE:
        return _show(request, design, part, Choice(None))
    asked = request.GET.get(lists.CHOICE[part])
    choice = _chosen(asked, design, part, _begun(request, design, part))
    return _show(request, design, part, choice, error=_missing(part) if asked and choice is None else "")


def _begun(request: HttpRequest, design: Design, part: str) -> dict[str, Any]:
    """Return the values that the address gives a new rule: a named condition, or when one has to hold."""
    if part != "triggers" or request.GET.get(lists.CHOICE[part]) != NEW:
        return {}
    when = request.GET.get("integrity", "")
    values = {"integrity": when} if when in OPTIONS[part]["integrity"].choices else {}
    return values | named_objects.begun(
        design, request.GET.get("condition", ""), request.GET.get("transition", "")
    )


def _missing(part: str) -> str:
    if part == "triggers":
        return _("There is no such rule in this draft.")
    return _("There is no such attribute in this draft.")


def _chosen(
    text: str | None, design: Design, part: str, given: Mapping[str, Any] | None = None
) -> Choice | None:
    """Return the item that is named by its place (from 1), "new", or its number as in "id:7"."""
    items = design.definition[part]
    if text == NEW:
        return Choice(None, given or {})
    if text and text.startswith("id:"):
        places = [place for place, item in enumerate(items) if str(item.get("id")) == text[3:]]
        return Choice(places[0]) if places else None
    place = _number(text or "")
    return Choice(place - 1) if place and place <= len(items) else None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


def _show(
    request: HttpRequest,
    design: Design,
    part: str,
    choice: Choice | None,
    form: OptionsForm | None = None,
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    """Return the page; `form` has what was typed."""
    editable = may_edit(request.user, design)
    if choice is not None and (editable or choice.place is not None or part == "settings"):
        form = form or _form(design, part, choice)
    else:
        form = None
    context = design_page(request, design, TAB[part]) | lists.tab(
        design, part, form, choice.place if choice else None
    )
    if part == "settings" and design.flow:
        context["withheld"] = [_withheld(found) for found in state_withheld(design.name)]
    context |= {"error": error, "publish_leads": context["publish_leads"] and form is None}
    return render(request, f"admin/flows/designer/{TAB[part]}.html", context, status=status)


def _withheld(found: Withheld) -> str:
    """Say why notifications of jobs do not contain the state."""
    if found.reason == "roles":
        text = _("Notifications of jobs contain no state: roles without access to it may log in (%(names)s).")
    elif found.reason == "attributes":
        text = _("Notifications of jobs contain no state: it has masked or hidden attributes (%(names)s).")
    else:
        text = _("Notifications of jobs contain no state, as set below.")
    return text % {"names": ", ".join(found.names)}


def _form(design: Design, part: str, choice: Choice, data: Mapping[str, Any] | None = None) -> OptionsForm:
    values: dict[str, Any] = design.definition
    if part in lists.CHOICE:
        items = values[part]
        found = choice.place is not None and choice.place < len(items)
        values = with_timeout(values, part, items[choice.place] if found else dict(choice.values))
    names = _attributes(design) if part == "triggers" else {}
    required = "name" if part == "attributes" else ""
    conditions = named_objects.known(design) if part == "triggers" else {}
    return OptionsForm(
        OPTIONS[part], values, data, required=required, attributes=names, conditions=conditions
    )


def _attributes(design: Design) -> dict[str, str]:
    """Return the names of the attributes, with what a box of each says; of many none, which are typed."""
    known = design.definition["attributes"]
    found = {}
    for each in known if len(known) <= MOST_BOXES else ():
        name, label = str(each.get("name") or ""), translate_label(str(each.get("label") or ""))
        if name:
            found[name] = f"{label} ({name})" if label else name
    return found


def _post(request: HttpRequest, design: Design, part: str) -> HttpResponse:
    if not may_edit(request.user, design):
        raise Http404
    asked = _asked(request, design, part)
    if asked is None:
        messages.error(request, _("The form was sent incompletely. Nothing was saved."))
        return HttpResponseRedirect(design.address(TAB[part]))
    seen, edit, form = asked
    choice = Choice(edit.place)
    if form is not None and not form.is_valid():
        error = _("Nothing was saved. Correct what is marked below, then save again.")
        return _show(request, design, part, choice, form, error)
    edit = replace(edit, values=form.values() if form else {}, shared="shared" in request.POST)
    try:
        saved = save(design, seen, edit, request.user.get_username(), conflicts.choices(request))
    except Conflicting as found:
        return conflicts.ask(request, design, TAB[part], found)
    except NoSuchItem:
        error = _(
            "What you changed is not in the draft. Nothing was saved; saving again adds it as a new one."
        )
    except Forgotten:
        error = _(
            "The draft was discarded after you opened this page. Nothing was saved; what you typed is below,"
            " and saving adds it to the present definition as a new one."
        )
    except Refused as refused:
        return _show(request, design_of(request, None, design.name), part, choice, form, refused.sentence)
    else:
        return _saved(request, design, part, edit, saved)
    return _show(request, design_of(request, None, design.name), part, Choice(None), form, error, 409)


def _asked(request: HttpRequest, design: Design, part: str) -> tuple[Seen, Edit, OptionsForm | None] | None:
    """Return the item of the page, the action and the form; None for a request that no page sends."""
    seen = Seen.read(request.POST.get("seen", ""))
    action = request.POST.get("do", "save").replace(ANOTHER, "save")
    item = request.POST.get("item", NEW)
    place = _number(item)
    if seen is None or action not in ACTIONS or (part in lists.CHOICE and item != NEW and not place):
        return None
    if part in lists.CHOICE and item == NEW and action != "move":
        action = "add"
    at = place - 1 if place and part in lists.CHOICE else None
    to = _number(request.POST.get("to", "")) if action == "move" else 1
    if not to or (action == "move" and at is None):
        return None
    form = None if action in WITHOUT_FORM else _form(design, part, Choice(at), request.POST)
    return seen, Edit(part, action, at, to=to - 1), form


def _saved(request: HttpRequest, design: Design, part: str, edit: Edit, saved: Saved) -> HttpResponse:
    """Say what was saved, and show the item again."""
    text = _("Saved in the draft: %(summary)s.") % {"summary": saved.summary}
    if saved.with_whom:
        text += " " + _("It was merged with what %(who)s saved in the meantime.") % {"who": saved.with_whom}
    messages.success(request, text)
    address = design.address(TAB[part])
    if part in lists.CHOICE and edit.action not in WITHOUT_FORM and saved.place is not None:
        chosen = NEW if request.POST.get("do") == ANOTHER else saved.place + 1
        address += f"?{urlencode({lists.CHOICE[part]: chosen})}#panel"
    return HttpResponseRedirect(address)
