"""Add the permission to handle cases."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("flows", "0014_earlier_attempts")]
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
                ],
                "verbose_name": "flow",
                "verbose_name_plural": "flows",
            },
        ),
    ]
