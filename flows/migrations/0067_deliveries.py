"""Find messages by their sender."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0066_offers")]
    operations = [ChangeTables("0067_deliveries")]
