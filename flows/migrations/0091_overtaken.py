"""Let messages say that another person changed an instance."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0080_offline")]
    operations = [ChangeTables("0091_overtaken")]
