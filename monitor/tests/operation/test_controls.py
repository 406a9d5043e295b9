"""Changes of controls: what Django keeps is recorded like what the kernel keeps, and auditors read it."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import reverse

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.controls.api import AskedControls, ControlChange
from flows.users.authors import named
from monitor.tests.conftest import Parcels, client_of, person, text_of
from pages.labels import CONTROL

# Tables of Django that decide nothing about what people may do.
NONE = {
    "sessions and log-ins": "django_session axes_accessattempt axes_accesslog axes_accessfailurelog"
    " axes_accessattemptexpiration",
    "Django's own": "django_migrations django_content_type django_admin_log",
    "the queue of Django-Q, for superusers": "django_q_ormq django_q_task django_q_schedule",
    "what people typed, and links": "case_draft case_link sent_form",
    "codes of a second factor, each used once": "otp_static_statictoken",
}


def recorded(control: str) -> list[ControlChange]:
    """Return the changes of a control, the oldest first."""
    return api.controls.list_changes(AskedControls(control=control), limit=1000)[::-1]


def test_every_table_of_django_is_a_control_or_has_a_reason_not_to_be_one(site: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select c.relname::text from pg_class c where c.relnamespace = 'wedsql'::regnamespace"
            " and c.relkind = 'r' and c.relowner <> 'wed_owner'::regrole"
        )
        found = {name for (name,) in cursor.fetchall()}
        cursor.execute(
            "select c.relname::text from pg_trigger t join pg_class c on c.oid = t.tgrelid"
            " where t.tgfoid = 'wedsql._record_control()'::regprocedure group by 1 having count(*) = 3"
        )
        watched = {name for (name,) in cursor.fetchall()}
    none = {name for names in NONE.values() for name in names.split()}
    assert not none & set(api.controls.list())
    assert found - set(api.controls.list()) == none
    assert watched == set(api.controls.list()) == set(CONTROL), "each has its triggers and its name on pages"


def test_rights_that_a_page_gives_and_takes_name_the_person(site: None) -> None:
    eva, admin = person("eva"), person("root", staff=True)
    User.objects.filter(pk=eva.pk).update(username="eva_in_a_form")
    eva.refresh_from_db()
    User.objects.filter(pk=admin.pk).update(is_superuser=True)
    root, group = admin.username, Group.objects.create(name="flow:x:repair")
    page = client_of(admin)
    form = {
        "username": eva.username,
        "is_active": "on",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00",
    }
    address = reverse("admin:auth_user_change", args=[eva.pk])
    assert page.post(address, form | {"groups": [group.pk], "is_staff": "on"}).status_code == 302
    assert page.post(address, form).status_code == 302
    given, taken = recorded("auth_user_groups")[-2:]
    assert (given.actor, given.before, taken.actor, taken.after) == (root, None, root, None)
    assert given.after is not None
    assert (given.after["user"], given.after["group"]) == (eva.username, "flow:x:repair")
    staff, not_staff = recorded("auth_user")[-2:]
    assert (staff.different, not_staff.different, staff.actor) == (["is_staff"], ["is_staff"], root)
    eva.set_password("a new one")
    eva.save()
    changed = recorded("auth_user")[-1]
    assert changed.different == ["password"] and eva.password not in str(changed)
    eva.delete()


def test_no_door_of_django_leads_around_the_record(site: None) -> None:
    eva, group = person("eva"), Group.objects.create(name="a")
    right = Permission.objects.get(codename="approve_repair")
    with named(lambda: "ann"):
        group.permissions.add(right)
        Group.objects.filter(pk=group.pk).update(name="flow:x:approve_repair")
        User.objects.bulk_update([User(pk=eva.pk, is_superuser=True)], ["is_superuser"])
        eva.user_permissions.set([right])
    with connection.cursor() as cursor:
        cursor.execute("update wedsql.auth_user set is_active = false where id = %s", [eva.pk])
    assert [each.actor for each in recorded("auth_group_permissions")[-1:]] == ["ann"]
    assert recorded("auth_group")[-1].different == ["name"]
    assert recorded("auth_user_user_permissions")[-1].after is not None
    assert recorded("auth_user")[-2].actor == "ann" or recorded("auth_user")[-1].actor == "ann"
    last = recorded("auth_user")[-1]
    assert last.after is not None and not last.after["is_active"]


def test_a_log_in_is_no_change(site: None) -> None:
    eva = person("eva")
    before = len(recorded("auth_user"))
    User.objects.filter(pk=eva.pk).update(last_login=F("date_joined"))
    assert len(recorded("auth_user")) == before


@pytest.mark.parametrize("language", ["en", "pt-br"])
def test_the_page_shows_who_changed_what_from_what(parcels: Parcels, site: None, language: str) -> None:
    api.approvals.save_rules(parcels.flow, [ApprovalRule(1, title="Large")], "bob")
    made = api.approvals.propose_rules(parcels.flow, [], "Why.", actor="mallory <b>")
    api.approvals.approve(made.number, "bob")
    page: Client = client_of(person("ann", staff=True))
    answer = page.get(
        f"/controls/?flow={parcels.flow}&control=approval_rule", headers={"accept-language": language}
    )
    html = answer.content.decode()
    assert answer.status_code == 200 and "mallory &lt;b&gt;" in html and "<del>Large</del>" in html
    assert ("Rule for approvals" if language == "en" else "Regra de aprovações") in text_of(answer.content)
    assert "mallory" not in page.get(f"/controls/?flow={parcels.flow}&actor=bob").content.decode()


def test_the_page_continues_by_key(parcels: Parcels, site: None) -> None:
    for n in range(60):
        api.approvals.save_rules(parcels.flow, [ApprovalRule(1, title=f"Title {n}.")], "bob")
    page = client_of(person("ann", staff=True))
    first = page.get(f"/controls/?flow={parcels.flow}&control=approval_rule")
    older = first.context["older"]
    second = page.get(f"/controls/?flow={parcels.flow}&control=approval_rule&before={older}")
    numbers = [row.change.id for row in [*first.context["rows"], *second.context["rows"]]]
    assert len(set(numbers)) == 60 and numbers == sorted(numbers, reverse=True)
    assert second.context["older"] is None


def test_the_command_lists_them(parcels: Parcels, site: None) -> None:
    api.approvals.save_rules(parcels.flow, [ApprovalRule(1, title="Large")], "bob")
    out = StringIO()
    call_command("controls", flow=parcels.flow, control="approval_rule", json=True, stdout=out)
    (found,) = json.loads(out.getvalue())
    assert (found["actor"], found["before"], found["after"]["title"]) == ("bob", None, "Large")
