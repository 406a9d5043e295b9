"""What is chosen for an instance of a flow with tasks: who is responsible, and when messages are sent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import AnyUser, instance_or_404, masks, may_operate
from flows.capabilities.tasks.deadlines import TaskSettings
from flows.capabilities.tasks.people import is_person
from flows.definition.flow import FLOW
from flows.designer.trial.values import BadValue
from flows.errors import Refused
from monitor.tasks.rows import rows
from pages.guard import page

LONGEST = 500
POLICIES = FLOW["notified"].choices


@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def chosen(request: HttpRequest, wid: int) -> HttpResponse:
    """Show the tasks of an instance and what is chosen for them; a POST changes it."""
    instance, flow = instance_or_404(request.user, wid)
    person, current = request.user.get_username(), api.persons.settings(wid)
    operates = may_operate(request.user, flow.name)
    may_change = operates or (current is not None and current.responsible == person)
    error, given = "", fields(current)
    if request.method == "POST":
        if not may_change:
            return HttpResponseForbidden(_("The person responsible for the instance decides about this."))
        given = posted(request, given)
        try:
            api.persons.set_settings(wid, settings_of(given), person, operates)
        except (Refused, BadValue) as refused:
            error = str(refused)
        else:
            messages.success(request, _("The settings are saved."))
            return HttpResponseRedirect(reverse("monitor:task_settings", args=[wid]))
    context = {
        "flow": flow,
        "instance": instance,
        "rows": rows(api.tasks.of_instance(wid), request.user),
        "task_chosen": given,
        "policies": POLICIES,
        "may_change": may_change and instance.status in "RESX",
        "changed": current,
        "error": error,
        "now": datetime.now(UTC),
    }
    return render(request, "monitor/tasks/settings.html", context)


def fields(settings: TaskSettings | None) -> dict[str, str]:
    """Return settings as a form shows them."""
    found = settings or TaskSettings()
    return {
        "responsible": found.responsible or "",
        "warnings": ", ".join(found.warnings),
        "notified": found.notified,
        "notified_count": str(found.notified_count),
    }


def of_flow(definition: Mapping[str, Any], user: AnyUser) -> dict[str, str] | None:
    """Return the context for the form of a start: the options of the flow, and the user as responsible.

    None for a flow of which people perform nothing.
    """
    if not any(one.get("performer") == "person" for one in definition["triggers"]):
        return None
    return {
        "responsible": definition.get("responsible") or user.get_username(),
        "warnings": ", ".join(definition.get("warnings") or ()),
        "notified": definition.get("notified") or "all",
        "notified_count": str(definition.get("notified_count") or 1),
    }


def posted(request: HttpRequest, was: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a form, for showing it again; a field that it did not send is unchanged."""
    return {
        name: request.POST.get(f"task_{name}", text).strip()[:LONGEST].replace("\x00", "")
        for name, text in was.items()
    }


def settings_of(given: Mapping[str, str]) -> dict[str, Any]:
    """Return settings for the kernel, which checks the rest. Raises BadValue for a user who is none."""
    name = given["responsible"]
    if name and not is_person(name):
        raise BadValue(_("There is no user “%(name)s” who may log in.") % {"name": name})
    lines = [line.strip() for line in given["warnings"].replace("\n", ",").split(",")]
    return {**given, "warnings": [line for line in lines if line]}
