"""Add mails about cases."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0030_signals")]
    operations = [ChangeTables("0031_case_digests")]
