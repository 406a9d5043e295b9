"""Add what rounds of the reaper read by."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0040_roles")]
    operations = [ChangeTables("0042_rounds")]
