"""Add the table of the attributes that shall have an index."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0006_monitor")]
    operations = [ChangeTables("0007_attribute_indexes")]
