"""Let a case be put aside until a condition on the state holds."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0018_replay")]
    operations = [ChangeTables("0019_case_waits")]
