"""Add the number of attempts that a job had before its last retry."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0013_skipped")]
    operations = [ChangeTables("0014_earlier_attempts")]
