"""Let devices have tasks that are not locked yet, and say until when they have no connection."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0130_instance_numbers")]
    operations = [ChangeTables("0140_away_devices")]
