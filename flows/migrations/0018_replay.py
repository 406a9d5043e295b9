"""Add what a replay of recorded results needs."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0017_repaired")]
    operations = [ChangeTables("0018_replay")]
