"""Add the visibility of attributes, and the permission to see what is masked."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0023_integrity")]
    operations = [
        ChangeTables("0024_visibility"),
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
                    ("reveal_values", "Can see values that are masked or hidden"),
                ],
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
            },
        ),
    ]
