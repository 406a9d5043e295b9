"""The form renderer returns what Django's templates return, byte for byte."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates
from django.utils import translation
from django.utils.functional import lazystr
from django.utils.safestring import mark_safe

from pages import form_renderer
from pages.form_renderer import QuickRenderer
from testkit.cases import pairs

VALUES = [
    None, "", "usual", "<b>&\"'</b>", mark_safe("<b>&amp;</b>"), 0, 1234567, 1.5, Decimal("1234.50"), True,
    False, date(2026, 1, 31), lazystr("<later>"), " \n spaces ", ("a", "<b>"),
]  # fmt: skip
ATTRIBUTES: list[dict[str, Any]] = [
    {},
    {"id": "id_x", "class": "a <b>", "required": True, "disabled": False, "maxlength": 12345, "title": None},
    {"data-x": mark_safe("&amp;"), "aria-label": lazystr("<later>"), "<odd>": ""},
]
CHOICES = [
    ("", "---------"), (1, "One"), ("<2>", "<Two>"), (1234567, 1234567),
    (mark_safe("&amp;"), mark_safe("<i>3</i>")),
    ("<Group>", [(4, lazystr("<Four>")), (5, 5.5)]), ("Empty group", []),
]  # fmt: skip


class Own(forms.Select):
    """Options with a template of their own."""

    option_template_name = "django/forms/widgets/checkbox_option.html"


WIDGETS: list[forms.Widget] = [
    forms.TextInput(), forms.NumberInput(), forms.HiddenInput(), forms.EmailInput(), forms.URLInput(),
    forms.PasswordInput(render_value=True), forms.SearchInput(), forms.TelInput(), forms.DateInput(),
    forms.TimeInput(), forms.CheckboxInput(), forms.Textarea(), forms.Select(choices=CHOICES),
    forms.SelectMultiple(choices=CHOICES), forms.NullBooleanSelect(), Own(choices=CHOICES),
    forms.RadioSelect(choices=CHOICES), forms.DateTimeInput(), forms.ClearableFileInput(),
]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "pt-br"])
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: type(widget).__name__)
def test_a_widget_is_that_of_the_template(widget: forms.Widget, language: str) -> None:
    with translation.override(language):
        for value, attributes in pairs(VALUES, ATTRIBUTES, 3):
            given = [value] if isinstance(widget, forms.SelectMultiple) else value
            for localized in (False, True):
                widget.is_localized = localized
                shown = [widget.render("<name>", given, attributes, each) for each in both()]
                assert shown[0] == shown[1], (value, attributes)


class Fields(forms.Form):
    """A form with every kind of label and error."""

    plain = forms.CharField()
    odd = forms.CharField(label="<odd> & 'quoted'", help_text="<help>", required=False)
    safe = forms.CharField(label=mark_safe("<b>safe</b>"))
    number = forms.IntegerField(label=lazystr("<later>"), widget=forms.NumberInput(attrs={"id": ""}))
    several = forms.MultipleChoiceField(choices=CHOICES, widget=forms.CheckboxSelectMultiple)


@pytest.mark.parametrize("data", [None, {}, {"plain": "x", "number": "many"}])
def test_labels_and_errors_are_those_of_the_templates(data: dict[str, str] | None) -> None:
    shown = []
    for renderer in both():
        form = Fields(data, renderer=renderer)
        fields = [form[name] for name in form.fields]
        labels = [field.label_tag(attrs=attributes) for field in fields for attributes in ATTRIBUTES]
        shown.append([*labels, *(str(field.errors) for field in fields), str(form), str(form.errors)])
    assert shown[0] == shown[1]


def test_no_template_is_read_for_what_has_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_arguments: Any) -> None:
        raise AssertionError("a template was read")

    monkeypatch.setattr(DjangoTemplates, "get_template", refused)
    for widget in WIDGETS[:15]:
        assert widget.render("name", None, {}, QuickRenderer())
    with pytest.raises(AssertionError):
        Own(choices=CHOICES).render("name", None, {}, QuickRenderer())


def test_the_functions_are_for_templates_that_exist() -> None:
    for name in form_renderer._FUNCTIONS:
        assert DjangoTemplates().get_template(name)


def both() -> tuple[DjangoTemplates, DjangoTemplates]:
    """Return Django's renderer and the quick one."""
    return DjangoTemplates(), QuickRenderer()
