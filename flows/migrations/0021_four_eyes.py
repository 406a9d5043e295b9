"""Add the tables of approvals of repairs, and the permission to approve them."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0020_past_cases")]
    operations = [
        ChangeTables("0021_four_eyes"),
        migrations.AlterModelOptions(
            "flow",
            {
                "managed": False,
                "ordering": ["name"],
                "permissions": [
                    ("publish_flow", "Can publish definitions"),
                    ("approve_flow", "Can approve publications of others"),
                    ("handle_cases", "Can claim cases and give exceptions new values"),
                    ("approve_repair", "Can approve repairs of others"),
                ],
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
            },
        ),
    ]
