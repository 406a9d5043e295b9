"""Add the table of recovery: what is left of operations that undo steps."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0011_assigned_jobs")]
    operations = [ChangeTables("0012_recovery")]
