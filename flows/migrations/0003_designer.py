"""Add the tables of drafts and publications."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0002_after_release_1_0_0")]
    operations = [ChangeTables("0003_designer")]
