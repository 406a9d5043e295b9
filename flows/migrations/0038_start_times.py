"""Add starts by time."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0037_children")]
    operations = [ChangeTables("0038_start_times")]
