"""Move instances between installations."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0260_child_errors")]
    operations = [ChangeTables("0270_moves")]
