"""Keep a draft per way to repair."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("monitor", "0003_case_links")]
    operations = [
        migrations.AddField(
            "casedraft", "address", models.CharField(max_length=100, default="operation=patch")
        ),
        migrations.RemoveConstraint("casedraft", "case_draft_of_user"),
        migrations.AddConstraint(
            "casedraft",
            models.UniqueConstraint(fields=("user", "case", "address"), name="case_draft_of_operation"),
        ),
    ]
