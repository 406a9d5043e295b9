"""Add the changes of controls."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0044_notify_state")]
    operations = [ChangeTables("0045_control_changes")]
