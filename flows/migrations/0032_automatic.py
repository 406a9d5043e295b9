"""Add automatic transitions."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0031_case_digests")]
    operations = [ChangeTables("0032_automatic")]
