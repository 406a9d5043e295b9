"""Renders the widgets of forms without templates: a page of the designer has hundreds of them.

Each function returns what the template of the same name in Django returns; pages/tests/test_form_renderer.py
compares them for each kind of value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.http import HttpRequest
from django.template import Context
from django.template.base import render_value_in_context
from django.utils.safestring import SafeData

Values = Mapping[str, Any]
_OPTION = "django/forms/widgets/select_option.html"
_CONTEXT = Context()


class QuickRenderer(DjangoTemplates):
    """Django's renderer, for FORM_RENDERER; it uses templates for what has no function here."""

    def render(self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None) -> str:
        """Return the HTML of a widget, a label or errors."""
        function = _FUNCTIONS.get(template_name)
        found = function(context) if function else None
        return super().render(template_name, context, request) if found is None else found.strip()


def _as_text(value: Any) -> str:
    """Return the HTML of `value|stringformat:'s'`."""
    return str(value) if isinstance(value, SafeData) else escape(str(value))


def _shown(value: Any) -> str:
    """Return the HTML of a value in a template."""
    return _as_text(value) if isinstance(value, str) else render_value_in_context(value, _CONTEXT)


def _attributes(attrs: Values | None) -> str:
    return "".join(
        f" {_shown(name)}" if value is True else f' {_shown(name)}="{_as_text(value)}"'
        for name, value in (attrs or {}).items()
        if value is not False
    )


def _input(context: Values) -> str:
    widget = context["widget"]
    value = "" if widget["value"] is None else f' value="{_as_text(widget["value"])}"'
    begin = f'<input type="{_shown(widget["type"])}" name="{_shown(widget["name"])}"'
    return f"{begin}{value}{_attributes(widget['attrs'])}>"


def _textarea(context: Values) -> str:
    widget = context["widget"]
    value = _shown(widget["value"]) if widget["value"] else ""
    return f'<textarea name="{_shown(widget["name"])}"{_attributes(widget["attrs"])}>\n{value}</textarea>'


def _select(context: Values) -> str | None:
    """Return None if an option has a template of its own."""
    widget = context["widget"]
    parts = [f'<select name="{_shown(widget["name"])}"{_attributes(widget["attrs"])}>']
    for group, options, _index in widget["optgroups"]:
        if any(option["template_name"] != _OPTION for option in options):
            return None
        parts += [f'\n  <optgroup label="{_shown(group)}">'] if group else []
        parts += map(_option, options)
        parts += ["\n  </optgroup>"] if group else []
    return "".join([*parts, "\n</select>"])


def _option(option: Values) -> str:
    value, attributes = _as_text(option["value"]), _attributes(option["attrs"])
    return f'\n  <option value="{value}"{attributes}>{_shown(option["label"])}</option>\n'


def _label(context: Values) -> str:
    label = _shown(context["label"])
    tag = _shown(context["tag"])
    return f"<{tag}{_attributes(context['attrs'])}>{label}</{tag}>" if context["use_tag"] else label


def _errors(context: Values) -> str | None:
    """Return no HTML for no errors, as for most fields; None otherwise."""
    return None if context["errors"] else ""


_INPUTS = (
    "checkbox",
    "date",
    "email",
    "hidden",
    "number",
    "password",
    "search",
    "tel",
    "text",
    "time",
    "url",
)
_FUNCTIONS: dict[str, Callable[[Values], str | None]] = {
    **{f"django/forms/widgets/{name}.html": _input for name in _INPUTS},
    "django/forms/widgets/textarea.html": _textarea,
    "django/forms/widgets/select.html": _select,
    "django/forms/label.html": _label,
    "django/forms/errors/list/default.html": _errors,
    "django/forms/errors/list/ul.html": _errors,
}
