"""Let views of lists of cases be saved."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0180_payloads")]
    operations = [ChangeTables("0190_case_views")]
