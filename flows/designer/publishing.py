"""The page where a draft or an earlier version is published: changes, problems, impact, approval, time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from flows import api
from flows.access import may, rights
from flows.api.drafts import MAIN
from flows.definition.sentences import sentences
from flows.designer.draft import design_of
from flows.designer.shown import Shown, rule_title, shown
from flows.designer.tabs import design_page, flow_page
from flows.designer.trying import limited
from flows.errors import WedError
from flows.queries.base import snapshot
from flows.types import Counted, DraftAt, Impact, Publication, PublicationChoices
from pages.guard import page
from pages.urlparams import number

SHOWN_REQUESTS = 10
LONGEST_REASON = 1_000


@require_http_methods(["GET", "HEAD", "POST"])
@page
def publish(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Return the page; a POST requests a publication, or decides about one.

    A flow that was never published has only a `name`.
    """
    if request.method == "POST":
        return _act(request, flow_id, name)
    with snapshot():
        design = design_of(request, flow_id, name)
        context = design_page(request, design, "publish") | {"flow": design.flow}
        version = number(request.GET.get("version"))
        proposed = _proposed(design.name, version)
        running = api.running_definition(design.name)[1]
        context |= {
            "proposed": proposed,
            "version": version,
            "changes": sentences(api.difference(running, proposed.definition)),
            "requests": _requests(design.name),
            "rights": rights(request.user, design.name),
            "needs_approval": running.get("needs_approval", False),
            "user_name": request.user.get_username(),
        }
    with limited():
        context["problems"] = _problems(design.name, proposed.definition)
    return render(request, "admin/flows/designer/publish.html", context)


@require_safe
@page
def impact(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the part of the page that says what publishing would do to the living instances."""
    with snapshot():
        flow = flow_page(request, flow_id, "publish")["flow"].name
        proposed = _proposed(flow, number(request.GET.get("version")))
    reopen = request.GET.get("reopen") == "1"
    try:
        found = _impact(flow, proposed.definition, reopen)
    except WedError as error:
        return render(request, "admin/flows/designer/impact.html", {"error": error.sentence})
    triggers = proposed.definition["triggers"]
    context = {
        "impact": found,
        "groups": _groups(found),
        "rules": [
            {"title": _rule_title(triggers, rule.trigger), "found": rule, "removed": rule.trigger is None}
            for rule in found.rules
            if rule.only_before.count or rule.only_after.count or rule.withdrawn.count or rule.fails.count
        ],
    }
    return render(request, "admin/flows/designer/impact.html", context)


def _impact(flow: str, definition: dict[str, Any], reopen: bool) -> Impact:
    with limited():
        return api.impact(flow, definition, reopen_final=reopen, seconds=4.0)


def _rule_title(triggers: list[dict[str, Any]], place: int | None) -> str:
    return _("a rule that is removed") if place is None else rule_title(triggers[place]) or _("Final")


def _groups(found: Impact) -> list[tuple[str, str, Counted]]:
    """Return the groups of instances that something happens to: name of the colour, sentence, instances."""
    groups = [
        ("E", _("become exceptions"), found.new_exception),
        ("R", _("leave the exception"), found.left_exception),
        ("F", _("become final"), found.final),
        ("R", _("are reopened"), found.reopened),
        ("S", _("stay final, but the final condition no longer holds"), found.no_longer_final),
        ("E", _("make publishing fail: a condition fails on them"), found.refused),
    ]
    return [group for group in groups if group[2].count]


def _proposed(flow: str, version: int | None) -> Shown:
    """Return what would be published: an earlier version, or the draft."""
    if version is None:
        return shown(flow)
    try:
        return Shown(api.version_definition(flow, version), version)
    except WedError as error:
        raise Http404 from error


def _problems(flow: str, definition: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the problems, each with the name of the part that has it."""
    found = []
    for problem in api.check_definition(flow, definition):
        part, place, *_option = (*problem.path, None, None)
        items = definition.get(part, []) if isinstance(part, str) else []
        item: dict[str, Any] = (
            items[place] if isinstance(place, int) and isinstance(items, list) and place < len(items) else {}
        )
        title = rule_title(item) if part == "triggers" else str(item.get("name", ""))
        found.append({"title": title, "problem": problem})
    return found


def _requests(flow: str) -> list[Publication]:
    """Return the open requests and the newest others."""
    found = {each.id: each for each in api.list_publications(flow, only_open=True)}
    found |= {each.id: each for each in api.list_publications(flow, limit=SHOWN_REQUESTS)}
    return sorted(found.values(), key=lambda each: -each.id)


def _act(request: HttpRequest, flow_id: int | None, name: str | None) -> HttpResponse:
    """Do what the button says, and return to the page with the result as a message."""
    flow = design_of(request, flow_id, name).name
    kind, _colon, argument = request.POST.get("do", "").partition(":")
    if not may(request.user, "approve" if kind in ("approve", "reject") else "publish", flow):
        raise Http404
    try:
        with transaction.atomic():
            done = (
                _request(request, flow)
                if kind == "publish"
                else _decide(request, flow, kind, number(argument))
            )
        _tell(request, done)
    except WedError as error:
        messages.error(request, error.sentence)
    # A flow that was never published has another address after its first publication.
    return HttpResponseRedirect(design_of(request, None, flow).address("publish"))


def _request(request: HttpRequest, flow: str) -> Publication:
    """Request the publication of the draft or the version that the page showed."""
    version, actor = number(request.POST.get("version")), request.user.get_username()
    choices = PublicationChoices(
        reason=request.POST.get("reason", "")[:LONGEST_REASON],
        reopen_final="reopen_final" in request.POST,
        publish_at=_time(request.POST.get("publish_at", "")),
        prediction=_prediction(flow, version, "reopen_final" in request.POST),
    )
    if version is not None:
        return api.request_rollback(flow, version, choices, actor=actor)
    revision = number(request.POST.get("revision"))
    at = DraftAt(flow, MAIN, revision if revision is not None else -1)
    return api.request_publication(at, choices, actor=actor)


def _prediction(flow: str, version: int | None, reopen: bool) -> dict[str, Any] | None:
    """Return what is expected, to be compared with what happens; None if it cannot be computed in time."""
    try:
        return asdict(_impact(flow, _proposed(flow, version).definition, reopen))
    except (WedError, Http404):
        return None


def _time(text: str) -> datetime | None:
    """Return the time of the form, which is UTC; None for now. Raises WedError."""
    if not text.strip():
        return None
    try:
        found = parse_datetime(text.strip())
    except ValueError:
        found = None
    if found is None:
        raise WedError(_("“%(text)s” is no time: write for example 2026-12-31 08:00.") % {"text": text[:40]})
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _decide(request: HttpRequest, flow: str, kind: str, publication: int | None) -> Publication:
    decisions: dict[str, Callable[..., Publication]] = {
        "approve": api.approve_publication,
        "reject": api.reject_publication,
        "withdraw": api.withdraw_publication,
    }
    if kind not in decisions or publication is None or not 0 < publication < 2**63:
        raise WedError(_("The page sent no action that is known."))
    if api.read_publication(publication).flow != flow:
        raise Http404
    note = request.POST.get("note", "")[:LONGEST_REASON]
    return decisions[kind](publication, note=note, actor=request.user.get_username())


def _tell(request: HttpRequest, done: Publication) -> None:
    """Add the message that says what became of the request."""
    texts = {
        "requested": _("The publication is requested. Another person has to approve it."),
        "approved": _("It will be published at %(at)s.") % {"at": done.publish_at},
        "published": _("Version %(v)s is published.") % {"v": done.version},
        "rejected": _("The request is rejected."),
        "withdrawn": _("The request is withdrawn."),
        "failed": _("It could not be published: %(why)s") % {"why": done.message},
    }
    add = messages.error if done.status == "failed" else messages.success
    add(request, texts[done.status])
