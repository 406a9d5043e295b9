"""Mails about tasks: a person chooses a digest, and messages as mails, and ends them."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import masks
from flows.capabilities.tasks.message_mails import Reader
from flows.errors import Refused
from monitor.cases.digests import EVERY
from pages.guard import page


class MailsForm(forms.Form):
    """How often a person gets a digest of the tasks, and whether messages are sent as mails."""

    tasks = forms.ChoiceField(
        label=lazy("My tasks and those that are open to me"),
        choices=[("none", lazy("No mails")), *EVERY.items()],
    )
    messages = forms.ChoiceField(
        label=lazy("Messages about starts, ends, failures and deadlines"),
        choices=[("none", lazy("No mails")), ("now", lazy("As they come"))],
    )


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def mails(request: HttpRequest) -> HttpResponse:
    """Show which mails the user has chosen; a POST changes it."""
    user, key = request.user, int(request.user.pk or 0)
    found = {about: next(iter(api.cases.list_digests(key, about)), None) for about in ("tasks", "messages")}
    now = {about: one.every if one else "none" for about, one in found.items()}
    form = MailsForm(request.POST if request.method == "POST" else None, initial=now)
    if request.method == "POST" and form.is_valid():
        try:
            for about in ("tasks", "messages"):
                _save(request, key, about, form.cleaned_data[about])
        except Refused as refused:
            messages.error(request, refused.sentence)
        else:
            messages.success(request, _("Your choice of mails is saved."))
            return HttpResponseRedirect(reverse("monitor:task_mails"))
    context = {
        "form": form,
        "next_at": found["tasks"].next_at if found["tasks"] else None,
        "hour": f"{settings.WEDSQL_DIGEST_HOUR:02}:00",
        "configured": bool(settings.EMAIL_HOST),
        "address": getattr(user, "email", ""),
    }
    return render(request, "monitor/tasks/mails.html", context)


def _save(request: HttpRequest, key: int, about: str, every: str) -> None:
    language = get_language() or settings.LANGUAGE_CODE
    reader = Reader(key, request.user.get_username(), language)
    api.persons.save_task_mail(reader, about, "" if every == "none" else every, settings.WEDSQL_DIGEST_HOUR)
