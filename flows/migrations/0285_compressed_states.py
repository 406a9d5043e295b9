"""Compress states of the history by lz4 where the server has it."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0281_tasks_of_flows")]
    operations = [ChangeTables("0285_compressed_states")]
