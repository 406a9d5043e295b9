"""Add the tables of cases: the work of people on exceptions."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0009_sla")]
    operations = [ChangeTables("0010_cases")]
