"""Add the tables of SLAs: their calendars and their clocks."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0008_webhooks")]
    operations = [ChangeTables("0009_sla")]
