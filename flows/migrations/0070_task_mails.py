"""Send mails about tasks to those who choose them."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0069_task_views")]
    operations = [ChangeTables("0070_task_mails")]
