"""Add the table of repairs that can be undone."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0016_late_results")]
    operations = [ChangeTables("0017_repaired")]
