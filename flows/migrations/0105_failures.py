"""Group errors of attempts by their message."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0091_overtaken")]
    operations = [ChangeTables("0105_failures")]
