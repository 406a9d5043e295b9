"""The page Worker keys: keys with which workers log in are created, rotated and revoked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import may_manage_keys
from flows.errors import Refused
from pages.guard import page
from wedsql_site.second_factor.forms import PasswordForm
from wedsql_site.web.middleware import uncompressed

SIZE = 50


class CreateForm(PasswordForm):
    """What a new key is for, and the password, because a key outlives the session."""

    name = forms.CharField(label=lazy("Name of the key"), max_length=40)
    scope = forms.CharField(
        label=lazy("Flows, one per line; after a colon its transitions, without one all of them"),
        max_length=6000,
        widget=forms.Textarea({"rows": 3, "placeholder": "orders: tr_pack, tr_ship"}),
    )
    role = forms.CharField(
        label=lazy("Role, whose transitions the key is for in flows without a colon; empty: all"),
        max_length=60,
        required=False,
    )
    days = forms.IntegerField(
        label=lazy("Valid for days; empty: without end"), min_value=1, max_value=3660, required=False
    )
    field_order = ("name", "scope", "role", "days", "password")

    def clean_scope(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for line in filter(None, map(str.strip, self.cleaned_data["scope"].splitlines())):
            flow, colon, names = line.partition(":")
            transitions = [name for name in map(str.strip, names.split(",")) if name]
            if flow.strip() in found or (colon and not transitions):
                raise ValidationError(_("Each flow has one line, such as: orders: tr_pack, tr_ship"))
            found[flow.strip()] = transitions
        return found

    def save(self, actor: str) -> str:
        given = self.cleaned_data
        expires = datetime.now(UTC) + timedelta(days=given["days"]) if given["days"] else None
        scope = api.workers.scope_of_role(given["scope"], given["role"]) if given["role"] else given["scope"]
        return api.workers.create_key(given["name"], scope, actor, expires=expires)

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if found.get("role") and all(found.get("scope", {"": []}).values()):
            raise ValidationError(_("A role is for flows without a colon: it chooses their transitions."))
        return found


class KeyForm(PasswordForm):
    """What is done to the key with the name `key`."""

    key = ""


class RotateForm(KeyForm):
    """For how long the old secret of a key is accepted."""

    hours = forms.FloatField(
        label=lazy("Hours for which the old secret is accepted"), min_value=0, max_value=720, initial=24
    )
    field_order = ("hours", "password")

    def save(self, actor: str) -> str:
        grace = timedelta(hours=self.cleaned_data["hours"])
        return api.workers.rotate_key(self.key, actor, grace=grace)


class RevokeForm(KeyForm):
    """Why a key is revoked."""

    reason = forms.CharField(label=lazy("Reason"), max_length=200)
    field_order = ("reason", "password")

    def save(self, actor: str) -> str:
        api.workers.revoke_key(self.key, self.cleaned_data["reason"], actor)
        return ""


FORMS: dict[str, tuple[type[Any], Any]] = {
    "create": (CreateForm, lazy("Create a key")),
    "rotate": (RotateForm, lazy("Rotate")),
    "revoke": (RevokeForm, lazy("Revoke")),
}


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@page
def worker_keys(request: HttpRequest) -> HttpResponse:
    """Show the keys; create or rotate one, whose secret is shown once, or revoke one."""
    if not may_manage_keys(request.user):
        raise PermissionDenied(_("You may not manage the keys of workers."))
    asked = request.POST if request.method == "POST" else request.GET
    verb = asked.get("verb", "create")
    kind, title = FORMS.get(verb, FORMS["create"])
    form = kind(request, request.user, request.POST or None, auto_id="id_%s")
    form.key = _name(asked, "key")
    secret = _saved(request, form) if request.method == "POST" and form.is_valid() else None
    if secret == "":
        messages.success(request, _("The key is revoked, and its leases are released."))
        return redirect("worker_keys")
    found = _listed(asked)
    context = {
        "form": form,
        "secret": secret,
        "verb": verb if verb in FORMS else "create",
        "title": title,
        "key": form.key,
        "keys": found[:SIZE],
        "more": len(found) > SIZE,
        "every": "all" in asked,
    }
    return uncompressed(render(request, "site/worker_keys.html", context))


def _listed(asked: Any) -> list[tuple[Any, list[tuple[str, str]]]]:
    """Return the keys, each with its flows and their transitions as texts."""
    found = api.workers.list_keys(all="all" in asked, after=_name(asked, "after"), limit=SIZE + 1)
    return [(key, [(flow, ", ".join(key.scope[flow])) for flow in sorted(key.scope)]) for key in found]


def _name(asked: Any, field: str) -> str:
    return str(asked.get(field, ""))[:40].replace("\x00", "")


def _saved(request: HttpRequest, form: Any) -> str | None:
    """Return the secret, '' if there is none, or None if the kernel rejected the change."""
    try:
        with transaction.atomic():
            return str(form.save(request.user.get_username()))
    except Refused as refused:
        form.add_error(None, str(refused))
        return None
