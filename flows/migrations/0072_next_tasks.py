"""Find the next task of a flow at once."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0071_hours")]
    operations = [ChangeTables("0072_next_tasks")]
