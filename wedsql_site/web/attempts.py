"""Limits of password attempts, counted in the database by django-axes."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import forms, signals, views
from django.core.exceptions import ValidationError
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from wedsql_site.web.client_address import of_scope

Application = Callable[[Any, Any, Any], Awaitable[Any]]

# Failures within AXES_COOLOFF_TIME: per name and address, per address, per name.
LIMITS = {("username", "ip_address"): 5, ("ip_address",): 30, ("username",): 100}

_MAX_NAME = 150


def counted_name(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return the name under which attempts are counted, the same for all spellings that Django accepts."""
    name = (credentials or {}).get("username") or request.POST.get("username") or ""
    plain = unicodedata.normalize("NFKC", str(name)[:_MAX_NAME]).casefold().replace("\x00", "")
    return plain.encode("utf-8", "replace").decode().strip()[:_MAX_NAME]


class Handler(AxesDatabaseHandler):
    """Applies three limits; a success resets the failures of its name and address only."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return 1 when a limit is reached, else 0: AXES_FAILURE_LIMIT is 1."""
        found = self.get_user_attempts(request, credentials)
        sums = [each.aggregate(n=Sum("failures_since_start"))["n"] or 0 for each in found]
        return int(any(n >= limit for n, limit in zip(sums, LIMITS.values(), strict=True)))

    def reset_user_attempts(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        name, address = counted_name(request, credentials), request.axes_ip_address  # type: ignore[attr-defined]
        return AccessAttempt.objects.filter(username=name, ip_address=address).delete()[0]


def locked(request: HttpRequest, *_more: Any) -> HttpResponse:
    """Return the response for a client that must wait."""
    seconds = int(settings.AXES_COOLOFF_TIME.total_seconds())
    response = render(request, "registration/throttled.html", {"minutes": seconds // 60}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


class OneAttemptAtATime:
    """ASGI middleware that lets one address try one password at a time, so that each attempt sees all counts.

    It is outside of the request threads: attempts that wait hold none, so they do not delay other requests.
    """

    def __init__(self, application: Application) -> None:
        self.application = application
        self._locks = [asyncio.Lock() for _number in range(64)]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if not _has_password(scope):
            await self.application(scope, receive, send)
            return
        async with self._locks[hash(of_scope(scope)) % len(self._locks)]:
            await self.application(scope, receive, send)


def _has_password(scope: Any) -> bool:
    """Return whether the request may try a password."""
    is_post = scope["type"] == "http" and scope["method"] == "POST"
    return is_post and scope["path"].startswith(("/accounts/", "/admin/login"))


@contextmanager
def counted(request: HttpRequest, user: Any) -> Iterator[None]:
    """Count a ValidationError inside like a wrong password; raise one at once if a limit is reached."""
    credentials = {"username": user.get_username()}
    if not AxesProxyHandler.is_allowed(request, credentials):
        request.axes_locked_out = True  # type: ignore[attr-defined]
        raise ValidationError(_("Too many attempts"))
    try:
        yield
    except ValidationError:
        signals.user_login_failed.send(__name__, credentials=credentials, request=request)
        raise


class PasswordChangeForm(forms.PasswordChangeForm):
    """Django's form, with wrong old passwords counted like wrong passwords at log-in."""

    request: HttpRequest

    def clean_old_password(self) -> str:
        with counted(self.request, self.user):
            return str(super().clean_old_password())


class PasswordChangeView(views.PasswordChangeView):
    """The page for changing one's own password."""

    form_class = PasswordChangeForm
    template_name = "registration/change_password.html"

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.request = self.request  # type: ignore[attr-defined]
        return form
