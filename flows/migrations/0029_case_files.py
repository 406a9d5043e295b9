"""Add files of cases."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0028_looks")]
    operations = [ChangeTables("0029_case_files")]
