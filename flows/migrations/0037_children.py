"""Add child instances."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0036_exclusion")]
    operations = [ChangeTables("0037_children")]
