"""Let tasks be written without checking that their flow exists."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0278_list_views")]
    operations = [ChangeTables("0281_tasks_of_flows")]
