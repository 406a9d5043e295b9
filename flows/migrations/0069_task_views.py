"""Save views of lists of tasks, too."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0068_task_orders")]
    operations = [ChangeTables("0069_task_views")]
