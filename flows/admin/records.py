"""Read-only lists in the admin: instances, jobs, history, errors and workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from flows import json_text
from flows.access import concealed, note_list
from flows.admin.key_pages import KeyedChangeList
from flows.messages import stored
from flows.models import ConditionError, Instance, Job, JobLog, TraceEntry, WorkerProcess
from pages.labels import OUTCOME


class ObservedAdmin(admin.ModelAdmin):
    """A read-only list with filters, and a read-only page per row.

    The list is in the order of its key (one column or two), newest first: an index serves that order, and
    any other order would sort the whole table.
    """

    key_fields: tuple[str, ...] = ("id",)
    change_list_template = "admin/flows/keyed_list.html"

    actions = None
    sortable_by = ()
    list_per_page = 50
    list_max_show_all = 50
    list_select_related: bool | Sequence[str] = ("flow",)  # type: ignore[assignment,misc]
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    number_field = "wid"

    class Media:
        css = {"all": ("flows/admin.css",)}

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return KeyedChangeList

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """Leave out the rows of flows of which the user may not see all values."""
        found, hidden = super().get_queryset(request), concealed(request.user)
        note_list(request.user, None)
        return found.exclude(flow__name__in=hidden) if hidden and "flow" in self._fields() else found

    def _fields(self) -> set[str]:
        return {field.name for field in self.model._meta.get_fields()}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        """Search by number only: an index serves it, and any other search would read every row."""
        term = search_term.strip()
        if not term or not self.get_search_fields(request):
            return queryset, False
        if not (term.isascii() and term.isdigit() and len(term) < 20):
            return queryset.none(), False
        return queryset.filter(**{self.number_field: int(term)}), False


def pretty(value: Any) -> str:
    """Return a value as indented JSON in HTML."""
    return format_html('<pre class="wed-state">{}</pre>', json_text.encode(value, indent=1))


def link_to_list(admin_site: Any, model: str, wid: int, text: Any) -> str:
    """Return a link to the rows of one instance in another list."""
    address = reverse(f"{admin_site.name}:flows_{model}_changelist")
    return format_html('<a href="{}?q={}">{}</a>', address, wid, text)


def kernel_text(field: str, label: Any) -> Callable[[Any], str]:
    """Return a column that shows a text of the kernel in the language of the user."""

    @admin.display(description=label)
    def column(row: Any) -> str:
        return stored(getattr(row, field) or "") or "-"

    column.__name__ = f"{field}_text"
    return column


REASON: Any = kernel_text("reason", gettext_lazy("reason"))
LAST_ERROR: Any = kernel_text("last_error", gettext_lazy("last error"))
MESSAGE: Any = kernel_text("message", gettext_lazy("message"))


@admin.register(Instance)
class InstanceAdmin(ObservedAdmin):
    """The instances of all flows, with their state and a link to their history."""

    key_fields = ("wid",)
    empty_list = gettext_lazy("Nothing has been started yet. An instance is started with:")
    empty_command = "manage.py startinstance FLOW"
    list_display = ("wid", "flow", "status", "seq", REASON, "changed_at", "key")
    list_filter = ("flow", "status")
    search_fields = ("wid",)
    search_help_text = gettext_lazy("Number of an instance")
    exclude = ("reason",)
    readonly_fields = (REASON, "state_now", "history", "pending")

    @admin.display(description=gettext_lazy("state"))
    def state_now(self, instance: Instance) -> str:
        last = TraceEntry.objects.filter(wid=instance.wid).order_by("-seq").first()
        return pretty(last.state) if last else "-"

    @admin.display(description=gettext_lazy("history"))
    def history(self, instance: Instance) -> str:
        return link_to_list(self.admin_site, "traceentry", instance.wid, instance.seq + 1)

    @admin.display(description=gettext_lazy("jobs"))
    def pending(self, instance: Instance) -> str:
        jobs = Job.objects.filter(wid=instance.wid).order_by("tgid")
        names = ", ".join(job.transition for job in jobs) or "-"
        return link_to_list(self.admin_site, "job", instance.wid, names)


@admin.register(Job)
class JobAdmin(ObservedAdmin):
    """The jobs of the pool."""

    key_fields = ("wid", "tgid")
    empty_list = gettext_lazy(
        "No job waits. A job appears when a condition of a flow holds, and goes when its transition is done."
    )
    list_display = (
        "id",
        "transition",
        "wid",
        "state",
        "attempts",
        LAST_ERROR,
        "holder",
        "fired_at",
        "flow",
    )
    list_filter = ("flow", "state")
    search_fields = ("wid",)
    search_help_text = gettext_lazy("Number of an instance")
    exclude = ("payload", "last_error")
    readonly_fields = (LAST_ERROR, "payload_now")

    @admin.display(description=gettext_lazy("payload"))
    def payload_now(self, job: Job) -> str:
        return pretty(job.fired_by())


@admin.register(TraceEntry)
class TraceEntryAdmin(ObservedAdmin):
    """The history, one row per step."""

    key_fields = ("wid", "seq")
    empty_list = gettext_lazy(
        "No step has been written yet. Each accepted change of an instance is one step."
    )
    list_display = ("key", "flow", "written_by", "status", "fired_names", "at", "actor", REASON)
    list_filter = ("flow", "status")
    search_fields = ("wid",)
    search_help_text = gettext_lazy("Number of an instance")
    exclude = ("state", "before", "fired", "reason")
    readonly_fields = (REASON, "fired_names", "state_then", "replaced")

    @admin.display(description=gettext_lazy("fired"))
    def fired_names(self, entry: TraceEntry) -> str:
        return ", ".join(entry.fired) or "-"

    @admin.display(description=gettext_lazy("state"))
    def state_then(self, entry: TraceEntry) -> str:
        return pretty(entry.state)

    @admin.display(description=gettext_lazy("replaced values"))
    def replaced(self, entry: TraceEntry) -> str:
        return pretty(entry.before)


KIND = {"process": gettext_lazy("process"), "cluster": gettext_lazy("cluster")}


class ChoiceFilter(admin.SimpleListFilter):
    """A filter by a fixed list of values; reading the values from the table would scan it."""

    labels: Mapping[str, Any]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, str(label)) for value, label in self.labels.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter((str(self.parameter_name), self.value())) if self.value() else queryset


class OutcomeFilter(ChoiceFilter):
    """Filter by how an attempt ended."""

    title = gettext_lazy("outcome")
    parameter_name = "outcome"
    labels = OUTCOME


class KindFilter(ChoiceFilter):
    """Filter by the kind of worker process."""

    title = gettext_lazy("kind")
    parameter_name = "kind"
    labels = KIND


@admin.register(JobLog)
class JobLogAdmin(ObservedAdmin):
    """The log of jobs that failed, expired or were withdrawn."""

    empty_list = gettext_lazy(
        "No job has failed. Jobs that fail, expire or are withdrawn are listed here with the reason."
    )
    list_display = ("id", "transition", "wid", "outcome_label", "attempt", MESSAGE, "at", "actor", "flow")
    list_filter = ("flow", OutcomeFilter)
    exclude = ("message",)
    readonly_fields = (MESSAGE,)
    search_fields = ("wid",)
    search_help_text = gettext_lazy("Number of an instance")

    @admin.display(description=gettext_lazy("outcome"))
    def outcome_label(self, entry: JobLog) -> str:
        return str(OUTCOME.get(entry.outcome, entry.outcome))


@admin.register(ConditionError)
class ConditionErrorAdmin(ObservedAdmin):
    """Conditions that fail while they are evaluated."""

    key_fields = ("trigger_id",)
    empty_list = gettext_lazy(
        "Every condition could be computed. One that fails on some state is listed here with its message."
    )
    list_display = ("trigger", "flow", "n", "last_at", "sqlstate", "message", "wid")
    list_filter = ("flow",)
    list_select_related = ("flow", "trigger")  # type: ignore[misc]


@admin.register(WorkerProcess)
class WorkerProcessAdmin(ObservedAdmin):
    """The worker processes, as they last reported."""

    empty_list = gettext_lazy("No worker has registered. They are started with:")
    empty_command = "manage.py wedsql up"
    list_display = ("name", "kind_label", "host", "pid", "serves", "seen_at", "waiting")
    list_filter = (KindFilter,)
    list_select_related = False  # type: ignore[misc]

    @admin.display(description=gettext_lazy("kind"))
    def kind_label(self, worker: WorkerProcess) -> str:
        return str(KIND.get(worker.kind, worker.kind))
