"""Add the roles of triggers."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0039_start_source")]
    operations = [ChangeTables("0040_roles")]
