"""The form of a task as it would be shown, for the designer who writes it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from flows import api
from flows.definition import TRIGGER
from flows.designer import form_layout, values
from flows.designer.draft import Design
from flows.designer.fields import OptionsForm
from flows.errors import Refused

NEEDED = ("form", "writes", "outcomes")


def show(request: HttpRequest, design: Design) -> HttpResponse:
    """Answer the form that was typed as a part of a page, or what is wrong with it."""
    form = OptionsForm(TRIGGER, {}, request.POST)
    form.is_valid()
    problem = next((str(each) for each in form.errors.get("form", [])), "")
    given = {name: form.cleaned_data.get(name) for name in NEEDED}
    sections: list[Any] = []
    if given["form"] and not problem:
        try:
            sections = _sections(design, given)
        except Refused as refused:
            problem = _place(refused)
    context = {"sections": sections, "problem": problem, "prefix": request.POST.get("prefix", "")[:20]}
    return render(request, "admin/flows/designer/parts/form_preview.html", context)


def _sections(design: Design, given: dict[str, Any]) -> list[form_layout.Section]:
    attributes = [one for one in design.definition["attributes"] if one.get("name")]
    types = {str(one["name"]): str(one.get("type") or "text") for one in attributes}
    found = api.preview_form(given, types)
    if found is None:
        return []
    fields = values.named_fields(attributes, {}, form_layout.with_defaults(found, {}))
    return form_layout.sections(found, fields)


def _place(refused: Refused) -> str:
    """Return what is wrong with a form, after the field and its option."""
    field, option = refused.where.get("field"), refused.where.get("option")
    if not field:
        return refused.sentence
    return _("%(field)s, %(option)s: %(problem)s") % {
        "field": field,
        "option": option or "",
        "problem": refused.sentence,
    }
