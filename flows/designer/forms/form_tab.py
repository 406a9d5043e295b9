"""The tab Forms: the form of each task, its fields in their order, and how it looks at two widths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows.designer.draft import conflicts
from flows.designer.draft.content import Design, Seen, design_of, may_edit
from flows.designer.draft.edits import NoSuchItem, title
from flows.designer.draft.submission import Conflicting, Forgotten, save
from flows.designer.draft.tabs import design_page
from flows.designer.editor import lists
from flows.designer.forms import form_list, form_parts, form_preview
from flows.designer.forms.form_edits import ACTIONS, OF_FORM, FormEdit
from flows.designer.forms.form_fields import FieldForm, SectionForm
from flows.designer.forms.form_parts import Form, NoSuchPart, Place
from flows.errors import Refused
from pages.guard import page

PartForm = FieldForm | SectionForm


@dataclass(frozen=True)
class Opened:
    """The rule whose form is shown, by its place from 0, and the section or field that is edited."""

    place: int
    rule: Mapping[str, Any]
    at: Place | None = None

    @property
    def form(self) -> Form | None:
        """Return the form of the rule; None where it has none, or one that is no list of fields."""
        form = self.rule.get("form")
        return dict(form) if form_parts.is_listed(form) else None

    @property
    def part(self) -> dict[str, Any] | None:
        """Return the section or field that is edited."""
        try:
            return form_parts.part_at(self.form, self.at) if self.form and self.at else None
        except NoSuchPart:
            return None


@require_http_methods(["GET", "HEAD", "POST"])
@page
def forms(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Show the forms of the draft's tasks and one of them to edit, or save a change of it."""
    design = design_of(request, flow_id, name)
    if name is not None and design.flow and request.method != "POST":
        return HttpResponseRedirect(design.address("forms"))  # it was published meanwhile
    if request.method == "POST":
        return _post(request, design)
    asked = request.GET.get("rule")
    found = _opened(design, asked, request.GET.get("at", ""))
    error = _("There is no such task in this draft.") if asked and found is None else ""
    return _show(request, design, found, error=error)


def _opened(design: Design, rule: str | None, at: str) -> Opened | None:
    """Return the rule that is named by its place (from 1), else the first task; and the part of its form."""
    rules = design.definition["triggers"]
    if rule is None:
        rule = str(next((n + 1 for n, each in enumerate(rules) if _is_task(each)), ""))
    number = int(rule) if rule and rule.isascii() and rule.isdigit() and len(rule) < 7 else 0
    if not 1 <= number <= len(rules) or not _is_task(rules[number - 1]):
        return None
    return Opened(number - 1, rules[number - 1], Place.read(at))


def _is_task(rule: Mapping[str, Any]) -> bool:
    return rule.get("performer") == "person"


def _show(
    request: HttpRequest,
    design: Design,
    found: Opened | None,
    form: PartForm | None = None,
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    """Return the page; `form` has what was typed."""
    context = design_page(request, design, "forms")
    editable = context["editable"]
    tasks = [
        {"place": n + 1, "title": title("triggers", rule), "rule": rule, "count": _count(rule)}
        for n, rule in enumerate(design.definition["triggers"])
        if _is_task(rule)
    ]
    context |= {"tasks": tasks, "error": error, "opened": found}
    context |= {"summary": [lists.listed(design, problem) for problem in design.problems]}
    if found is not None:
        form = form or (_part_form(design, found) if editable else None)
        context |= _form_context(design, found, form)
    return render(request, "admin/flows/designer/forms.html", context, status=status)


def _count(rule: Mapping[str, Any]) -> int | None:
    """Return how many fields the form of a rule has; None where it has none."""
    form = rule.get("form")
    return sum(len(each["fields"]) for each in form["sections"]) if form_parts.is_listed(form) else None


def _form_context(design: Design, found: Opened, form: PartForm | None) -> dict[str, Any]:
    """Return the context of one form: its parts, the part that is edited, and its looks."""
    writable = form_preview.writable(design, found.rule)
    labels = form_list.labels(design)
    shown = found.form or (form_preview.usual(design, found.rule) if not found.rule.get("form") else None)
    own = [each for each in design.problems if each.path[:3] == ("triggers", found.place, "form")]
    return {
        "task_title": title("triggers", found.rule),
        "parts": form_list.rows(shown, found.at, labels, writable) if shown else [],
        "is_default": not found.rule.get("form"),
        "is_listed": found.form is not None or not found.rule.get("form"),
        "addable": form_list.addable(found.form, labels, writable) if found.form else [],
        "form": form,
        "part_title": _part_title(found, labels) if form is not None else "",
        "is_field": bool(found.at and found.at.field is not None),
        "writable": bool(found.part and found.part.get("attribute") in writable),
        "attributes": lists.readable(design.definition),
        "loose": [lists.Described(each, None) for each in own],
        "looks": [
            {"kind": kind} | form_preview.look(design, dict(found.rule) | {"form": shown}, f"{kind}-")
            for kind in form_preview.WIDTHS
        ],
        "number": found.place + 1,
    }


def _part_title(found: Opened, labels: Mapping[str, str]) -> str:
    part = found.part or {}
    if found.at and found.at.field is not None:
        name = str(part.get("attribute") or "")
        return labels.get(name, name)
    return str(part.get("title") or "") or _("Section without a title")


def _part_form(design: Design, found: Opened, data: Mapping[str, Any] | None = None) -> PartForm | None:
    """Return the fields that describe the part that is edited; None where none is."""
    part = found.part
    if part is None or found.at is None:
        return None
    if found.at.field is None:
        return SectionForm(
            data,
            initial={name: str(part.get(name) or "") for name in ("title", "help")},
            use_required_attribute=False,
        )
    name = str(part["attribute"])
    types = {str(one.get("name")): str(one.get("type") or "text") for one in design.definition["attributes"]}
    writes = name in form_preview.writable(design, found.rule)
    return FieldForm(part, types.get(name, "text"), writes, data)


def _post(request: HttpRequest, design: Design) -> HttpResponse:
    if not may_edit(request.user, design):
        raise Http404
    found = _opened(design, request.POST.get("rule"), request.POST.get("at", ""))
    seen = Seen.read(request.POST.get("seen", ""))
    if found is None or seen is None:
        messages.error(request, _("The form was sent incompletely. Nothing was saved."))
        return HttpResponseRedirect(design.address("forms"))
    form = _part_form(design, found, request.POST)
    if request.POST.get("do") == "look":
        return form_preview.show_part(request, design, found, form)
    return _change(request, design, found, seen, form)


def _change(
    request: HttpRequest, design: Design, found: Opened, seen: Seen, form: PartForm | None
) -> HttpResponse:
    """Save what was typed of the open part, and do what a button asks for."""
    edit = _edit(request, design, found, form)
    if edit is None:
        messages.error(request, _("The form was sent incompletely. Nothing was saved."))
        return HttpResponseRedirect(f"{design.address('forms')}?rule={found.place + 1}")
    if form is not None and edit.action not in (*OF_FORM, "delete") and not form.is_valid():
        error = _("Nothing was saved. Correct what is marked below, then save again.")
        return _show(request, design, found, form, error)
    try:
        saved = save(design, seen, edit, request.user.get_username(), conflicts.choices(request))
    except Conflicting as differing:
        return conflicts.ask(request, design, "forms", differing)
    except (NoSuchItem, Forgotten):
        error = _(
            "The form was changed after you opened this page. Nothing was saved; what you typed is below."
        )
    except Refused as refused:
        error = refused.sentence
    else:
        text = _("Saved in the draft: %(summary)s.") % {"summary": saved.summary}
        if saved.with_whom:
            text += " " + _("It was merged with what %(who)s saved in the meantime.") % {
                "who": saved.with_whom
            }
        messages.success(request, text)
        return HttpResponseRedirect(_next(request, design, found, edit, saved.place))
    return _show(request, design_of(request, None, design.name), found, form, error, 409)


def _edit(request: HttpRequest, design: Design, found: Opened, form: PartForm | None) -> FormEdit | None:
    """Return the change that a button asks for; None for what no page sends."""
    action, _colon, rest = request.POST.get("do", "save").partition(":")
    if action not in ACTIONS or (action not in OF_FORM and found.form is None):
        return None
    source, _arrow, to = rest.partition(":")
    typed = None
    if form is not None and action not in (*OF_FORM, "delete") and form.is_valid():
        typed = form.part() if isinstance(form, FieldForm) else form.part(found.part or {})
    edit = FormEdit(found.place, action, found.at if found.part else None, typed)
    if action == "begin":
        return FormEdit(found.place, action, begun=form_preview.usual(design, found.rule))
    if action == "add":
        section, attribute = Place.read(rest), request.POST.get(f"attribute-{rest}", "")
        known = attribute in form_list.labels(design) and section is not None and section.field is None
        return FormEdit(found.place, action, edit.at, typed, section, attribute=attribute) if known else None
    if action == "move":
        at, there = Place.read(source), Place.read(to)
        return FormEdit(found.place, action, edit.at, typed, there, at) if at and there else None
    return edit


def _next(request: HttpRequest, design: Design, found: Opened, edit: FormEdit, place: int | None) -> str:
    """Return the address that shows the form again, with the part that was edited."""
    address = design.address("forms")
    if place is None:
        return address
    part = Place.read(request.POST.get("next", "")) if edit.action == "save" else None
    try:
        part = part or edit.after(found.rule.get("form"))
    except NoSuchItem:
        part = None
    if part is None:
        return f"{address}?{urlencode({'rule': place + 1})}#form"
    anchor = f"part-{part}" if edit.action == "move" else "panel"
    return f"{address}?{urlencode({'rule': str(place + 1), 'at': str(part)})}#{anchor}"
