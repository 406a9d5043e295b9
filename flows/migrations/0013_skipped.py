"""Add the table of skipped jobs."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0012_recovery")]
    operations = [ChangeTables("0013_skipped")]
