"""Add the size and the application of tasks, and what people choose for their lists."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0067_deliveries")]
    operations = [ChangeTables("0068_task_orders")]
