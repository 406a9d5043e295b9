"""Install the kernel, and declare the models of its tables.

The kernel's SQL creates the tables (managed = False), so each model is declared only with its key: Django
does not compare the columns of a table that it does not manage.
"""

from __future__ import annotations

from django.db import migrations, models

import flows.models.fields
from flows.operations.install import ChangeTables


def mirror(name: str, table: str, singular: str, plural: str, order: list[str], **keys: models.Field):
    """Return the creation of a model over a table of the kernel."""
    names = {"db_table": table, "verbose_name": singular, "verbose_name_plural": plural}
    return migrations.CreateModel(name, list(keys.items()), {**names, "ordering": order, "managed": False})


def number(**kwargs) -> models.Field:
    return models.AutoField(primary_key=True, serialize=False, **kwargs)


def big(**kwargs) -> models.Field:
    return models.BigIntegerField(primary_key=True, serialize=False, **kwargs)


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        ChangeTables("0001_initial"),
        mirror("Flow", "flow", "flow", "flows", ["name"], id=number()),
        mirror("Attribute", "attr", "attribute", "attributes", ["position", "aid"], aid=number()),
        mirror("Trigger", "trig", "trigger", "triggers", ["tgid"], tgid=number()),
        mirror(
            "Instance",
            "instance",
            "instance",
            "instances",
            ["-wid"],
            wid=models.IntegerField(primary_key=True, serialize=False),
        ),
        mirror("Job", "job_pool", "job", "jobs", ["-id"], id=big()),
        mirror(
            "TraceEntry",
            "wed_trace",
            "history entry",
            "history",
            ["-wid", "-seq"],
            key=flows.models.fields.TraceKeyField(primary_key=True, serialize=False, editable=False),
        ),
        mirror("JobLog", "job_log", "job log entry", "job log", ["-id"], id=big()),
        mirror("WorkerProcess", "worker", "worker process", "worker processes", ["name", "id"], id=big()),
        mirror(
            "FlowVersion",
            "flow_version",
            "version of a flow",
            "versions of flows",
            ["flow", "-version"],
            pk=models.CompositePrimaryKey("flow_id", "version", blank=True, editable=False),
            flow=models.ForeignKey(
                "flows.Flow", models.DO_NOTHING, db_column="flow_id", related_name="versions"
            ),
            version=models.IntegerField(),
        ),
        mirror(
            "ConditionError",
            "condition_error",
            "failing condition",
            "failing conditions",
            ["-last_at"],
            trigger=models.OneToOneField(
                "flows.Trigger", models.DO_NOTHING, primary_key=True, db_column="tgid", related_name="+"
            ),
        ),
    ]
