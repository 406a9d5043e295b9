"""Read-only models of the tables in which the kernel records running flows."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from flows.models.definition import Flow, Trigger
from flows.models.fields import IntervalField, TraceKeyField, ValuesField
from flows.models.readonly import ReadOnlyModel


class Status(models.TextChoices):
    """The status of an instance."""

    RUNNING = "R", _("running")
    FINAL = "F", _("final")
    EXCEPTION = "E", _("exception")
    SUSPENDED = "S", _("suspended")
    COMPENSATING = "X", _("compensating")
    AWAY = "M", _("away")
    ABORTED = "A", _("aborted")
    CANCELLED = "C", _("cancelled")


def _flow() -> models.ForeignKey:
    return models.ForeignKey(
        Flow,
        models.DO_NOTHING,
        db_column="flow_id",
        db_constraint=False,
        related_name="+",
        verbose_name=_("flow"),
    )


class Instance(ReadOnlyModel):
    """One run of a flow; its state is the row of the same wid in the flow's wed_flow. Table instance."""

    wid = models.IntegerField(_("instance"), primary_key=True)
    flow = _flow()
    status = models.CharField(_("status"), max_length=1, choices=Status)
    seq = models.IntegerField(_("steps"))
    version = models.IntegerField(_("version of the flow"))
    reason = models.TextField(_("reason"), null=True)  # noqa: DJ001 - as the kernel keeps it
    started_at = models.DateTimeField(_("started"))
    changed_at = models.DateTimeField(_("changed"))
    finished_at = models.DateTimeField(_("finished"), null=True)
    actor = models.TextField(_("started by"))
    key = models.TextField(_("key"), null=True)  # noqa: DJ001
    parent_wid = models.IntegerField(_("started from"), null=True)
    derived_from = models.IntegerField(_("copied from"), null=True)

    class Meta:
        managed = False
        db_table = "instance"
        ordering = ["-wid"]
        verbose_name = _("instance")
        verbose_name_plural = _("instances")

    def __str__(self) -> str:
        return str(self.wid)


class Job(ReadOnlyModel):
    """A fired transition that waits for a worker, is held by one, or is parked. Table job_pool."""

    class State(models.TextChoices):
        """The state of a job."""

        PENDING = "P", _("pending")
        LEASED = "L", _("leased")
        PARKED = "K", _("parked")

    id = models.BigIntegerField(_("job"), primary_key=True)
    wid = models.IntegerField(_("instance"))
    # Not a foreign key: the exception job's tgid is 0, which no trigger has.
    tgid = models.IntegerField(_("trigger"))
    flow = _flow()
    transition = models.TextField(_("transition"), db_column="trname")
    holder = models.TextField(_("holder"), db_column="lckid", null=True)  # noqa: DJ001
    timeout = IntervalField(_("timeout"), null=True)
    payload = ValuesField(_("payload"), null=True)
    state = models.CharField(_("state"), max_length=1, choices=State)
    lease_until = models.DateTimeField(_("leased until"), null=True)
    attempts = models.SmallIntegerField(_("attempts"))
    not_before = models.DateTimeField(_("not before"), null=True)
    priority = models.SmallIntegerField(_("priority"))
    assigned_to = models.TextField(_("assigned to"), null=True)  # noqa: DJ001
    last_error = models.TextField(_("last error"), null=True)  # noqa: DJ001
    last_sqlstate = models.TextField(_("code of the last error"), db_column="last_state", null=True)  # noqa: DJ001
    fired_at = models.DateTimeField(_("fired"))
    cause_seq = models.IntegerField(_("fired by step"), null=True)
    version = models.IntegerField(_("version of the flow"))

    class Meta:
        managed = False
        db_table = "job_pool"
        ordering = ["-id"]
        verbose_name = _("job")
        verbose_name_plural = _("jobs")

    def __str__(self) -> str:
        return f"{self.transition} #{self.id}"

    def fired_by(self) -> dict[str, Any]:
        """Return the state that fired the job: its payload, or where that is large, that of its step."""
        if self.payload is not None:
            return dict(self.payload)
        step = TraceEntry.objects.filter(wid=self.wid, seq=self.cause_seq or 0)
        return dict(step.values_list("state", flat=True).first() or {})


class TraceEntry(ReadOnlyModel):
    """One step in the history of an instance. Table wed_trace, ordered by wid and seq."""

    key = TraceKeyField(_("step"), primary_key=True, editable=False)
    wid = models.IntegerField(_("instance"))
    seq = models.IntegerField(_("number"))
    flow = _flow()
    at = models.DateTimeField(_("at"), db_column="tstmp")
    written_by = models.TextField(_("written by"), db_column="trw")
    fired = ArrayField(models.TextField(), verbose_name=_("fired"), db_column="trf")
    state = ValuesField(_("state"))
    status = models.CharField(_("status"), max_length=1, choices=Status)
    job_id = models.BigIntegerField(_("job"), null=True)
    tgid = models.IntegerField(_("trigger"), null=True)
    fired_tgids = ArrayField(models.IntegerField(), verbose_name=_("fired triggers"), db_column="fired")
    before = ValuesField(_("replaced values"), null=True)
    cause_seq = models.IntegerField(_("caused by step"), null=True)
    actor = models.TextField(_("actor"))
    reason = models.TextField(_("reason"), null=True)  # noqa: DJ001
    version = models.IntegerField(_("version of the flow"))
    compensates_seq = models.IntegerField(_("compensates step"), null=True)
    case_id = models.BigIntegerField(_("case"), null=True)
    replays_seq = models.IntegerField(_("has the result of step"), null=True)
    tx_at = models.DateTimeField(_("transaction began"))
    errors = models.JSONField(_("condition errors"), null=True)
    suppressed = ArrayField(models.IntegerField(), verbose_name=_("met but not fired"), null=True)

    class Meta:
        managed = False
        db_table = "wed_trace"
        ordering = ["-wid", "-seq"]
        unique_together = [("wid", "seq")]
        verbose_name = _("history entry")
        verbose_name_plural = _("history")

    def __str__(self) -> str:
        return f"{self.wid}.{self.seq} {self.written_by}"


class JobLog(ReadOnlyModel):
    """An event of a job other than its success. Table job_log."""

    id = models.BigIntegerField(primary_key=True)
    job_id = models.BigIntegerField(_("job"))
    wid = models.IntegerField(_("instance"))
    tgid = models.IntegerField(_("trigger"))
    flow = _flow()
    transition = models.TextField(_("transition"), db_column="trname")
    at = models.DateTimeField(_("at"))
    outcome = models.TextField(_("outcome"))
    actor = models.TextField(_("actor"))
    sqlstate = models.TextField(_("code"), null=True)  # noqa: DJ001
    message = models.TextField(_("message"))
    attempt = models.SmallIntegerField(_("attempt"))

    class Meta:
        managed = False
        db_table = "job_log"
        ordering = ["-id"]
        verbose_name = _("job log entry")
        verbose_name_plural = _("job log")

    def __str__(self) -> str:
        return f"{self.transition} {self.outcome}"


class WorkerProcess(ReadOnlyModel):
    """A process that performs transitions, as it last reported itself. Table worker."""

    id = models.BigIntegerField(primary_key=True)
    kind = models.TextField(_("kind"))
    name = models.TextField(_("name"))
    host = models.TextField(_("host"))
    pid = models.IntegerField(_("process"))
    backend_pid = models.IntegerField(_("database session"), null=True)
    serves = ArrayField(models.TextField(), verbose_name=_("serves"))
    started_at = models.DateTimeField(_("started"))
    seen_at = models.DateTimeField(_("seen"))
    waiting = models.BooleanField(_("waiting for work"))

    class Meta:
        managed = False
        db_table = "worker"
        ordering = ["name", "id"]
        verbose_name = _("worker process")
        verbose_name_plural = _("worker processes")

    def __str__(self) -> str:
        return self.name


class FlowVersion(ReadOnlyModel):
    """A published version of a flow with its definition. Table flow_version."""

    pk = models.CompositePrimaryKey("flow_id", "version")
    flow = models.ForeignKey(
        Flow, models.DO_NOTHING, db_column="flow_id", related_name="versions", verbose_name=_("flow")
    )
    version = models.IntegerField(_("version"))
    at = models.DateTimeField(_("at"))
    actor = models.TextField(_("actor"))
    reason = models.TextField(_("reason"))
    definition = models.JSONField(_("definition"))

    class Meta:
        managed = False
        db_table = "flow_version"
        ordering = ["flow", "-version"]
        verbose_name = _("version of a flow")
        verbose_name_plural = _("versions of flows")

    def __str__(self) -> str:
        return f"{self.flow_id}.{self.version}"


class ConditionError(ReadOnlyModel):
    """A condition that failed during evaluation, and how often. Table condition_error."""

    trigger = models.OneToOneField(
        Trigger,
        models.DO_NOTHING,
        primary_key=True,
        db_column="tgid",
        related_name="+",
        verbose_name=_("trigger"),
    )
    flow = _flow()
    n = models.BigIntegerField(_("times"))
    last_at = models.DateTimeField(_("last"))
    sqlstate = models.TextField(_("code"))
    message = models.TextField(_("message"))
    wid = models.IntegerField(_("instance"))

    class Meta:
        managed = False
        db_table = "condition_error"
        ordering = ["-last_at"]
        verbose_name = _("failing condition")
        verbose_name_plural = _("failing conditions")

    def __str__(self) -> str:
        return self.message
