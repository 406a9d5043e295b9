"""The page on which a task is performed, and what else is done with a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseForbidden,
    HttpResponseRedirect,
    JsonResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from flows import api
from flows.access import masks, may_operate, may_see, task_keys
from flows.capabilities.tasks.api import ORDERS as BY
from flows.capabilities.tasks.api import TaskSheet
from flows.capabilities.tasks.people import check_people, colleagues, is_person
from flows.capabilities.tasks.rights import (
    claim_of,
    is_forced,
    is_responsible,
    is_theirs,
    may_do,
    task_or_404,
)
from flows.designer.forms import form_layout as layout
from flows.designer.trial.values import BadValue
from flows.errors import FormNotTaken, QueryFailed, Refused, TaskTaken, TaskTransferred
from flows.moments import later
from flows.queries.definitions import FlowInfo
from monitor.durations import seconds
from monitor.offline.departure import lock_on
from monitor.tasks import choices, drafts, files, forms, places, previews
from monitor.tasks.list_actions import FORBIDDEN, going, take_next, text_of
from monitor.tasks.rows import excluded_by, row
from pages.guard import page
from pages.urlparams import text

NAMED = 10


# The limit of files must be set before anything reads the form, as the check of its token does.
@csrf_exempt
def task(request: HttpRequest, task: int) -> HttpResponseBase:
    """Show a task; a POST completes it with what was typed, and shows the next one."""
    return _task(files.with_files(request), task)


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def _task(request: HttpRequest, task: int) -> HttpResponse:
    try:
        sheet, flow = task_or_404(request.user, task)
    except Http404:
        if request.method != "POST":
            raise
        return _lost(request, _("The task is not there any more, or you may no longer see it."), 404)
    person = request.user.get_username()
    if request.method == "POST":
        if not may_do(request.user, sheet, "complete"):
            return _lost(request, str(FORBIDDEN), 403)
        return _completed(request, flow, sheet)
    if not forms.holds(sheet, person):
        return _shown(request, flow, sheet, [])
    typed, before, since = drafts.kept(sheet, person)
    fields = forms.asked(flow, sheet, {**forms.proposed(sheet), **typed})
    return _shown(request, flow, sheet, fields, before, draft_since=since)


def _shown(
    request: HttpRequest,
    flow: FlowInfo,
    sheet: TaskSheet,
    fields: Any,
    before: Mapping[str, str] | None = None,
    **more: Any,
) -> HttpResponse:
    """Show a task; `before` has the texts that the form had when a draft was typed."""
    person = request.user.get_username()
    context = {
        "flow": flow,
        "task": sheet,
        "row": row(sheet, flow),
        "is_mine": (is_mine := forms.holds(sheet, person)),
        "may_take": (may_take := sheet.state == "R" and is_theirs(request.user, sheet)),
        "excluded_by": excluded_by(sheet) if may_take else None,
        "sees": may_see(request.user, flow.name),
        "manages": (manages := may_operate(request.user, flow.name)),
        "decides": manages or is_responsible(request.user, sheet),
        "about": forms.about(flow, sheet),
        "fields": fields,
        "wrong": [one for one in fields if one.error],
        "sections": forms.laid_out(flow, sheet, fields, more.pop("cells", {})) if is_mine else [],
        "has_files": forms.has_files(sheet),
        "in_browser": layout.for_browser(sheet.form, flow, sheet.state_of) if sheet.form else None,
        "shown": forms.as_shown(forms.asked(flow, sheet), before),
        "files_at": reverse("monitor:task_file", args=[sheet.job_id, "x"]).removesuffix("x/"),
        "typed": forms.typed(flow, sheet, forms.posted(sheet, request.POST))
        if request.method == "POST" and not is_mine
        else [],
        "outcomes": [name for name in sheet.outcomes if name != "FAILED"],
        "colleagues": colleagues(sheet.audience, person) if is_mine else [],
        "now": datetime.now(UTC),
        "next": given if (given := _asked(request, "next")) in BY else "",
        "only": _asked(request, "flow"),
        "query": _asked(request, "q"),
        **places.facts_of(sheet),
        **more,
    }
    return render(request, "monitor/tasks/task.html", context)


def _forbidden() -> HttpResponse:
    return HttpResponseForbidden(FORBIDDEN)


def _lost(request: HttpRequest, error: str, status: int) -> HttpResponse:
    """Show what a person typed for a task that they cannot perform any more."""
    context = {"error": error, "typed": forms.raw(request.POST)}
    return render(request, "monitor/tasks/lost.html", context, status=status)


def _asked(request: HttpRequest, name: str) -> str:
    """Return a parameter of the address or of the form."""
    return text_of(request, name) if request.method == "POST" else text(request, name)


def _completed(request: HttpRequest, flow: FlowInfo, sheet: TaskSheet) -> HttpResponse:
    """Complete a task, or show it again with what is wrong and everything that was typed."""
    person = request.user.get_username()
    if other := drafts.of_another_tab(request, flow, sheet):
        error = _("In another tab you typed more. It is filled in now: look at it, and send the form again.")
        return _shown(request, flow, sheet, other, error=error)
    given, wrong = files.received(request, sheet)
    fields, data, is_right = forms.changed(flow, sheet, {**forms.posted(sheet, request.POST), **given}, wrong)
    if (stopped := _stopped(request, flow, sheet, fields, is_right)) is not None:
        return stopped
    if is_right and "preview" in request.POST:
        return _shown(request, flow, sheet, fields, previews=previews.of(sheet, flow, person, data))
    cells: Mapping[str, Any] = {}
    error = "" if is_right else _("The task is not completed yet: look at the marked fields.")
    if is_right:
        outcome = request.POST.get("outcome", "")[:80].replace("\x00", "") or None
        try:
            check_people(sheet.form, data, sheet.state_of)
            api.tasks.complete(sheet.job_id, person, data, outcome, claim_of(request.POST.get("claim", "")))
        except FormNotTaken as refused:
            fields = layout.problems(refused.where.get("wrong", {}), fields, sheet.form)
            cells = refused.where.get("cells", {})
            error = _("The task is not completed yet: look at the marked fields.")
        except QueryFailed as refused:
            fields = forms.marked(fields, {str(refused.where.get("field")): refused.sentence})
            error = _("The task is not completed yet: look at the marked fields.")
        except TaskTransferred as lost:
            return _kept_late(request, sheet, lost, data, outcome)
        except Refused as refused:
            error, sheet = refused.sentence, api.tasks.read(sheet.job_id, person)
        else:
            messages.success(request, _("“%(task)s” is completed.") % {"task": row(sheet, flow).title})
            return _to_next(request)
    return _shown(request, flow, sheet, fields, error=error, cells=cells)


def _stopped(
    request: HttpRequest, flow: FlowInfo, sheet: TaskSheet, fields: Any, is_right: bool
) -> HttpResponse | None:
    """Show what was typed where it cannot be sent: the task was lost, or the form does not ask for it."""
    if not forms.holds(sheet, request.user.get_username()):
        error = _("The task has ended, or another person has it now. Nothing of the form was written.")
        return None if is_right else _shown(request, flow, sheet, [], error=error)
    others = forms.unasked(flow, sheet, forms.posted(sheet, request.POST))
    if not others:
        return None
    error = _("The form does not ask for: %(fields)s. Nothing is written yet. Look at it, and send it again.")
    error %= {"fields": ", ".join(label for label, _text in others[:NAMED])}
    return _shown(request, flow, sheet, fields, error=error, typed=others)


def _kept_late(
    request: HttpRequest, sheet: TaskSheet, lost: TaskTransferred, data: Any, outcome: str | None
) -> HttpResponse:
    """Hand over what was typed for a task that went to the person responsible; nothing of it is lost."""
    late = api.tasks.keep_late(sheet.job_id, request.user.get_username(), data, outcome)
    kept = _("What you entered is kept as late result %(late)s; people decide about it.") % {"late": late}
    messages.warning(request, f"{lost.sentence} {kept}" if late else lost.sentence)
    return HttpResponseRedirect(reverse("monitor:tasks"))


def _to_next(request: HttpRequest) -> HttpResponse:
    """Show the next task: one that the person has taken, or, for who goes from task to task, an open one."""
    way = going(request, "next")
    query = urlencode({name: given for name, given in way.items() if given}) if way["next"] else ""
    own = api.tasks.own(request.user.get_username(), order=way["next"] or None)  # type: ignore[arg-type]
    if own:
        return HttpResponseRedirect(
            reverse("monitor:task", args=[own[0].job_id]) + (f"?{query}" if query else "")
        )
    if way["next"] and (found := take_next(request.user, way)):
        return HttpResponseRedirect(found)
    shown = {"show": "open", "order": way["next"], "flow": way["flow"], "q": way["q"]}
    listed = urlencode({name: given for name, given in shown.items() if given})
    return HttpResponseRedirect(f"{reverse('monitor:tasks')}?{listed}")


@require_POST
@page
@masks
def change(request: HttpRequest, task: int, verb: str) -> HttpResponse:
    """Do one thing with a task: take it, lock it, give it back, give it, put it aside, fail it."""
    if verb not in VERBS and verb not in OF_FORM:
        raise Http404
    sheet, flow = task_or_404(request.user, task)
    if not may_do(request.user, sheet, verb):
        return JsonResponse({"error": FORBIDDEN}, status=403) if verb in OF_FORM else _forbidden()
    if verb in OF_FORM:
        return OF_FORM[verb](request, flow, sheet)
    try:
        return VERBS[verb](request, sheet)
    except TaskTaken as taken:
        messages.warning(request, taken.sentence)
        return HttpResponseRedirect(reverse("monitor:tasks") + "?show=open")
    except (Refused, BadValue) as refused:
        messages.error(request, str(refused))
    return HttpResponseRedirect(reverse("monitor:task", args=[task]))


def _take(request: HttpRequest, sheet: TaskSheet, lock: bool = False) -> HttpResponse:
    api.tasks.take(sheet.job_id, request.user.get_username(), task_keys(request.user), lock)
    return HttpResponseRedirect(reverse("monitor:task", args=[sheet.job_id]))


def _lock(request: HttpRequest, sheet: TaskSheet) -> HttpResponse:
    """Lock a task; a browser in which the person performs tasks says so, and must not be too weak."""
    if key := text_of(request, "device"):
        lock_on(request, key, sheet.job_id)
        return HttpResponseRedirect(reverse("monitor:task", args=[sheet.job_id]))
    return _take(request, sheet, lock=True)


def _release(request: HttpRequest, sheet: TaskSheet) -> HttpResponse:
    api.tasks.release(sheet.job_id, request.user.get_username(), is_forced(request.user, sheet))
    messages.success(request, _("The task is open again to those who may take it."))
    return HttpResponseRedirect(reverse("monitor:tasks"))


def _give(request: HttpRequest, sheet: TaskSheet) -> HttpResponse:
    to = text_of(request, "to")
    if not is_person(to):
        raise BadValue(_("There is no user “%(name)s” who may log in.") % {"name": to})
    forced = is_forced(request.user, sheet)
    api.tasks.give(sheet.job_id, request.user.get_username(), to, text_of(request, "reason"), forced)
    messages.success(request, _("%(name)s has got the task.") % {"name": to})
    return HttpResponseRedirect(reverse("monitor:tasks"))


def _aside(request: HttpRequest, sheet: TaskSheet) -> HttpResponse:
    given = text_of(request, "time")
    until = later(seconds(given)) if given else None
    api.tasks.put_aside(sheet.job_id, request.user.get_username(), until)
    return HttpResponseRedirect(reverse("monitor:tasks"))


def _fail(request: HttpRequest, sheet: TaskSheet) -> HttpResponse:
    claim = claim_of(request.POST.get("claim", ""))
    api.tasks.fail(sheet.job_id, request.user.get_username(), text_of(request, "reason"), claim)
    messages.success(request, _("It is noted that the task could not be done."))
    return _to_next(request)


def _extend(request: HttpRequest, sheet: TaskSheet) -> HttpResponse:
    until = later(seconds(text_of(request, "time")))
    forced = may_operate(request.user, sheet.flow)
    api.tasks.extend_deadline(sheet.job_id, request.user.get_username(), until, forced)
    messages.success(request, _("The task has another deadline."))
    return HttpResponseRedirect(reverse("monitor:task", args=[sheet.job_id]))


VERBS: Mapping[str, Callable[[HttpRequest, TaskSheet], HttpResponse]] = {
    "take": _take,
    "lock": _lock,
    "release": _release,
    "give": _give,
    "aside": _aside,
    "fail": _fail,
    "extend": _extend,
}
OF_FORM: Mapping[str, Callable[[HttpRequest, FlowInfo, TaskSheet], HttpResponse]] = {
    "draft": drafts.keep,
    "discard": drafts.discard,
    "letters": drafts.letters,
    "choices": choices.choices,
}
