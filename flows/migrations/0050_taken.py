"""Add what is set when a person takes a task."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0049_task_messages")]
    operations = [ChangeTables("0050_taken")]
