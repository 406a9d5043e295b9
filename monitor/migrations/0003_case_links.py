"""Add links from cases to other systems."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("monitor", "0002_drafts")]
    operations = [
        migrations.CreateModel(
            name="CaseLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("flow_id", models.IntegerField()),
                ("position", models.IntegerField()),
                ("label", models.CharField(max_length=80)),
                ("url", models.TextField()),
                ("cause", models.CharField(default="", max_length=40)),
            ],
            options={
                "db_table": "case_link",
                "default_permissions": (),
                "constraints": (
                    models.UniqueConstraint(fields=("flow_id", "position"), name="case_link_of_flow"),
                ),
            },
        ),
    ]
