"""Add integrity conditions to the tables."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0021_four_eyes")]
    operations = [ChangeTables("0022_integrity")]
