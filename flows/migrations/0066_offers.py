"""Let persons who are connected look at offered tasks in turns."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0051_firing_limit")]
    operations = [ChangeTables("0066_offers")]
