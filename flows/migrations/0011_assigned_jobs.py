"""Add the worker to which a job is assigned."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0010_cases")]
    operations = [ChangeTables("0011_assigned_jobs")]
