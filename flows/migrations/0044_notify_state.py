"""Add the option that withholds states from notifications of jobs."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0042_rounds")]
    operations = [ChangeTables("0044_notify_state")]
