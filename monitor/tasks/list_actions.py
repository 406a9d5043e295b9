"""What is done in lists of tasks: take the next one or many, give many, and how a person has tasks listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from flows import api, json_text
from flows.access import AnyUser, masks, task_keys
from flows.capabilities.tasks.api import ORDERS as BY
from flows.capabilities.tasks.people import is_person
from flows.capabilities.tasks.rights import is_forced, may_do, task_or_404
from flows.database_errors import error_for
from flows.errors import Refused, UnknownTask
from monitor.lists import columns as list_columns
from monitor.tasks.list_parameters import PAGE_SIZE, open_ids
from pages.guard import page
from pages.once import once
from pages.urlparams import long_number, without

LONGEST = 2000
# As many as may ask at the same moment; each leaves out what another session is taking.
OFFERED = 100
FORBIDDEN = gettext_lazy("You may see this task, but not perform it.")
# Does one thing with many tasks: returns with how many it is done, and the sentence of the last refusal.
Many = Callable[[HttpRequest, Sequence[int], str], tuple[int, str]]


def text_of(request: HttpRequest, name: str) -> str:
    """Return a text of a form without characters that PostgreSQL rejects."""
    return request.POST.get(name, "").strip()[:LONGEST].replace("\x00", "")


@require_POST
@page
@masks
@once
def next_task(request: HttpRequest) -> HttpResponse:
    """Take the first open task in an order, and show it; the list if there is none."""
    found = take_next(request.user, going(request))
    if found is None:
        messages.info(request, _("No task is open to you."))
        return HttpResponseRedirect(reverse("monitor:tasks"))
    return HttpResponseRedirect(found)


def going(request: HttpRequest, name: str = "order") -> dict[str, str]:
    """Return how a person goes from task to task: the order, and the flow and the filter of the list."""
    order = request.POST.get(name, "")
    if order not in BY:
        order = "" if name == "next" else api.tasks.list(request.user.get_username()).sorting
    return {"next": order, "flow": text_of(request, "flow")[:80], "q": text_of(request, "q")}


def take_next(user: AnyUser, way: dict[str, str]) -> str | None:
    """Take the first open task, and return the address of its page; None if there is none."""
    offered = partial(open_ids, user, way["next"], way["flow"], way["q"], OFFERED)
    held = api.tasks.take_next(offered, user.get_username(), task_keys(user))
    if held is None:
        return None
    query = urlencode({name: given for name, given in way.items() if given})
    return f"{reverse('monitor:task', args=[held.job_id])}?{query}"


@require_POST
@page
@masks
def many(request: HttpRequest, verb: str) -> HttpResponse:
    """Do one thing with all tasks that are marked in a list, and say what was refused."""
    to = text_of(request, "to")
    if verb == "give" and not is_person(to):
        messages.error(request, _("There is no user “%(name)s” who may log in.") % {"name": to})
        return _back(request)
    asked = request.POST.getlist("task")[:PAGE_SIZE]
    done, refused = MANY[verb](request, [long_number(number) or 0 for number in asked], to)
    if done:
        messages.success(request, _done(verb, done, to))
    if refused:
        messages.warning(request, refused)
    elif not done:
        messages.info(request, _("Mark the tasks first."))
    if verb == "take":
        return HttpResponseRedirect(f"{reverse('monitor:tasks')}?show={'mine' if done else 'open'}")
    return _back(request)


def _done(verb: str, done: int, to: str) -> str:
    if verb == "take":
        return ngettext("%(n)s task is yours.", "%(n)s tasks are yours.", done) % {"n": done}
    if verb == "give":
        said = ngettext("%(to)s has got %(n)s task.", "%(to)s has got %(n)s tasks.", done)
        return said % {"n": done, "to": to}
    said = ngettext(
        "%(n)s task is open again to those who may take it.",
        "%(n)s tasks are open again to those who may take them.",
        done,
    )
    return said % {"n": done}


def _take(request: HttpRequest, tasks: Sequence[int], to: str) -> tuple[int, str]:
    """Take tasks by one call; return how many are taken, and why the last of the others is not."""
    try:
        found = api.tasks.take_many(tasks, request.user.get_username(), task_keys(request.user))
    except Refused as why:
        return 0, why.sentence
    errors = [one for one in found if one.error is not None]
    for one in errors:
        if one.error is not None and not isinstance(one.error, Refused):
            raise one.error
    last = max(errors, key=lambda one: tasks.index(one.job_id), default=None)
    return sum(one.held is not None for one in found), _said(request, last.job_id, last.error) if last else ""


def _said(request: HttpRequest, task: int, error: Any) -> str:
    """Return the sentence of an error about a task; one that the user may not see is not there."""
    try:
        task_or_404(request.user, task)
    except Http404:
        return _unseen(task)
    return str(error.sentence)


def _unseen(task: int) -> str:
    """Return the sentence of the kernel about a task that is not there."""
    facts = {"task": task, "message_template": "There is no task {task}."}
    said, hint = f"There is no task {task}.", "It may have been removed with its instance."
    return error_for(UnknownTask.sqlstate, said, hint=hint, detail=json_text.encode(facts)).sentence


def _each(act: Callable[[HttpRequest, int, str], None]) -> Many:
    """Return a function that does one thing with each of many tasks separately."""

    def many_of(request: HttpRequest, tasks: Sequence[int], to: str) -> tuple[int, str]:
        done, refused = 0, ""
        for task in tasks:
            try:
                act(request, task, to)
            except Refused as why:
                refused = why.sentence
            except Http404:
                refused = _unseen(task)
            except PermissionDenied:
                refused = str(FORBIDDEN)
            else:
                done += 1
        return done, refused

    return many_of


def _release(request: HttpRequest, task: int, to: str) -> None:
    forced = _forced(request, task, "release")
    api.tasks.release(task, request.user.get_username(), forced, owner=_seen_owner(request, task))


def _give(request: HttpRequest, task: int, to: str) -> None:
    forced = _forced(request, task, "give")
    reason, owner = text_of(request, "reason"), _seen_owner(request, task)
    api.tasks.give(task, request.user.get_username(), to, reason, forced, owner=owner)


def _seen_owner(request: HttpRequest, task: int) -> str | None:
    """Return who had the task when the page was made; None where the page does not say it."""
    return request.POST.get(f"owner-{task}")


def _forced(request: HttpRequest, task: int, verb: str) -> bool:
    """Return whether the user acts as a supervisor. Raises Http404, and PermissionDenied for who may not."""
    sheet, _flow = task_or_404(request.user, task)
    if not may_do(request.user, sheet, verb):
        raise PermissionDenied
    return is_forced(request.user, sheet)


MANY: dict[str, Many] = {"take": _take, "release": _each(_release), "give": _each(_give)}


@require_POST
@page
@masks
def place(request: HttpRequest) -> HttpResponse:
    """Put a task somewhere in the user's own order; a script gets the sentence of an error as JSON."""
    numbers = [long_number(part) for part in request.POST.get("move", "").split(":")]
    task, after, before = (*numbers, None, None, None)[:3]
    error = ""
    try:
        api.tasks.place(request.user.get_username(), task_keys(request.user), task or 0, after, before)
    except Refused as refused:
        error = _said(request, int(refused.where.get("task") or task or 0), refused)
    if request.headers.get("Accept", "").startswith("application/json"):
        return JsonResponse({"error": error})
    if error:
        messages.error(request, error)
    return _back(request, f"#task-{task}" if task else "")


@require_POST
@page
@masks
def choose(request: HttpRequest) -> HttpResponse:
    """Save the order or the columns that the user has chosen, or begin the own order again."""
    person, given = request.user.get_username(), request.POST
    dropped: tuple[str, ...] = ()
    try:
        if given.get("sorting") in BY:
            api.tasks.set_list(person, given["sorting"])  # type: ignore[arg-type]
            dropped = ("order",)
        elif "columns" in given:
            usual = given["columns"] == "usual"
            api.tasks.set_list(person, columns=[] if usual else list_columns.given(given.getlist("column")))
            dropped = ("columns",)
        elif "again" in given:
            api.tasks.clear_places(person)
            messages.success(request, _("Your own order is that of the arrival again."))
    except Refused as refused:
        messages.error(request, refused.sentence)
    return _back(request, "", *dropped)


def _back(request: HttpRequest, anchor: str = "", *dropped: str) -> HttpResponse:
    """Lead back to the list, without some parts of its address."""
    names = (*dropped, "after") if dropped else ()
    query = without(QueryDict(request.POST.get("back", "")[:8000]), *names)
    return HttpResponseRedirect(f"{reverse('monitor:tasks')}{'?' if query else ''}{query}{anchor}")
