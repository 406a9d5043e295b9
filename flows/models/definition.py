"""The three tables that define a flow: what a person writes here, the kernel checks and carries out."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from flows.labels import said
from flows.models.fields import IntervalField


class AttributeType(models.TextChoices):
    """The types an attribute may have; text unless said otherwise."""

    TEXT = "text", _("text")
    INTEGER = "integer", _("whole number")
    NUMERIC = "numeric", _("number")
    BOOLEAN = "boolean", _("yes or no")
    DATE = "date", _("date")
    TIMESTAMPTZ = "timestamptz", _("date and time")
    INTERVAL = "interval", _("duration")
    JSONB = "jsonb", _("JSON")
    ENUM = "enum", _("one of the options")


class Flow(models.Model):
    """A process: its attributes, its triggers and the rules for its end. Table flow."""

    class FinalPolicy(models.TextChoices):
        """What happens to a commit that reaches the final condition while other jobs are pending."""

        REJECT = "reject", _("refuse the commit")
        DEFER = "defer", _("wait for the pending jobs")
        CANCEL = "cancel", _("withdraw the pending jobs")

    id = models.AutoField(primary_key=True)
    name = models.CharField(_("name"), help_text=_("Also the name of the flow's schema in the database."))
    label = models.CharField(_("label"), blank=True, default="")
    description = models.TextField(_("description"), blank=True, default="")
    final_when_pending = models.CharField(
        _("final state while jobs are pending"), choices=FinalPolicy, default=FinalPolicy.REJECT
    )
    version = models.IntegerField(_("version"), editable=False, default=0)
    max_firings = models.IntegerField(
        _("firings before a loop is suspected"),
        default=1000,
        help_text=_("How often one trigger may fire for one instance."),
    )
    default_timeout = IntervalField(
        _("default timeout"),
        null=True,
        blank=True,
        default="1 minute",
        help_text=_("For a trigger defined without one, such as 1 hour or 3d18h."),
    )
    notify_trace = models.BooleanField(_("tell the monitor of every step"), default=True)
    retention = IntervalField(_("keep finished instances for"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), editable=False, db_default=Now())

    class Meta:
        managed = False
        db_table = "flow"
        ordering = ["name"]
        verbose_name = _("flow")
        verbose_name_plural = _("flows")

    def __str__(self) -> str:
        return said(self.label) or self.name


class Attribute(models.Model):
    """One value that every instance of the flow has. Table attr, the paper's WED_attr."""

    aid = models.AutoField(primary_key=True)
    flow = models.ForeignKey(
        Flow, models.DO_NOTHING, db_column="flow_id", related_name="attributes", verbose_name=_("flow")
    )
    name = models.CharField(_("name"), db_column="aname")
    default = models.CharField(  # noqa: DJ001 - none is not the empty text
        _("initial value"), db_column="adv", null=True, blank=True, help_text=_("Empty for none.")
    )
    type = models.CharField(_("type"), choices=AttributeType, default=AttributeType.TEXT)
    options = ArrayField(models.TextField(), verbose_name=_("options"), null=True, blank=True)
    label = models.CharField(_("label"), blank=True, default="")
    description = models.CharField(_("description"), blank=True, default="")
    position = models.IntegerField(_("position"), null=True, blank=True)

    class Meta:
        managed = False
        db_table = "attr"
        ordering = ["position", "aid"]
        verbose_name = _("attribute")
        verbose_name_plural = _("attributes")

    def __str__(self) -> str:
        return self.name


class Trigger(models.Model):
    """When a condition over the attributes holds, fire a transition. Table trig, the paper's WED_trig."""

    class OnError(models.TextChoices):
        """What a condition that fails at run time does."""

        ABORT = "abort", _("refuse the commit")
        FALSE = "false", _("count as not met")
        EXCEPTION = "exception", _("open an exception")

    class Revalidate(models.TextChoices):
        """What becomes of a pending job whose condition is no longer met."""

        NONE = "none", _("it stays")
        AT_TAKE = "at_take", _("it is refused to its taker")
        WITHDRAW = "withdraw", _("it is withdrawn")

    class Mode(models.TextChoices):
        """How a worker holds the job."""

        AUTO = "auto", _("by the timeout")
        TRANSACTION = "transaction", _("one database transaction")
        LEASE = "lease", _("a lease with an expiry")

    class Compensation(models.TextChoices):
        """How the effects of the transition are undone."""

        NONE = "none", _("they are not")
        INVERSE = "inverse", _("put the old values back")
        TRANSITION = "transition", _("by another transition")

    class Kind(models.TextChoices):
        """What a recovery may do with the transition."""

        COMPENSATABLE = "compensatable", _("can be compensated")
        RETRIABLE = "retriable", _("can be retried")
        PIVOT = "pivot", _("no way back past it")

    tgid = models.AutoField(primary_key=True)
    flow = models.ForeignKey(
        Flow, models.DO_NOTHING, db_column="flow_id", related_name="triggers", verbose_name=_("flow")
    )
    # The paper leaves these three without a value when they are not given, and so does the kernel.
    name = models.CharField(_("name"), db_column="tgname", null=True, blank=True)  # noqa: DJ001
    transition = models.CharField(  # noqa: DJ001
        _("transition"),
        db_column="trname",
        null=True,
        blank=True,
        help_text=_("None on the final condition."),
    )
    condition = models.CharField(  # noqa: DJ001
        _("name of the condition"), db_column="cname", null=True, blank=True
    )
    predicate = models.TextField(
        _("predicate"),
        db_column="cpred",
        help_text=_(
            "What may stand in an SQL WHERE, over this flow's attributes: a1 = 'ready' and a2 is null"
        ),
    )
    final = models.BooleanField(
        _("final"),
        db_column="cfinal",
        default=False,
        help_text=_("The instance is finished when this is met."),
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    timeout = IntervalField(
        _("timeout"),
        null=True,
        blank=True,
        default="1 minute",
        help_text=_("Such as 30 seconds or 3d18h; empty for none."),
    )
    canonical = models.TextField(_("as the kernel reads it"), null=True, editable=False)  # noqa: DJ001
    reads = ArrayField(models.TextField(), verbose_name=_("reads"), null=True, editable=False)
    disjuncts = ArrayField(models.TextField(), verbose_name=_("alternatives"), null=True, editable=False)
    on_error = models.CharField(_("when the condition fails"), choices=OnError, default=OnError.EXCEPTION)
    revalidate = models.CharField(
        _("when the condition no longer holds"), choices=Revalidate, default=Revalidate.NONE
    )
    mode = models.CharField(_("held by"), choices=Mode, default=Mode.AUTO)
    max_attempts = models.IntegerField(_("attempts"), default=5)
    backoff = IntervalField(_("wait between attempts"), default="1 second")
    max_firings = models.IntegerField(_("firings for one instance"), null=True, blank=True)
    pickup_deadline = IntervalField(_("must be picked up within"), null=True, blank=True)
    priority = models.SmallIntegerField(_("priority"), default=0)
    writes = ArrayField(models.TextField(), verbose_name=_("may write only"), null=True, blank=True)
    due_attr = models.CharField(_("due after attribute"), null=True, blank=True)  # noqa: DJ001
    due_after = IntervalField(_("due after"), null=True, blank=True)
    concurrent = models.BooleanField(_("beside another job of the transition"), default=False)
    fire_once = models.BooleanField(_("fire once for an instance"), default=False)
    refresh_payload = models.BooleanField(_("renew the payload of a pending job"), default=False)
    compensation = models.CharField(_("compensation"), choices=Compensation, default=Compensation.NONE)
    compensated_by = models.CharField(_("compensated by"), null=True, blank=True)  # noqa: DJ001
    kind = models.CharField(_("kind"), db_column="class", choices=Kind, default=Kind.RETRIABLE)
    label = models.CharField(_("label"), blank=True, default="")
    description = models.CharField(_("description"), blank=True, default="")

    class Meta:
        managed = False
        db_table = "trig"
        ordering = ["tgid"]
        verbose_name = _("trigger")
        verbose_name_plural = _("triggers")

    def __str__(self) -> str:
        return self.name or self.transition or self.predicate[:60]
