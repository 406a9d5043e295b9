"""Add the forms that were sent."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="SentForm",
            fields=[
                ("token", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("address", models.CharField(default="", max_length=2000)),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={"db_table": "sent_form", "default_permissions": ()},
        ),
    ]
