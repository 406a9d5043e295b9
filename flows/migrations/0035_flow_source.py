"""Add what definitions were translated from."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0034_automatic")]
    operations = [ChangeTables("0035_flow_source")]
