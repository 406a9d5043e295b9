"""The form of a task as it would be shown, for the designer who writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from flows import api
from flows.definition import TRIGGER
from flows.designer.draft.content import Design
from flows.designer.editor.fields import OptionsForm
from flows.designer.forms import form_layout, form_parts
from flows.designer.forms.form_fields import FieldForm, SectionForm
from flows.designer.trial import values
from flows.designer.trial.path import limited
from flows.errors import Refused, TooSlow

if TYPE_CHECKING:
    from flows.designer.forms.form_tab import Opened

NEEDED = ("form", "writes", "outcomes")
WIDTHS = ("desktop", "phone")
_TEMPLATE = "admin/flows/designer/parts/form_preview.html"
_LONGEST_PREFIX = 20


def show(request: HttpRequest, design: Design) -> HttpResponse:
    """Answer the form that was typed as a part of a page, or what is wrong with it."""
    form = OptionsForm(TRIGGER, {}, request.POST)
    form.is_valid()
    prefix = _prefix(request)
    problem = next((str(each) for each in form.errors.get("form", [])), "")
    if problem:
        return render(request, _TEMPLATE, {"problem": problem, "prefix": prefix})
    given = {name: form.cleaned_data.get(name) for name in NEEDED}
    return render(request, _TEMPLATE, look(design, given, prefix))


def show_part(
    request: HttpRequest, design: Design, found: Opened, form: FieldForm | SectionForm | None
) -> HttpResponse:
    """Answer the form with what was typed of the part that is edited."""
    rule = dict(found.rule)
    if found.form is None:
        rule["form"] = usual(design, rule)
    elif form is not None and found.at is not None and form.is_valid():
        typed = form.part() if isinstance(form, FieldForm) else form.part(found.part or {})
        rule["form"] = form_parts.replaced(found.form, found.at, typed)
    elif form is not None:
        problem = next(str(each) for errors in form.errors.values() for each in errors)
        return render(request, _TEMPLATE, {"problem": problem, "prefix": _prefix(request)})
    return render(request, _TEMPLATE, look(design, rule, _prefix(request)))


def _prefix(request: HttpRequest) -> str:
    return request.POST.get("prefix", "")[:_LONGEST_PREFIX]


def look(design: Design, rule: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the context for the form of a rule: its sections, or its problem."""
    found: dict[str, Any] = {"prefix": prefix, "sections": [], "problem": ""}
    if not rule.get("form"):
        return found
    try:
        found["sections"] = _sections(design, {name: rule.get(name) for name in NEEDED})
    except (Refused, TooSlow) as refused:
        found["problem"] = _place(refused)
    return found


def writable(design: Design, rule: Mapping[str, Any]) -> list[str]:
    """Return the attributes that the form of a rule may change; none where its options cannot be read yet."""
    types = _types(design)
    fields = [{"attribute": name} for name in types][: form_parts.MOST_FIELDS]
    given = {name: rule.get(name) for name in NEEDED} | {"form": {"sections": [{"fields": fields}]}}
    try:
        with limited():
            found = api.task_forms.preview_form(given, types)
    except (Refused, TooSlow):
        return []
    return form_layout.asked_names(found) if found else []


def usual(design: Design, rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form that a task without one has: a field for each attribute that it may change."""
    return {"sections": [{"fields": [{"attribute": name} for name in writable(design, rule)]}]}


def _types(design: Design) -> dict[str, str]:
    attributes = [one for one in design.definition["attributes"] if one.get("name")]
    return {str(one["name"]): str(one.get("type") or "text") for one in attributes}


def _sections(design: Design, given: dict[str, Any]) -> list[form_layout.Section]:
    attributes = [one for one in design.definition["attributes"] if one.get("name")]
    with limited():
        found = api.task_forms.preview_form(given, _types(design))
    if found is None:
        return []
    fields = values.named_fields(attributes, {}, form_layout.with_defaults(found, {}))
    return form_layout.sections(found, fields)


def _place(refused: Refused | TooSlow) -> str:
    """Return the message about a form, after the field and its option."""
    field, option = refused.where.get("field"), refused.where.get("option")
    if not field:
        return refused.sentence
    return _("%(field)s, %(option)s: %(problem)s") % {
        "field": field,
        "option": option or "",
        "problem": refused.sentence,
    }
