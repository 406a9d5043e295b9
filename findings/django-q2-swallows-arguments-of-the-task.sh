#!/bin/sh
# django-q2 1.11.1 (PyPI), Django 5.2: a task whose function has a parameter that is called as an option, such as group.
# Guess: the function gets it, at least where the options are given apart, in q_options.
# Seen: the argument is taken for an option of the queue, with q_options as well; the function runs without it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet django-q2==1.11.1 'Django==5.2' 2>/dev/null
cat > steps.py <<'PY'
def passed(**given):
    return sorted(given)
PY
cat > ask.py <<'PY'
import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django_q"], SECRET_KEY="x", USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "q.sqlite"}},
    Q_CLUSTER={"name": "q", "sync": True, "orm": "default", "log_level": "CRITICAL", "timeout": 60, "retry": 120},
)
django.setup()
from django.core.management import call_command
from django_q.tasks import async_task, fetch

call_command("migrate", verbosity=0)
plain = async_task("steps.passed", group="north", timeout=5, name="x")
apart = async_task("steps.passed", group="north", name="x", q_options={"timeout": 5})
for task in (plain, apart):
    print(fetch(task).result, fetch(task).group)
PY
seen=$(venv/bin/python -W ignore ask.py 2>/dev/null)
printf '%s\n' "$seen"
test "$seen" = "['name'] north
['name'] north" || { echo "This has changed." >&2; exit 1; }
