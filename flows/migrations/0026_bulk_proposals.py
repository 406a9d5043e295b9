"""Add proposals of operations on many instances."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0025_bulk_repairs")]
    operations = [ChangeTables("0026_bulk_proposals")]
