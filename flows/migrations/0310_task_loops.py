"""Find the open tasks of an instance, and who performed its transitions, whatever its history."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0305_due_moves")]
    operations = [ChangeTables("0310_task_loops")]
