"""Let triggers name the errors of a child that count as failed."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0240_package_files")]
    operations = [ChangeTables("0260_child_errors")]
