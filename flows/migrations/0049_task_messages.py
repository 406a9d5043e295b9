"""Add deadlines, messages and responsible persons of tasks."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0048_forms")]
    operations = [ChangeTables("0049_task_messages")]
