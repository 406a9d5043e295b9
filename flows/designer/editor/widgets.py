"""The field of a condition: a text area that scripts turn into an editor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.urls import reverse
from django.utils.translation import gettext as _

# The line that stands for an empty list of names, where an empty text is no list. No attribute has this name.
NOTHING = "-"


class ConditionTextarea(forms.Textarea):
    """A text area for a condition, which the script of its media turns into an editor."""

    class Media:
        css = {"all": ("flows/designer/condition-editor.css",)}
        js = (forms.Script("flows/designer/conditions.js", type="module"),)

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"rows": 2, "class": "wed-predicate", "spellcheck": "false"} | (attrs or {}))

    def build_attrs(self, base_attrs: Any, extra_attrs: Any = None) -> dict[str, Any]:
        """Add the addresses that the editor asks, and its texts in the language of the reader."""
        site = admin.site.name
        return super().build_attrs(base_attrs, extra_attrs) | {
            "data-check": reverse(f"{site}:flows_flow_check_condition"),
            "data-completions": reverse(f"{site}:flows_flow_completions"),
            "data-t-no-check": _("The condition cannot be checked now; it is checked when you save."),
            "data-t-out": _("You are signed out; sign in again in another tab."),
        }


class FormTextarea(forms.Textarea):
    """A text area for the form of a task, beside which the script of its media shows the form."""

    class Media:
        css = {"all": ("pages/task_form.css", "flows/designer/form-preview.css")}
        js = (forms.Script("flows/designer/form-preview.js", type="module"),)

    def build_attrs(self, base_attrs: Any, extra_attrs: Any = None) -> dict[str, Any]:
        """Add the titles of the two widths in the language of the reader."""
        return super().build_attrs(base_attrs, extra_attrs) | {
            "data-form-preview": "",
            "data-t-desktop": _("On a desktop"),
            "data-t-phone": _("On a phone"),
        }


class NamesSelect(forms.CheckboxSelectMultiple):
    """A check box per name, for a list of which each line of a text is one.

    Names that are chosen come first, in their order, so that a form that is sent unchanged changes nothing;
    they are shown even if they are none of the names that are known. The last box is for an empty list.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.names = names

    def format_value(self, value: Any) -> list[str]:
        return value.splitlines() if isinstance(value, str) else [] if value is None else [str(value)]

    def optgroups(self, name: str, value: list[str], attrs: dict[str, Any] | None = None) -> Any:
        """Return the boxes, with those of the chosen names first."""
        chosen = [each for each in dict.fromkeys(value) if each]
        names = {**self.names, NOTHING: _("nothing")}
        found = dict.fromkeys([*(each for each in chosen if each != NOTHING), *names])
        self.choices = [(each, names.get(each, each)) for each in found]
        return super().optgroups(name, value, attrs)

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        return "\n".join(data.getlist(name) if hasattr(data, "getlist") else [data.get(name) or ""])
