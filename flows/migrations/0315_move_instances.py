"""Add the permission to move instances between installations."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("flows", "0312_host_use")]
    operations = [
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
                    ("move_instances", "Can move instances between installations"),
                    ("manage_worker_keys", "Can create, rotate and revoke keys of workers"),
                ],
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
            },
        ),
    ]
