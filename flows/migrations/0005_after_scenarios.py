"""Add what came after scenarios: order, choices, options of attributes, acknowledged findings."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0004_scenarios")]
    operations = [ChangeTables("0005_after_scenarios")]
