"""Let devices offer tasks that become ready by results made on them."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0105_failures")]
    operations = [ChangeTables("0106_offline_chains")]
