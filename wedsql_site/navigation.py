"""The areas of the site and their pages, as far as the user may open them: for the header and the search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from flows.access import designs, may_add, may_manage_keys, may_manage_people, sees_everything, somewhere
from pages.addresses import address

Text = str | Promise


@dataclass(frozen=True)
class Link:
    """A page of an area; `name` is that of its URL. A `minor` one is not in the header."""

    name: str
    title: str
    address: str
    about: str = ""
    current: bool = False
    minor: bool = False


@dataclass(frozen=True)
class Area:
    """A part of the site with its pages; its own address is that of the first."""

    name: str
    title: str
    about: str
    links: tuple[Link, ...]
    current: bool = False

    @property
    def address(self) -> str:
        return self.links[0].address

    @property
    def main(self) -> list[Link]:
        """Return the pages that the header shows."""
        return [link for link in self.links if not link.minor]

    @property
    def tables(self) -> list[Link]:
        """Return the lists of tables, which administrators seldom need."""
        return [link for link in self.links if link.minor]


AREAS: dict[str, Text] = {
    "work": _("Work"),
    "design": _("Design"),
    "watch": _("Watch"),
    "repair": _("Repair"),
    "system": _("System"),
}
ABOUT_AREAS: dict[str, Text] = {
    "work": _("Take the tasks that are for you, and complete them."),
    "design": _("Define what flows do: attributes and rules, which you try, check and publish."),
    "watch": _("See what runs, what waits and why, the history of each instance, and alerts."),
    "repair": _("Find the exceptions, which no rule continues, and what each of them lacks."),
    "system": _("See which workers run, what they serve, and whether the installation is healthy."),
}
# The area of a page by its URL's name; those of models by the model.
PAGES = {
    "monitor:tasks": "work", "monitor:task": "work",
    "monitor:messages": "work", "monitor:absences": "work", "monitor:task_mails": "work",
    "monitor:task_settings": "watch",
    "monitor:flows": "watch", "monitor:flow": "watch", "monitor:jobs": "watch", "monitor:instance": "watch",
    "monitor:instances": "watch", "monitor:views": "watch", "monitor:field_values": "watch",
    "monitor:why": "watch", "monitor:start": "watch", "monitor:start_csv": "watch",
    "monitor:cancel": "watch", "monitor:signals": "watch", "monitor:children": "watch",
    "monitor:locks": "watch",
    "monitor:undo": "repair", "monitor:draft": "repair",
    "monitor:look": "watch", "monitor:audit": "watch",
    "monitor:step": "watch", "monitor:operate": "watch",
    "monitor:bulks": "watch", "monitor:bulk_new": "watch", "monitor:bulk": "watch",
    "monitor:alerts": "watch", "monitor:alert": "watch", "monitor:change_alert": "watch",
    "monitor:define_alert": "watch",
    "monitor:webhooks": "watch", "monitor:webhook": "watch", "monitor:change_webhook": "watch",
    "monitor:define_webhook": "watch",
    "monitor:slas": "watch", "monitor:sla": "watch", "monitor:calendar": "watch",
    "monitor:picture": "watch", "monitor:diagram": "watch", "monitor:counted": "watch",
    "monitor:analysis": "watch", "monitor:analysis_steps": "watch",
    "monitor:errors": "watch", "monitor:error": "watch",
    "monitor:exceptions": "repair", "monitor:repair": "repair", "monitor:cases": "repair",
    "monitor:case_reports": "repair", "monitor:repair_many": "repair",
    "monitor:proposed_rule": "repair",
    "monitor:desk_rules": "repair", "monitor:desk_rule": "repair", "monitor:case_file": "repair",
    "monitor:approvals": "repair", "monitor:proposal": "repair", "monitor:delegations": "repair",
    "monitor:digests": "repair",
    "monitor:devices": "system", "monitor:device": "system",
    "monitor:workers": "system", "monitor:health": "system", "worker_keys": "system",
    "people": "system", "person": "system",
    "monitor:controls": "system", "monitor:api": "system",
    "admin:index": "system", "admin:app_list": "system",
}  # fmt: skip
MODELS = {
    "watch": ("flows.instance", "flows.job", "flows.traceentry", "flows.joblog", "flows.conditionerror"),
    "system": (
        "auth.user", "auth.group", "flows.workerprocess", "axes.accessattempt", "axes.accesslog",
        "axes.accessfailurelog", "django_q.schedule", "django_q.success", "django_q.failure",
    ),
}  # fmt: skip
ABOUT: dict[str, Text] = {
    "admin:flows_flow_changelist": _("Definitions, drafts and versions"),
    "admin:flows_flow_new": _("From nothing, or from an example"),
    "monitor:flows": _("How many instances of each flow run, wait or have ended"),
    "monitor:instances": _("Instances of all flows: filters, views, downloads"),
    "monitor:errors": _("Why attempts failed, by message, over all flows"),
    "monitor:alerts": _("Conditions of which people are notified"),
    "monitor:tasks": _("What is for you to do, by flow and role"),
    "monitor:offline": _("Locked tasks, performed where there is no connection"),
    "monitor:messages": _("Starts, ends, failures and deadlines of which you are notified"),
    "monitor:cases": _("The work of people on exceptions, the most urgent first"),
    "monitor:approvals": _("Repairs that wait for the approval of another person"),
    "monitor:exceptions": _("Instances that no rule continues"),
    "monitor:workers": _("Which process serves which transitions"),
    "people": _("Which person may do what with which flow, and new colleagues"),
    "monitor:devices": _("Which devices work without a connection, and what they have not sent"),
    "worker_keys": _("With which workers log in, and what each is for"),
    "monitor:controls": _("Who changed rules, keys, users and rights"),
    "monitor:health": _("Invariants, storage, connections"),
    "flows.instance": _("All instances of all flows, by number"),
    "flows.job": _("The jobs of the pool, by instance"),
    "flows.traceentry": _("Each step of each instance"),
    "flows.joblog": _("Attempts that failed, expired or were withdrawn"),
    "flows.conditionerror": _("Conditions that fail while they are evaluated"),
    "flows.workerprocess": _("Worker processes, as they last reported"),
    "auth.user": _("Who may log in"),
    "auth.group": _("What users may do, for all flows or for one"),
    "axes.accessattempt": _("Names and addresses that are locked out"),
    "axes.accesslog": _("When users logged in and out"),
    "axes.accessfailurelog": _("Log-ins that failed"),
    "django_q.schedule": _("Tasks that Django-Q runs at a time"),
    "django_q.success": _("Tasks of Django-Q that succeeded"),
    "django_q.failure": _("Tasks of Django-Q that failed"),
}


MINOR = ("flows.instance", "flows.workerprocess", "axes.", "django_q.")


def areas(request: HttpRequest) -> list[Area]:
    """Return the areas with at least one page for the user; computed once per request."""
    if not hasattr(request, "wed_areas"):
        here = where(request)
        found = [(name, tuple(_links(request, name))) for name in AREAS]
        request.wed_areas = [  # type: ignore[attr-defined]
            Area(name, str(AREAS[name]), str(ABOUT_AREAS[name]), links, name == here)
            for name, links in found
            if links
        ]
    return request.wed_areas  # type: ignore[attr-defined]


def where(request: HttpRequest) -> str:
    """Return the name of the area that has the page of the request, or ""."""
    match = request.resolver_match
    if match is None:
        return ""
    name = str(match.view_name)
    if name.startswith(("admin:flows_flow_", "admin:flows_attribute_", "admin:flows_trigger_")):
        return "design"
    listed = ((area, model) for area, models in MODELS.items() for model in models)
    found = (area for area, model in listed if name.startswith(f"admin:{model.replace('.', '_')}_"))
    return PAGES.get(name) or next(found, "")


def _links(request: HttpRequest, area: str) -> Iterator[Link]:
    user: Any = request.user
    if area == "work":
        yield _link(request, "monitor:tasks", gettext("Tasks"))
        yield _link(request, "monitor:messages", gettext("Messages"))
        yield _link(request, "monitor:offline", gettext("Offline tasks"))
    elif area == "design" and designs(user):
        yield _link(request, "admin:flows_flow_changelist", gettext("Flows"))
        if may_add(user):
            yield _link(request, "admin:flows_flow_new", gettext("New flow"))
    elif area == "watch":
        yield _link(request, "monitor:flows", gettext("Flows"))
        yield _link(request, "monitor:instances", gettext("Instances"))
        yield _link(request, "monitor:errors", gettext("Errors"))
        yield _link(request, "monitor:alerts", gettext("Alerts"))
    elif area == "repair" and somewhere(user, "handle"):
        yield _link(request, "monitor:cases", gettext("Cases"))
        yield _link(request, "monitor:exceptions", gettext("Exceptions"))
    elif area == "repair" and somewhere(user, "approve_repair"):
        yield _link(request, "monitor:approvals", gettext("Approvals"))
    elif area == "system":
        yield from _system_links(request)
    yield from _model_links(request, area)


def _system_links(request: HttpRequest) -> Iterator[Link]:
    user: Any = request.user
    if user.is_staff and any(True for _link in _model_links(request, "system")):
        yield _link(request, "admin:index", gettext("Overview"))
    yield _link(request, "monitor:workers", gettext("Workers"))
    if may_manage_people(user):
        yield _link(request, "people", gettext("People and rights"))
    if may_manage_keys(user):
        yield _link(request, "worker_keys", gettext("Worker keys"))
    if sees_everything(user):
        yield _link(request, "monitor:health", gettext("Health"))
        yield _link(request, "monitor:devices", gettext("Devices"))
        yield _link(request, "monitor:controls", gettext("Changes of controls"))


def _model_links(request: HttpRequest, area: str) -> Iterator[Link]:
    """Yield the admin's lists that the user may open."""
    if not request.user.is_staff:
        return
    for label in MODELS.get(area, ()):
        model = apps.get_model(label)
        page = admin.site._registry.get(model)
        if page and page.has_module_permission(request) and page.has_view_permission(request):
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
            yield _link(request, name, _title(label, get_language()), label)


@cache
def _title(label: str, _language: str | None) -> str:
    return str(capfirst(apps.get_model(label)._meta.verbose_name_plural))


def _link(request: HttpRequest, name: str, title: Text, about: str = "") -> Link:
    place = address(name)
    described = _described(about or name, get_language())
    return Link(name, str(title), place, described, request.path == place, about.startswith(MINOR))


@cache
def _described(name: str, _language: str | None) -> str:
    return str(ABOUT.get(name, ""))
