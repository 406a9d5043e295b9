"""Add the table of scenarios."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0003_designer")]
    operations = [ChangeTables("0004_scenarios")]
