"""Find messages about moves by installation."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0293_messages_of_dropped_flows")]
    operations = [ChangeTables("0305_due_moves")]
