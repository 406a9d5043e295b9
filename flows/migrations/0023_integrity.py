"""Add integrity conditions to the tables."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0022_policies")]
    operations = [ChangeTables("0023_integrity")]
