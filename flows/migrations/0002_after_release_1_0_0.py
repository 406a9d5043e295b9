"""Apply the changes of the kernel's tables after release 1.0.0."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0001_initial")]
    operations = [ChangeTables("0002_after_release_1_0_0")]
