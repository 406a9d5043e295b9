"""Add mutual exclusion."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0035_flow_source")]
    operations = [ChangeTables("0036_exclusion")]
