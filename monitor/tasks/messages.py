"""The messages of a user about instances and tasks, and how many are not read."""

from __future__ import annotations

from typing import Any

from django.contrib import messages as banners
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from flows import api
from flows.access import AnyUser, masks, may_see, task_keys
from monitor.tasks.rows import rows as task_rows
from monitor.tasks.sentences import KINDS, rows
from pages.guard import page
from pages.urlparams import long_number, text

PAGE_SIZE = 50
MOST_NEW = 5


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def messages(request: HttpRequest) -> HttpResponse:
    """Show the user's messages, the last first; a POST marks one or all as read."""
    person = request.user.get_username()
    if request.method == "POST":
        return _marked(request, person)
    kind, unread = text(request, "kind"), text(request, "show") == "unread"
    kind = kind if kind in KINDS else ""
    before = long_number(request.GET.get("before"))
    found = api.persons.messages(person, before, PAGE_SIZE + 1, kind or None, unread)
    shown = rows(found[:PAGE_SIZE])
    context = {
        "rows": [(one, may_see(request.user, one.message.flow)) for one in shown],
        "kinds": KINDS,
        "kind": kind,
        "unread_only": unread,
        "last": found[0].id if found else 0,
        "more": found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None,
    }
    return render(request, "monitor/tasks/messages.html", context)


def _marked(request: HttpRequest, person: str) -> HttpResponse:
    """Mark one message as read, or all up to the last that the page had."""
    one, until = long_number(request.POST.get("read")), long_number(request.POST.get("until"))
    marked = api.persons.mark_messages_read(person, None, until or 0) if one is None else 0
    if one is not None:
        api.persons.mark_messages_read(person, [one])
    elif marked:
        banners.success(request, _("All messages are marked as read."))
    return HttpResponseRedirect(reverse("monitor:messages"))


@require_safe
@page
@masks
def unread(request: HttpRequest) -> HttpResponse:
    """Return how many messages the user has not read; pages ask it again and again.

    With `tasks`, the number of a task, also what has come since then, for notifications.
    """
    found: dict[str, Any] = {"unread": api.persons.unread_messages(request.user.get_username())}
    if "tasks" in request.GET:
        found["tasks"] = _new_tasks(request.user, long_number(request.GET["tasks"]))
    return JsonResponse(found)


def _new_tasks(user: AnyUser, after: int | None) -> list[dict[str, Any]]:
    """Return the newest tasks that are open to a user, with what a notification says of each."""
    found = api.tasks.newest(user.get_username(), task_keys(user), after, MOST_NEW)
    return [
        {
            "task": one.task.job_id,
            "title": one.title,
            "text": " · ".join(filter(None, (one.flow_title, one.key or str(one.task.wid)))),
            "href": reverse("monitor:task", args=[one.task.job_id]),
        }
        for one in task_rows(found, user)
    ]
