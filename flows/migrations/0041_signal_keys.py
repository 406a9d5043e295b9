"""Add the index of signals that are kept for a key."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0040_roles")]
    operations = [ChangeTables("0041_signal_keys")]
