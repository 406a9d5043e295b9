"""The page System lists what an administrator does, each once; tables of the database are folded."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

pytestmark = pytest.mark.django_db
LINK = re.compile(r'<li><a href="([^"]+)">\s*(.*?)\s*</a>', re.DOTALL)


def listed(user: User) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the links of the page, and those of its tables: addresses and titles."""
    client = Client()
    client.force_login(user)
    page = client.get("/admin/").content.decode()
    page = page[page.index('class="overview"') :]
    head, _mark, tables = page.partition('<details class="tables">')
    return LINK.findall(head), LINK.findall(tables)


def test_each_title_and_address_is_there_once() -> None:
    pages, tables = listed(User.objects.create_superuser("system-root"))
    for column in (0, 1):
        named = [each[column] for each in pages]
        assert len(named) == len(set(named)) > 10
    addresses = {address for address, _title in tables}
    assert "/admin/axes/accesslog/" in addresses and "/admin/django_q/success/" in addresses
    assert not addresses & {address for address, _title in pages}


def test_who_is_no_superuser_sees_no_tables() -> None:
    user = User.objects.create_user("system-staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    pages, tables = listed(user)
    assert tables == [] and not any("/axes/" in address for address, _title in pages)
