"""The field of a condition: a text area that scripts turn into an editor."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.urls import reverse
from django.utils.translation import gettext as _


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
