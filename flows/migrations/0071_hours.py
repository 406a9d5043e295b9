"""Have the hours before a deadline be more than 0."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0070_task_mails")]
    operations = [ChangeTables("0071_hours")]
