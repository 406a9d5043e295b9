"""Note which host an attempt of a job runs on."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0311_task_check")]
    operations = [ChangeTables("0312_host_use")]
