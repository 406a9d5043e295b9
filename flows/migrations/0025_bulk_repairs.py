"""Add repairs of many instances."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0024_visibility")]
    operations = [ChangeTables("0025_bulk_repairs")]
