"""Check the state and the owner of a task together."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0310_task_loops")]
    operations = [ChangeTables("0311_task_check")]
