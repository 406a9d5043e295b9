"""Models of the three tables that define a flow; the kernel checks each row that is written.

The options come from `flows.definition`; declared here are the keys and the columns that the kernel derives.
The bare annotations name the options that Python code reads.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from flows.definition import ATTRIBUTE, FLOW, TRIGGER
from flows.labels import translate_label
from flows.models.definition_fields import described


@described(FLOW)
class Flow(models.Model):
    """A flow: its attributes, its triggers and its settings. Table flow."""

    label: str
    default_timeout: str | None

    id = models.AutoField(primary_key=True)
    name = models.CharField(_("name"), help_text=_("Also the name of the flow's schema in the database."))
    version = models.IntegerField(_("version"), editable=False, default=0)
    created_at = models.DateTimeField(_("created at"), editable=False, db_default=Now())

    class Meta:
        managed = False
        db_table = "flow"
        ordering = ["name"]
        verbose_name = _("flow")
        verbose_name_plural = _("flows")
        permissions = [
            ("publish_flow", "Can publish definitions"),
            ("approve_flow", "Can approve publications of others"),
            ("handle_cases", "Can claim cases and give exceptions new values"),
            ("approve_repair", "Can approve repairs of others"),
            ("reveal_values", "Can see values that are masked or hidden"),
            ("look_at_values", "Can look at masked values with a reason"),
            ("move_instances", "Can move instances between installations"),
            ("manage_worker_keys", "Can create, rotate and revoke keys of workers"),
        ]

    def __str__(self) -> str:
        return translate_label(self.label) or self.name


@described(ATTRIBUTE)
class Attribute(models.Model):
    """One value that every instance of the flow has. Table attr, the paper's WED_attr."""

    name: str

    aid = models.AutoField(primary_key=True)
    flow = models.ForeignKey(
        Flow, models.DO_NOTHING, db_column="flow_id", related_name="attributes", verbose_name=_("flow")
    )

    class Meta:
        managed = False
        db_table = "attr"
        ordering = ["position", "aid"]
        verbose_name = _("attribute")
        verbose_name_plural = _("attributes")

    def __str__(self) -> str:
        return self.name


@described(TRIGGER)
class Trigger(models.Model):
    """Fires a transition when a condition over the attributes holds. Table trig, the paper's WED_trig."""

    name: str | None
    transition: str | None
    predicate: str

    tgid = models.AutoField(primary_key=True)
    flow = models.ForeignKey(
        Flow, models.DO_NOTHING, db_column="flow_id", related_name="triggers", verbose_name=_("flow")
    )
    canonical = models.TextField(_("as the kernel reads it"), null=True, editable=False)  # noqa: DJ001
    reads = ArrayField(models.TextField(), verbose_name=_("reads"), null=True, editable=False)
    disjuncts = ArrayField(models.TextField(), verbose_name=_("alternatives"), null=True, editable=False)

    class Meta:
        managed = False
        db_table = "trig"
        ordering = ["tgid"]
        verbose_name = _("trigger")
        verbose_name_plural = _("triggers")

    def __str__(self) -> str:
        return self.name or self.transition or self.predicate[:60]
