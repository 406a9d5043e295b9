"""Let the devices of a person open what another one has saved as a file."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0230_responsible")]
    operations = [ChangeTables("0240_package_files")]
