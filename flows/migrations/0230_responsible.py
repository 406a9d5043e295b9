"""Find the instances for which a person is responsible."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0190_case_views")]
    operations = [ChangeTables("0230_responsible")]
