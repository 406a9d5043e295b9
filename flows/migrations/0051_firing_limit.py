"""Limit how often a rule may fire for one instance."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0050_taken")]
    operations = [ChangeTables("0051_firing_limit")]
