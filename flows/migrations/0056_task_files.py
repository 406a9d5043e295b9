"""Add the files of forms."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0051_firing_limit")]
    operations = [ChangeTables("0056_task_files")]
