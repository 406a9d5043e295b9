"""Add automatic transitions."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0033_worker_keys")]
    operations = [ChangeTables("0034_automatic")]
