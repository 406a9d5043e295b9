"""Give options of attributes and queues of flows labels."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0140_away_devices")]
    operations = [ChangeTables("0160_option_labels")]
