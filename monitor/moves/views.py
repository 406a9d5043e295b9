"""The pages of moves: instances that were handed to other installations or came from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from flows import api
from flows.access import flow_or_404, instance_or_404, may, sees_everything, visible_flows
from flows.capabilities.moves.api import Move
from flows.errors import NeedsApprovals, Refused, UnknownMove
from monitor.moves import packages
from monitor.moves.packages import MOST_BYTES
from monitor.views.operate import to_proposal
from pages.guard import page
from pages.once import once
from pages.urlparams import number

SIZE = 50
LONGEST_REASON = 1000
HOURS, MOST_HOURS = 24, 2160
# What a state of a move is called, and its pill.
STATE: Mapping[str, tuple[str | Promise, str]] = {
    "offered": (pgettext_lazy("move", "offered"), "warn"),
    "released": (pgettext_lazy("move", "on its way"), "warn"),
    "done": (pgettext_lazy("move", "continued there"), "ok"),
    "held": (pgettext_lazy("move", "accepted"), "warn"),
    "arrived": (pgettext_lazy("move", "arrived"), "ok"),
    "refused": (pgettext_lazy("move", "refused"), "bad"),
    "taken_back": (pgettext_lazy("move", "taken back"), ""),
    "withdrawn": (pgettext_lazy("move", "withdrawn"), ""),
}


@dataclass(frozen=True)
class ShownMove:
    """A move with the name of its state, and its pill."""

    move: Move
    state: tuple[str | Promise, str]


def _shown(move: Move) -> ShownMove:
    return ShownMove(move, STATE[move.state])


@require_http_methods(["GET", "HEAD", "POST"])
@page
def moves(request: HttpRequest) -> HttpResponse:
    """Show the moves of the flows that the user sees, the newest first; read the message of a file."""
    error = ""
    if request.method == "POST":
        try:
            with transaction.atomic():
                return _received(request)
        except Refused as refused:
            error = refused.sentence
    seen = visible_flows(request.user)
    before = packages.moment_and_number(request.GET.get("before", ""))
    found = api.moves.list(flows=None if seen is None else sorted(seen), before=before, limit=SIZE + 1)
    last = found[SIZE - 1] if len(found) > SIZE else None
    context = {
        "rows": [_shown(each) for each in found[:SIZE]],
        "more": f"{last.begun_at.isoformat()} {last.id}" if last else None,
        "identity": api.moves.identity(),
        "peers": api.moves.peers() if sees_everything(request.user) else [],
        "error": error,
        "megabytes": MOST_BYTES // 1048576,
    }
    return render(request, "monitor/moves/list.html", context)


def _received(request: HttpRequest) -> HttpResponse:
    """Read the message of a file, and lead to its move; the user may move instances. Raises Refused."""
    message = packages.message_of(request)
    flow = packages.flow_of(message)
    if flow is None or not may(request.user, "move", flow):
        return HttpResponseForbidden(_("You may not move instances of the flow of this message."))
    answer = api.moves.receive(message)
    number = packages.move_of(message)
    if answer is None:
        messages.success(request, _("The message was read. It needs no answer."))
    else:
        messages.success(request, _("The message was read. Give the answer to the other installation."))
    try:
        with transaction.atomic():
            api.moves.read(number)
    except UnknownMove:
        return _attachment(answer or b"", number)
    return HttpResponseRedirect(reverse("monitor:move", args=[number]))


@require_http_methods(["GET", "HEAD", "POST"])
@page
def move(request: HttpRequest, move: UUID) -> HttpResponse:
    """Show one move; take its instance back."""
    found, error = _move_or_404(request, move), ""
    may_move = may(request.user, "move", found.flow)
    if request.method == "POST":
        if not may_move:
            return HttpResponseForbidden(_("You may see this flow, but not move its instances."))
        reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
        try:
            with transaction.atomic():
                api.moves.take_back(found.id, reason, actor=request.user.get_username())
            messages.success(request, _("Instance %(wid)s is back.") % {"wid": found.wid})
            return HttpResponseRedirect(reverse("monitor:move", args=[move]))
        except Refused as refused:
            error = refused.sentence
    context = {"shown": _shown(found), "move": found, "moves": may_move, "error": error}
    return render(request, "monitor/moves/move.html", context)


@require_safe
@page
def message(request: HttpRequest, move: UUID) -> HttpResponse:
    """Return the signed message of a move for the other installation, as a file."""
    found = _move_or_404(request, move)
    if not may(request.user, "move", found.flow):
        return HttpResponseForbidden(_("You may see this flow, but not move its instances."))
    content = api.moves.message(found.id)
    if content is None:
        raise Http404
    return _attachment(content, found.id)


def _attachment(content: bytes, number: str) -> HttpResponse:
    response = HttpResponse(content, content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="move-{number}.json"'
    response.headers["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@page
@once
def hand_over(request: HttpRequest, wid: int) -> HttpResponse:
    """Ask where an instance goes, why and for how long, or hand it over."""
    instance, flow = instance_or_404(request.user, wid)
    if not may(request.user, "move", flow.name):
        return HttpResponseForbidden(_("You may see this flow, but not move its instances."))
    given = request.POST
    context = {
        "instance": instance,
        "flow": flow,
        "peers": [each for each in api.moves.peers() if each.enabled],
        "peer": given.get("peer", ""),
        "reason": given.get("reason", "").strip()[:LONGEST_REASON],
        "hours": given.get("hours", str(HOURS))[:6],
        "most": MOST_HOURS,
        "error": "",
    }
    if request.method == "POST":
        try:
            with transaction.atomic():
                return _handed_over(request, wid, str(context["reason"]))
        except Refused as refused:
            context |= {"error": refused.sentence, "proposable": isinstance(refused, NeedsApprovals)}
    return render(request, "monitor/moves/hand_over.html", context)


def _handed_over(request: HttpRequest, wid: int, reason: str) -> HttpResponse:
    """Hand the instance over or propose it, and return the page that follows. Raises Refused."""
    hours, peer = number(request.POST.get("hours", "")), request.POST.get("peer", "")[:100]
    hours = hours if hours is not None and 1 <= hours <= MOST_HOURS else 0
    actor = request.user.get_username()
    if request.POST.get("do") == "propose":
        given = {"peer": peer, "hours": hours}
        return to_proposal(request, api.approvals.propose(wid, "hand_over", given, reason, actor=actor))
    made = api.moves.hand_over(wid, peer, reason, valid=timedelta(hours=hours), actor=actor)
    messages.success(request, _("Instance %(wid)s is handed to %(peer)s.") % {"wid": wid, "peer": made.peer})
    return HttpResponseRedirect(reverse("monitor:move", args=[made.id]))


def _move_or_404(request: HttpRequest, number: UUID) -> Move:
    """Return a move whose flow the user may see; one of a flow that is not here, whoever sees all flows."""
    try:
        with transaction.atomic():
            found = api.moves.read(str(number))
    except UnknownMove as error:
        raise Http404 from error
    flow_or_404(request.user, found.flow)
    return found
