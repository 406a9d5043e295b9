"""Add the looks at masked values, and the permission to look at them with a reason."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0026_bulk_proposals")]
    operations = [
        ChangeTables("0028_looks"),
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
                    ("look_at_values", "Can look at masked values with a reason"),
                ],
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
            },
        ),
    ]
