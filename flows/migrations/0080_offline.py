"""Add devices that perform tasks without a connection."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0075_task_files")]
    operations = [ChangeTables("0080_offline")]
