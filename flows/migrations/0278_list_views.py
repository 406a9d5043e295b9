"""Let views of lists of jobs, approvals and alerts be saved."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0270_moves")]
    operations = [ChangeTables("0278_list_views")]
