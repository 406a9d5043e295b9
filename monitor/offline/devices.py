"""The pages about devices: whose each is, its last contact, its tasks, and what became of its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_POST, require_safe

from flows import api
from flows.access import may_manage_people, sees_everything
from flows.capabilities.offline.api import Device
from flows.errors import Refused
from monitor.offline.exchange import go_on, shown
from pages.guard import page
from pages.urlparams import long_number, text

SIZE = 50
# What a state of a device, and of a result, is called, and its pill.
DEVICE: Mapping[str, tuple[str | Promise, str]] = {
    "A": (pgettext_lazy("device", "active"), "ok"),
    "W": (pgettext_lazy("device", "withdrawn"), "warn"),
    "L": (pgettext_lazy("device", "lost"), "bad"),
}
RESULT: Mapping[str, tuple[str | Promise, str]] = {
    "waiting": (pgettext_lazy("result", "waiting"), "warn"),
    "accepted": (pgettext_lazy("result", "accepted"), "ok"),
    "late": (pgettext_lazy("result", "came too late"), "warn"),
    "refused": (pgettext_lazy("result", "refused"), "bad"),
    "discarded": (pgettext_lazy("result", "discarded"), ""),
    "skipped": (pgettext_lazy("result", "not waited for"), "warn"),
}
LATE: Mapping[str, str | Promise] = {
    "kept": lazy("the site decides"),
    "conflict": lazy("people decide"),
    "merged": lazy("taken over"),
    "same": lazy("the instance had these values already"),
    "discarded": lazy("discarded"),
}
KIND: Mapping[str, str | Promise] = {
    "phone": pgettext_lazy("device", "phone"),
    "computer": pgettext_lazy("device", "computer"),
}
VERBS = {"withdraw": "W", "lost": "L", "activate": "A"}


@dataclass(frozen=True)
class Row:
    """A device with its words."""

    device: Device
    state: tuple[str | Promise, str]

    @property
    def title(self) -> str:
        """Return how the device is named; without a name of its own by its number."""
        return self.device.name or _("Device %(number)s") % {"number": self.device.id}

    @property
    def kind(self) -> str | Promise:
        """Return the kind that the device reports; "" if it is not known."""
        return KIND.get(self.device.kind, "")


@require_safe
@page
def devices(request: HttpRequest) -> HttpResponse:
    """Show the devices of a person or of all, the last one first, to users who see every flow."""
    _check_sees(request)
    person = text(request, "person")[:150].strip()
    found = api.offline.devices(person or None, long_number(request.GET.get("before")), SIZE + 1)
    context = {
        "person": person,
        "rows": [Row(one, DEVICE[one.state]) for one in found[:SIZE]],
        "older": found[SIZE - 1].id if len(found) > SIZE else None,
        "first": "before" not in request.GET,
    }
    return render(request, "monitor/offline/devices.html", context)


@require_safe
@page
def device(request: HttpRequest, device: int) -> HttpResponse:
    """Show a device, and what became of its results: of all, or of those that came too late."""
    _check_sees(request)
    row, late = _row_or_404(device), text(request, "show") == "late"
    before = min(long_number(request.GET.get("before")) or 2**31 - 1, 2**31 - 1)
    found = api.offline.results(row.device.id, None, before, SIZE + 1, late=late)
    results = [shown(one) for one in found[:SIZE]]
    context = {
        "row": row,
        "late": late,
        "manages": may_manage_people(request.user),
        "results": [(one, RESULT[one["state"]], LATE.get(one["late"] or "", "")) for one in results],
        "older": found[SIZE - 1].number if len(found) > SIZE else None,
        "first": "before" not in request.GET,
    }
    return render(request, "monitor/offline/device.html", context)


@require_POST
@page
def operate(request: HttpRequest, device: int, verb: str) -> HttpResponse:
    """Withdraw a device, report it lost, make it active again, or go on without results that are missing."""
    if not may_manage_people(request.user):
        raise PermissionDenied(_("Only users who may create and change accounts change devices."))
    row, actor = _row_or_404(device), request.user.get_username()
    if verb not in VERBS and verb != "skip":
        raise Http404
    try:
        messages.success(request, _skipped(request, row, actor) if verb == "skip" else _set(row, verb, actor))
    except Refused as refused:
        messages.error(request, str(refused))
    return HttpResponseRedirect(reverse("monitor:device", args=[row.device.id]))


def _set(row: Row, verb: str, actor: str) -> str:
    api.offline.set_device_state(row.device.id, VERBS[verb], actor)
    said: dict[str, Any] = {
        "withdraw": _("The device gets no more tasks. What it has not sent is still taken."),
        "lost": _("Nothing of the device is taken any more, and its data are removed at its next contact."),
        "activate": _("The device is active again."),
    }
    return str(said[verb])


def _skipped(request: HttpRequest, row: Row, actor: str) -> str:
    reason = request.POST.get("reason", "").replace("\x00", "").strip()[:2000]
    missing = api.offline.skip_results(row.device.id, actor, reason)
    done = go_on(row.device.id)
    return _("%(missing)s results are not waited for; %(done)s went on.") % {"missing": missing, "done": done}


def _check_sees(request: HttpRequest) -> None:
    if not sees_everything(request.user):
        raise Http404


def _row_or_404(number: int) -> Row:
    """Return a device by its number. Raises Http404."""
    found = api.offline.devices(None, min(number, 2**62) + 1, 1)
    if not found or found[0].id != number:
        raise Http404(_("There is no such device."))
    return Row(found[0], DEVICE[found[0].state])
