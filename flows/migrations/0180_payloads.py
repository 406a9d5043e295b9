"""Let jobs with a large state have it in the history only."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0160_option_labels")]
    operations = [ChangeTables("0180_payloads")]
