"""Add the proposals to lower rules for approvals."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0045_control_changes")]
    operations = [ChangeTables("0046_lowered_rules")]
