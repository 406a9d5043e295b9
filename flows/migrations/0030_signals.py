"""Add signals."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0029_case_files")]
    operations = [ChangeTables("0030_signals")]
