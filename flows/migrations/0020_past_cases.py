"""Add the indexes by which closed cases are found."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0019_case_waits")]
    operations = [ChangeTables("0020_past_cases")]
