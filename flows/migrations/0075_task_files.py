"""Add the files of forms."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0072_next_tasks")]
    operations = [ChangeTables("0075_task_files")]
