"""After a test that commits, the tables of the site have what they had before it."""

from __future__ import annotations

import os

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType

from testkit import site_tables

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="Django's flush is used on another server"),
]


def rows() -> tuple[set[str], set[str], set[int]]:
    users = set(User.objects.values_list("username", flat=True))
    groups = set(Group.objects.values_list("name", flat=True))
    return users, groups, set(Permission.objects.values_list("pk", flat=True))


def add_rows() -> None:
    user, group = User.objects.create_user("anna"), Group.objects.create(name="painters")
    user.groups.add(group)
    kind = ContentType.objects.get_for_model(User)
    Permission.objects.create(codename="paint", name="May paint", content_type=kind).group_set.add(group)


def test_what_was_added_is_deleted_and_the_rest_stays() -> None:
    before = rows()
    add_rows()
    assert rows() != before

    site_tables.empty()

    assert rows() == before and before[2]


def test_what_was_deleted_is_made_again() -> None:
    before = rows()
    codenames = set(Permission.objects.values_list("content_type__model", "codename"))
    add_rows()
    Permission.objects.filter(codename="view_user").delete()

    site_tables.empty()
    site_tables.keep_what_is_there()  # the rows have other keys now

    assert rows()[:2] == before[:2]
    assert set(Permission.objects.values_list("content_type__model", "codename")) == codenames
