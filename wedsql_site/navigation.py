"""The areas of the site and their pages, as far as the user may open them: for the header and the search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pages.addresses import Place, address
from wedsql_site.page_rights import MODELS, Allowed, model_of

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


class Navigation:
    """The areas with their pages, as the header of one page shows them to users who may do the same."""

    def __init__(self, areas: tuple[Area, ...]) -> None:
        self.areas = areas
        self._parts: dict[str, SafeString] = {}

    def part(self, template: str) -> SafeString:
        """Return a part of the header, which depends on nothing but the areas and their language."""
        if template not in self._parts or settings.DEBUG:
            self._parts[template] = SafeString(render_to_string(template, {"areas": self.areas}))
        return self._parts[template]


def areas(request: HttpRequest) -> tuple[Area, ...]:
    """Return the areas with at least one page for the user."""
    return navigation(request).areas


def navigation(request: HttpRequest) -> Navigation:
    """Return the navigation of the page of a request; what the user may do is asked once per request."""
    known: dict[str, Navigation] = vars(request)
    if "wed_navigation" not in known:
        allowed, place = Allowed.to(request), Place.present()
        path = request.path if request.path in _addresses(allowed, place) else ""
        known["wed_navigation"] = _navigation(allowed, place, where(request), path)
    return known["wed_navigation"]


@lru_cache(maxsize=256)
def _addresses(allowed: Allowed, place: Place) -> frozenset[str]:
    shown = _navigation(allowed, place, "", "").areas
    return frozenset(link.address for each in shown for link in each.links)


# The place has the language, in which the titles are.
@lru_cache(maxsize=4096)
def _navigation(allowed: Allowed, _place: Place, here: str, path: str) -> Navigation:
    found = [(name, tuple(_links(allowed, path, name))) for name in AREAS]
    return Navigation(
        tuple(
            Area(name, str(AREAS[name]), str(ABOUT_AREAS[name]), links, name == here)
            for name, links in found
            if links
        )
    )


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


def _links(allowed: Allowed, path: str, area: str) -> Iterator[Link]:
    if area == "work":
        yield _link(path, "monitor:tasks", gettext("Tasks"))
        yield _link(path, "monitor:messages", gettext("Messages"))
        yield _link(path, "monitor:offline", gettext("Offline tasks"))
    elif area == "design" and allowed.designs:
        yield _link(path, "admin:flows_flow_changelist", gettext("Flows"))
        if allowed.adds:
            yield _link(path, "admin:flows_flow_new", gettext("New flow"))
    elif area == "watch":
        yield _link(path, "monitor:flows", gettext("Flows"))
        yield _link(path, "monitor:instances", gettext("Instances"))
        yield _link(path, "monitor:errors", gettext("Errors"))
        yield _link(path, "monitor:alerts", gettext("Alerts"))
    elif area == "repair" and allowed.handles:
        yield _link(path, "monitor:cases", gettext("Cases"))
        yield _link(path, "monitor:exceptions", gettext("Exceptions"))
    elif area == "repair" and allowed.approves:
        yield _link(path, "monitor:approvals", gettext("Approvals"))
    elif area == "system":
        yield from _system_links(allowed, path)
    for label in MODELS.get(area, ()):
        if label in allowed.models:
            yield _link(path, _changelist(label), _title(label), label)


def _system_links(allowed: Allowed, path: str) -> Iterator[Link]:
    if allowed.is_staff and not allowed.models.isdisjoint(MODELS["system"]):
        yield _link(path, "admin:index", gettext("Overview"))
    yield _link(path, "monitor:workers", gettext("Workers"))
    if allowed.manages_people:
        yield _link(path, "people", gettext("People and rights"))
    if allowed.manages_keys:
        yield _link(path, "worker_keys", gettext("Worker keys"))
    if allowed.sees_everything:
        yield _link(path, "monitor:health", gettext("Health"))
        yield _link(path, "monitor:devices", gettext("Devices"))
        yield _link(path, "monitor:controls", gettext("Changes of controls"))


def _changelist(label: str) -> str:
    options = model_of(label)._meta
    return f"admin:{options.app_label}_{options.model_name}_changelist"


def _title(label: str) -> str:
    return str(capfirst(model_of(label)._meta.verbose_name_plural))


def _link(path: str, name: str, title: Text, about: str = "") -> Link:
    place, described = address(name), str(ABOUT.get(about or name, ""))
    return Link(name, str(title), place, described, path == place, about.startswith(MINOR))
