"""Add what rounds of the reaper read by."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0041_signal_keys")]
    operations = [ChangeTables("0042_rounds")]
