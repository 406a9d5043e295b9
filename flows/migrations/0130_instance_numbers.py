"""Give instances names with the lowest number that is free."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0106_offline_chains")]
    operations = [ChangeTables("0130_instance_numbers")]
