"""Keep messages about flows that were dropped."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0285_compressed_states")]
    operations = [ChangeTables("0293_messages_of_dropped_flows")]
