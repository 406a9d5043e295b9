"""Add keys of workers, and the permission to manage them."""

from __future__ import annotations

from django.db import migrations

from flows.operations.install import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("flows", "0032_named_objects")]
    operations = [
        ChangeTables("0033_worker_keys"),
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
                    ("manage_worker_keys", "Can create, rotate and revoke keys of workers"),
                ],
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
            },
        ),
    ]
