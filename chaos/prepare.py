"""`python -m chaos.prepare`: create the tables, roles, a log-in and the flows in a new database."""

from __future__ import annotations

import json
import os
from pathlib import Path

import django

from chaos import fifty, persons

NAME, PASSWORD = "chaos", "chaos-only-for-harness"
POISON = """
insert into wed_attr (aname, adv) values ('kind', null), ('text', '0');
insert into wed_trig (trname, cpred, timeout, max_attempts, backoff) values
  ('tr_abort', 'kind = ''abort''', '5 seconds', 3, '100 milliseconds'),
  ('tr_huge', 'kind = ''huge'' and text = ''0''', '20 seconds', 3, '100 milliseconds'),
  ('tr_nonsense', 'kind = ''nonsense''', '5 seconds', 3, '100 milliseconds'),
  ('tr_never', 'kind = ''never''', '2 seconds', 3, '100 milliseconds'),
  ('tr_huge', '1 / (length(kind) - 5) = 9', '5 seconds', 3, '100 milliseconds');
insert into wed_trig (cpred, cfinal) values ('length(text) > 1000', true);
"""


# One leased step that workers perform, and two that only the harness performs.
SIDE = """
insert into wed_attr (aname, adv) values ('hoard', '1'), ('hand', '1'), ('grab', '1');
insert into wed_trig (trname, cpred, timeout, mode, max_attempts, backoff) values
  ('tr_hoard', 'hoard = ''0''', '10 minutes', 'lease', 200, '100 milliseconds'),
  ('tr_hand', 'hand = ''0''', '10 minutes', 'lease', 200, '100 milliseconds'),
  ('tr_grab', 'grab = ''0''', '15 seconds', 'auto', 200, '100 milliseconds');
insert into wed_trig (cpred, cfinal) values ('hoard = ''1'' and hand = ''1'' and grab = ''1''', true);
"""

# Instances that wait for half a minute, for an hour, or until the moment in their data.
TIMED = """
insert into wed_attr (aname, adv, type) values
  ('later', '1', 'text'), ('much_later', '1', 'text'), ('at_due', '1', 'text'), ('due', null, 'timestamptz');
insert into wed_trig (trname, cpred, due_after, due_attr, timeout) values
  ('tr_later', 'later = ''0''', '30 seconds', null, '30 seconds'),
  ('tr_much_later', 'much_later = ''0''', '1 hour', null, '30 seconds'),
  ('tr_then', 'at_due = ''0''', null, 'due', '30 seconds');
insert into wed_trig (cpred, cfinal) values ('later = ''1'' and much_later = ''1'' and at_due = ''1''', true);
"""


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model
    from django.db import connection

    from wedsql_site.supervisor import preparation

    preparation.install()
    get_user_model()._default_manager.create_superuser(NAME, password=PASSWORD)
    with connection.cursor() as cursor:
        main_flow = Path(__file__).with_name("flow.sql").read_text()
        flows = {
            "chaos": main_flow,
            "poison": POISON,
            "side": SIDE,
            "timed": TIMED,
            "fifty": fifty.definition(),
            persons.FLOW: persons.DEFINITION,
        }
        for flow, text in flows.items():
            policy = "cancel" if flow == "fifty" else "reject"
            cursor.execute("select wedsql.create_flow(%s, p_final_when_pending => %s)", [flow, policy])
            cursor.execute(f"set search_path = {flow}, wedsql")
            cursor.execute(text)
    _hire()


def _hire() -> None:
    """Create the persons with their roles, and leave their tokens to the harness."""
    from django.contrib.auth.models import Group, User

    from monitor.api import tokens

    secrets = {}
    for number, name in enumerate(persons.NAMES):
        user = User.objects.create_user(name)
        for role in persons.ROLES[number % len(persons.ROLES)]:
            user.groups.add(Group.objects.get_or_create(name=f"role:{role}")[0])
        secrets[name] = tokens.create(user, "chaos", 30, (), ("perform",))[1]
    place = Path(os.environ["WEDSQL_STATE_DIR"])
    place.mkdir(exist_ok=True)
    (place / persons.SECRETS).write_text(json.dumps(secrets))


if __name__ == "__main__":
    main()
