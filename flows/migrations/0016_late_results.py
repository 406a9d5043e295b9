"""Add the table of late results."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0015_handle_cases")]
    operations = [ChangeTables("0016_late_results")]
