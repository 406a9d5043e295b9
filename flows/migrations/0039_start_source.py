"""Add attributes that have what starts an instance."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0038_start_times")]
    operations = [ChangeTables("0039_start_source")]
