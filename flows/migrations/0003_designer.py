"""Add the tables of drafts and publications, and the permissions to publish and to approve."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0002_after_release_1_0_0")]
    operations = [
        ChangeTables("0003_designer"),
        migrations.AlterModelOptions(
            "flow",
            {
                "managed": False,
                "ordering": ["name"],
                "permissions": [
                    ("publish_flow", "Can publish definitions"),
                    ("approve_flow", "Can approve publications of others"),
                ],
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
            },
        ),
    ]
