"""The page People and rights: who may do what and why, changes, and new colleagues."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows.access import rights, sources
from flows.tests.pages import unique
from flows.users.groups import set_rights
from monitor.tests.conftest import Parcels, client_of, get, person, text_of


@pytest.fixture
def root(site: None) -> Client:
    """A superuser."""
    user = person("root", staff=True)
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    return client_of(User.objects.get(pk=user.pk))


@pytest.fixture
def chief(parcels: Parcels, site: None) -> Client:
    """Manages accounts and operates the parcels, and is no superuser."""
    user = person("chief", f"flow:{parcels.flow}:operate", staff=True)
    user.user_permissions.add(*Permission.objects.filter(codename__in=("add_user", "change_user")))
    return client_of(user)


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


def test_a_colleague_with_one_flow_is_created_in_one_form(root: Client, parcels: Parcels) -> None:
    name = unique("dana")
    assert "/people/" in get(root, "/workers/"), "the first click"
    answer = root.post("/people/", {"name": name, "flow": parcels.flow, "level": "handle"})
    made = User.objects.get(username=name)
    assert rights(made, parcels.flow) == {"see", "handle"} and not made.is_staff
    (password,) = re.findall(r"<code>([\w-]{12,})</code>", answer.content.decode())
    assert Client().login(request=answer.wsgi_request, username=name, password=password)
    page = text_of(get(root, f"/people/?q={name}"))
    assert name in page and "Handle cases" in page


@pytest.mark.parametrize("given", [
    {"name": ""}, {"name": "a b"}, {"name": "x", "flow": "nothing"}, {"name": "x", "level": "boss"},
    {"name": "\x00"}, {"name": "x", "level": "\x00"},
])  # fmt: skip
def test_a_wrong_form_creates_no_account_and_keeps_what_was_typed(
    root: Client, parcels: Parcels, given: dict[str, str]
) -> None:
    before = User.objects.count()
    answer = root.post("/people/", {"flow": parcels.flow, "level": "see"} | given)
    assert answer.status_code == 200 and 'role="alert"' in answer.content.decode()
    assert User.objects.count() == before


def test_a_name_that_is_taken_is_refused(root: Client, parcels: Parcels) -> None:
    taken = person("taken").username
    answer = root.post("/people/", {"name": taken, "flow": parcels.flow, "level": "see"})
    assert "already exists" in text_of(answer.content) or 'role="alert"' in answer.content.decode()


def test_the_page_says_what_a_person_may_do_and_why(root: Client, parcels: Parcels) -> None:
    ella = person("ella", f"flow:{parcels.flow}", f"flow:{parcels.flow}:repair", permission="change_instance")
    assert sources(ella, parcels.flow) == {
        "see": [f"flow:{parcels.flow}", f"flow:{parcels.flow}:repair"],
        "operate": ["permission"],
        "handle": [f"flow:{parcels.flow}:repair"],
        "repair": [f"flow:{parcels.flow}:repair"],
    }
    assert set(sources(ella, parcels.flow)) == rights(fresh(ella), parcels.flow)
    text = text_of(get(root, f"/people/{ella.pk}/"))
    assert "Operate may do it, by a permission of the account" in text
    assert f"Repair may do it, by flow:{parcels.flow}:repair" in text


def test_rights_are_changed_for_one_flow(root: Client, parcels: Parcels) -> None:
    ella = person("ella", f"flow:{parcels.flow}:design", "flow:another:operate")
    root.post(f"/people/{ella.pk}/", {"flow": parcels.flow, "action": ["handle", "operate"]})
    assert rights(fresh(ella), parcels.flow) == {"see", "handle", "operate"}
    assert "operate" in rights(fresh(ella), "another"), "the other flow is as it was"
    root.post(f"/people/{ella.pk}/", {"flow": parcels.flow})
    assert rights(fresh(ella), parcels.flow) == frozenset()
    assert root.post(f"/people/{ella.pk}/", {"flow": "nothing"}).status_code == 404
    assert root.get("/people/999999999999/").status_code == 404


def test_no_manager_grants_more_than_they_have(chief: Client, root: Client, parcels: Parcels) -> None:
    ella = person("ella")
    chief.post(f"/people/{ella.pk}/", {"flow": parcels.flow, "action": ["operate"]})
    assert rights(fresh(ella), parcels.flow) == {"see", "operate"}
    chief.post(f"/people/{ella.pk}/", {"flow": parcels.flow, "action": ["operate", "repair"]})
    assert rights(fresh(ella), parcels.flow) == {"see", "operate"}, "the chief may not repair"
    set_rights(ella, parcels.flow, ["operate", "repair"])
    chief.post(f"/people/{ella.pk}/", {"flow": parcels.flow, "action": ["operate"]})
    assert "repair" in rights(fresh(ella), parcels.flow), "nor take it away"
    answer = chief.post("/people/", {"name": unique("new"), "flow": parcels.flow, "level": "repair"})
    assert "You can only grant what you may do yourself." in text_of(answer.content)
    boss = User.objects.get(username="root in monitor")
    assert chief.post(f"/people/{boss.pk}/", {"flow": parcels.flow}).status_code == 403


def test_the_number_of_queries_does_not_grow_with_persons_and_flows(root: Client, parcels: Parcels) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            get(root, "/people/")
        return len(found)

    person(unique("a"), f"flow:{parcels.flow}:operate", permission="change_job")
    queries()
    first = queries()
    for each in "abcdef":
        person(unique(each), f"flow:{parcels.flow}:operate", permission="change_job")
    assert queries() <= first
