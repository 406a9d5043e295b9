"""Add tasks, the jobs that people perform."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0046_lowered_rules")]
    operations = [ChangeTables("0047_tasks")]
