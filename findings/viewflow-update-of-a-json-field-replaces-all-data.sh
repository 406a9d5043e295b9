#!/bin/sh
# django-viewflow 2.4.0 (PyPI), Django 5.2: a process whose fields are those of viewflow.jsonstore, on SQLite.
# Guess: they behave as columns in queries: update() changes one of them, or is refused as save(update_fields=...) is;
# decimals are ordered as numbers; a filter by True finds the processes that have the default True.
# Seen: update() returns 1 and replaces all data of the process by the one value, so that every field is empty then;
# 10 comes before 9; a process that was created without a value reads True and is not found by it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet django-viewflow==2.4.0 Django==5.2 django-filter==26.2 2>/dev/null
mkdir -p office/migrations
touch office/__init__.py office/migrations/__init__.py
cat > office/models.py <<'PY'
from viewflow import jsonstore
from viewflow.workflow.models import Process


class Order(Process):
    amount = jsonstore.DecimalField(max_digits=10, decimal_places=2, null=True)
    city = jsonstore.CharField(max_length=50, null=True)
    paid = jsonstore.BooleanField(default=True)

    class Meta:
        proxy = True
PY
cat > ask.py <<'PY'
from decimal import Decimal

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "viewflow", "viewflow.workflow", "office"],
    SECRET_KEY="x", USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
)
django.setup()
from django.core.management import call_command
from office.models import Order

call_command("makemigrations", "office", verbosity=0)
call_command("migrate", verbosity=0)
for amount in ("9", "10"):
    Order.objects.create(amount=Decimal(amount), city="Recife")
print("ordered", *[str(one.amount) for one in Order.objects.order_by("amount")])
Order.objects.create(city="Olinda")
print("paid", *[one.paid for one in Order.objects.all()], "found", Order.objects.filter(paid=True).count())
first = Order.objects.filter(city="Recife")[0]
print("before", first.amount, first.city)
print("changed", Order.objects.filter(pk=first.pk).update(amount=Decimal("8")))
after = Order.objects.get(pk=first.pk)
print("after", after.amount, after.city, repr(after.data))
PY
seen=$(venv/bin/python -W ignore ask.py)
printf '%s\n' "$seen"
test "$seen" = 'ordered 10 9
paid True True True found 0
before 10 Recife
changed 1
after None None 8' || { echo "This has changed." >&2; exit 1; }
