"""Add the tables of the monitor: saved views."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0005_after_scenarios")]
    operations = [ChangeTables("0006_monitor")]
