"""The page on which a person repairs an exception: what is missing, new values, what will happen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from flows import access, api
from flows.access import instance_or_404, masks
from flows.capabilities.cases.api import Case
from flows.capabilities.reasons.api import InstanceReasons
from flows.designer.trial import values
from flows.errors import Refused, UnknownInstance
from flows.models import Trigger
from flows.queries import jobs
from flows.queries.definitions import FlowInfo
from flows.queries.history import steps
from flows.users.people import handling
from monitor import (
    holders,
    links,
    masking,
    places,
)
from monitor.approvals import rows as proposals
from monitor.cases import following_case, waits
from monitor.cases import rows as case_rows
from monitor.cases.uploads import file_rows, limits
from monitor.recovery import consequences, drafts, late_results, needs, suggestions
from monitor.recovery.choices import CHOICES, Subject, tabs, writable
from monitor.views.operate import LONGEST_REASON, form_token, to_proposal
from pages.guard import page
from pages.urlparams import long_number, number


@dataclass(frozen=True)
class Asked:
    """What a person asks for: changes of an instance, as it is now and as the person saw it.

    `claim` identifies the claim of another user on its case, and the tasks that others hold.
    """

    about: Subject
    now: InstanceReasons
    seen: InstanceReasons
    changes: Mapping[str, Any]
    claim: str = ""

    @property
    def arguments(self) -> dict[str, Any]:
        return self.about.arguments(self.changes)

    @property
    def digest(self) -> str:
        """Return a text by which a request recognizes what was previewed, and on which state."""
        parts = [self.now.seq, self.now.version, self.about.name, self.arguments, self.claim]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def repair(request: HttpRequest, wid: int) -> HttpResponse:
    """Show what is missing and the form; preview what was typed, or apply what was previewed."""
    instance, flow = instance_or_404(request.user, wid)
    rights = access.rights_on(request.user, flow.name, wid)
    if not access.may_on(request.user, "handle", flow.name, wid):
        return HttpResponseForbidden(_("You may see this instance, but not repair it."))
    now, about = _explained(flow, wid), _subject(request, wid, flow)
    offered = {name: one for name, one in CHOICES.items() if access.right_for(name) in rights}
    if about.name not in offered:
        return HttpResponseForbidden(_("You may handle cases of this flow, but not do this operation."))
    context: dict[str, Any] = {"flow": flow, "instance": instance, "found": now, "about": about}
    context |= {"choices": offered, "possible": about.is_possible(now.status)}
    context["tabs"] = tabs(offered, about, now.status, is_outdated=now.version != flow.version)
    context["technical"] = bool(rights & {"repair", "design"})
    context["plain"] = not context["technical"]
    context |= _case(request, wid, flow, now)
    context |= {"files": file_rows(request.user, flow.name, wid), "file_limit": limits().size}
    context["proposed"] = proposals.open_of(wid, flow, request.user)
    if "case" in context and context["possible"]:
        given = (flow, about.name, about.attributes, offered)
        context |= suggestions.facts(context["case"].case, *given, plain=context["plain"])
    context |= _facts(wid, flow, about, now)
    if about.name == "patch":
        helped = suggestions.helped(context.get("suggested", ()))
        context["missing"] = needs.missing(now, flow, about.attributes, helped)
    if now.status == "S":
        context["suspension"] = steps.suspension(wid, instance.started_at)
    context["undecided"] = places.undecided(flow, now.state, now.reason)
    context["reason"] = given_reason(request)
    if request.method == "POST" and (done := _answer(request, about, now, flow, context)):
        return done
    if "case" in context and request.method != "POST" and "former" not in request.GET:
        context |= drafts.facts(request.user, context["case"].case.number, about, now.state)
    context.setdefault("fields", _fields(about, now, _initial(request, wid, about)))
    context["fixed"] = _fixed(about, now)
    return render(request, "monitor/recovery/repair.html", context)


def _answer(
    request: HttpRequest, about: Subject, now: InstanceReasons, flow: FlowInfo, context: dict[str, Any]
) -> HttpResponse | None:
    """Apply what was previewed and return the page that follows; else add a preview or what is wrong."""
    fill = request.POST.get("fill", "")
    more = needs.filled(context["missing"], fill) or suggestions.filled(context.get("suggested", ()), fill)
    try:
        context["task_holders"] = holders.tasks_of(request.user.get_username(), flow, now.wid)
        others = [f"{one.person} {one.task} {one.since}" for one in context["task_holders"]]
        claim = "\n".join([context.get("claimed", ""), *others])
        asked = replace(_asked(request, flow, about, now, more), claim=claim)
        if request.POST.get("do") in DOING and request.POST.get("previewed") == asked.digest:
            done = DOING[request.POST["do"]](request, asked, context["reason"])
            drafts.discard(request.user, context["case"].case.number if "case" in context else 0)
            return done
        context["fields"] = _fields(about, now, asked.changes)
        if more or "fill" not in request.POST:  # what was filled in is previewed at once
            context |= _preview(request, asked, flow)
    except values.BadValue as bad:
        context |= {"error": str(bad), "fields": _typed(request, about, now)}
    except Refused as refused:
        context["error"] = str(refused)
    return None


def _facts(wid: int, flow: FlowInfo, about: Subject, now: InstanceReasons) -> dict[str, Any]:
    """Return the context about the instance besides its state."""
    titles = {one.tgid: one.title for one in flow.triggers}
    parked = (
        masking.job(flow, one) for one in jobs.of_instance(wid) if one.state == "K" and now.status in "EX"
    )
    return {
        "parked": [(one, consequences.failed(one, flow, now.status)) for one in parked],
        "key": flow.business_key(values.as_text(now.state.get(one.name)) for one in flow.attributes),
        "late_results": late_results.rows(wid, flow),
        "job_title": titles.get(about.job.tgid, about.job.transition) if about.job else "",
        "missing": [],
    }


def given_reason(request: HttpRequest) -> str:
    """Return the reason that was typed."""
    return request.POST.get("reason", "").strip()[:LONGEST_REASON].replace("\x00", "")


def typed(request: HttpRequest, wid: int, flow: FlowInfo) -> tuple[Subject, dict[str, str]]:
    """Return the subject of a request, with the texts that were typed, for a draft."""
    about = _subject(request, wid, flow)
    seen = _seen(flow, _explained(flow, wid), number(request.POST.get("seq")))
    start = values.named_fields(about.attributes, about.before(seen.state), about.initial)
    return about, drafts.texts(about, _typed(request, about, seen), start)


def _initial(request: HttpRequest, wid: int, about: Subject) -> Mapping[str, Any]:
    """Return the values of the new form: those of a late result, or with `former` those before the repair."""
    if about.late:
        return about.late.proposed
    last = api.repairs.last(wid) if "former" in request.GET and about.name == "patch" else None
    allowed = {one["name"] for one in about.attributes}
    return {name: value for name, value in last.values.items() if name in allowed} if last else {}


@require_POST
@page
@masks
def undo(request: HttpRequest, wid: int) -> HttpResponse:
    """Undo the last repair of an instance, if it is still at the step that the page showed."""
    instance, flow = instance_or_404(request.user, wid)
    if not access.may_perform(request.user, flow.name, "undo", wid):
        return HttpResponseForbidden(_("You may see this instance, but not repair it."))
    context = holders.facts(request, flow, wid)
    if context["unseen"]:
        context |= {"flow": flow, "instance": instance, "seq": request.POST.get("seq", "")[:20]}
        return render(request, "monitor/recovery/undo_confirm.html", context)
    seq, actor = number(request.POST.get("seq")), request.user.get_username()
    reason = _("Step %(seq)s was undone.") % {"seq": seq}
    try:
        api.repairs.repair(wid, "undo", {}, reason, actor=actor, expected_seq=-1 if seq is None else seq)
        messages.success(request, _("The repair is undone."))
    except Refused as refused:
        messages.error(request, str(refused))
    return HttpResponseRedirect(reverse("monitor:instance", args=[wid]))


def _case(request: HttpRequest, wid: int, flow: FlowInfo, now: InstanceReasons) -> dict[str, Any]:
    """Return the open case of the instance, and whether the user has claimed it; nothing without one."""
    found = api.cases.list([flow.name], {"wid": wid}, limit=1)
    if not found:
        return {}
    case = api.cases.read(found[0].number)
    mine = case.owner == request.user.get_username()
    return {
        "case": case_rows.row(case, case_rows.names([flow.name])),
        "events": case_rows.event_rows(case),
        "is_mine": mine,
        "colleagues": [each for each in handling(flow.name) if each != request.user.get_username()],
        "claimed": "" if mine else _claim(case),
        "links": links.links_of(flow, case, now.state),
        "wait_attributes": waits.attributes(flow),
        "wait_operators": waits.OPERATORS,
    }


def _claim(case: Case) -> str:
    """Return who has claimed a case, and when; "" if it is not claimed."""
    since = [each.id for each in case.history if each.kind in ("claimed", "taken_over", "given")]
    return f"{case.owner} {max(since, default=0)}" if case.claimed_until_at else ""


def _subject(request: HttpRequest, wid: int, flow: FlowInfo) -> Subject:
    """Return the subject of the request. Raises Http404 for an unknown way to repair."""
    given = request.POST if request.method == "POST" else request.GET
    name = given.get("operation", "patch")
    if name not in CHOICES:
        raise Http404
    job, late, writes = None, None, None
    if CHOICES[name].of_job:
        wanted = long_number(given.get("job"))
        job = next((one for one in jobs.of_instance(wid) if one.id == wanted and one.tgid), None)
        writes = Trigger.objects.filter(pk=job.tgid).values_list("writes", flat=True).first() if job else None
    if CHOICES[name].of_late:
        wanted = long_number(given.get("late"))
        late = next((one for one in late_results.rows(wid, flow) if one.late.id == wanted), None)
        writes = list(late.proposed) if late else []
    every = _attributes(flow)
    attributes = writable(name, every, writes, flow.internal)
    fixed = [one for one in every if not one.get("repairable", True)]
    step, override = number(given.get("step")), given.get("override") == "1"
    token = form_token(request) if name == "branch" else ""
    base = _base(name, flow, wid, step)
    return Subject(name, CHOICES[name], attributes, job, late, step, override, base, fixed, token)


def _base(name: str, flow: FlowInfo, wid: int, step: int | None) -> Mapping[str, Any] | None:
    """Return the state that is changed where it is not the present one. Raises Http404 without the step."""
    if name != "replay" or step is None:
        return None
    try:
        return _explained(flow, wid, step).state
    except UnknownInstance:
        raise Http404 from None


def _asked(
    request: HttpRequest, flow: FlowInfo, about: Subject, now: InstanceReasons, more: Mapping[str, Any]
) -> Asked:
    """Return the request of the form: the typed texts, and the rule or suggestion that fills it in."""
    seen = _seen(flow, now, number(request.POST.get("seq")))
    fields = _typed(request, about, seen)
    values.check_asked(fields, values.posted(request.POST))
    typed = values.changed(fields, about.before(seen.state))
    return Asked(about, now, seen, {**typed, **more})


def _explained(flow: FlowInfo, wid: int, seq: int | None = None) -> InstanceReasons:
    return masking.reasons(flow, api.reasons.explain_instance(wid, seq))


def _attributes(flow: FlowInfo) -> list[Mapping[str, Any]]:
    """Return the attributes of the definition whose values the user sees."""
    return [one for one in api.flows.definition(flow.name)["attributes"] if flow.shows(one["name"])]


def _seen(flow: FlowInfo, now: InstanceReasons, seq: int | None) -> InstanceReasons:
    """Return the instance as the person saw it when the form was made, or as it is if that is not known."""
    if seq is None or seq >= now.seq:
        return now
    try:
        return _explained(flow, now.wid, seq)
    except UnknownInstance:
        return now


def _typed(request: HttpRequest, about: Subject, seen: InstanceReasons) -> list[values.Field]:
    return values.named_fields(about.attributes, about.before(seen.state), values.posted(request.POST))


def _fields(about: Subject, now: InstanceReasons, changes: Mapping[str, Any]) -> list[values.Field]:
    """Return the fields of the form: the present state with the changes that the person made."""
    texts = values.texts(about.attributes, changes)
    return values.named_fields(about.attributes, about.before(now.state), texts)


def _fixed(about: Subject, now: InstanceReasons) -> list[values.Field]:
    """Return the attributes that the definition does not let a repair write, with their values."""
    if about.name not in ("patch", "skip"):
        return []
    return values.named_fields(about.fixed, now.state, {})


def _applied(request: HttpRequest, asked: Asked, reason: str) -> HttpResponse:
    wid, actor = asked.now.wid, request.user.get_username()
    given = (wid, asked.about.name, asked.arguments, reason)
    done = api.repairs.repair(*given, actor=actor, expected_seq=asked.now.seq)
    if "instance" in done.facts:
        messages.success(request, _("Instance %(wid)s is started.") % {"wid": done.facts["instance"]})
        return HttpResponseRedirect(reverse("monitor:instance", args=[done.facts["instance"]]))
    messages.success(request, consequences.done(asked.about.name, done.status) % {"wid": wid})
    return following_case.after(request, wid, asked.now.flow, is_mine=bool(request.POST.get("mine")))


def _preview(request: HttpRequest, asked: Asked, flow: FlowInfo) -> dict[str, Any]:
    """Return the preview, and what other people changed since the form was made."""
    actor = request.user.get_username()
    found = api.repairs.preview(asked.now.wid, asked.about.name, asked.arguments, actor=actor)
    moved = asked.seen.seq < asked.now.seq
    claim = found.facts.get("claim")
    return {
        "preview": consequences.shown(found, flow),
        "previewed": asked.digest,
        "late": request.POST.get("do") in DOING,
        "claim": claim and claim | {"since": claim["since"] and datetime.fromisoformat(claim["since"])},
        "approvals": proposals.why(found.approvals.needed, found.approvals.title),
        "moved": consequences.moved(asked.seen.state, asked.now.state, asked.changes, flow) if moved else [],
    }


def _proposed(request: HttpRequest, asked: Asked, reason: str) -> HttpResponse:
    """Propose what other persons have to approve, and show the proposal."""
    given = (asked.now.wid, asked.about.name, asked.arguments, reason)
    made = api.approvals.propose(*given, actor=request.user.get_username(), expected_seq=asked.now.seq)
    return to_proposal(request, made)


DOING = {"apply": _applied, "propose": _proposed}
