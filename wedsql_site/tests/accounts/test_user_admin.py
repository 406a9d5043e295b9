"""Users who manage others without being a superuser cannot grant, even to themselves, more than they have."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db
HELD = ["add_user", "change_user", "delete_user", "view_user", "add_group", "change_group", "view_group"]


def permission(codename: str) -> Permission:
    return Permission.objects.get(codename=codename, content_type__app_label__in=["auth", "flows"])


@pytest.fixture
def manager() -> User:
    user = User.objects.create_user("manager", is_staff=True)
    user.user_permissions.set([permission(name) for name in HELD])
    return user


@pytest.fixture
def client(manager: User) -> Client:
    found = Client()
    found.force_login(manager)
    return found


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root", password="old")


@pytest.fixture
def designer() -> User:
    user = User.objects.create_user("designer", password="old", is_staff=True)
    user.user_permissions.set([permission("change_flow")])
    return user


def form(user: User, **changes: Any) -> dict[str, Any]:
    own = {"username": user.username, "is_active": "on", "is_staff": "on"}
    moments = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    return own | moments | changes


def address(user: User, page: str = "change") -> str:
    if page == "password":
        return reverse("admin:auth_user_password_change", args=[user.pk])
    return reverse(f"admin:auth_user_{page}", args=[user.pk])


def test_no_user_can_become_superuser(client: Client, manager: User) -> None:
    rights = [permission(name).pk for name in HELD]
    answer = client.post(address(manager), form(manager, is_superuser="on", user_permissions=rights))
    assert answer.status_code == 302
    manager.refresh_from_db()
    assert not manager.is_superuser and manager.has_perm("auth.change_user")


def test_permissions_that_a_user_lacks_cannot_be_granted(client: Client, manager: User) -> None:
    beyond = permission("change_flow")
    group = Group.objects.create(name="designers")
    group.permissions.set([beyond])
    target = User.objects.create_user("target")
    for user in (manager, target):
        for changes in ({"user_permissions": [beyond.pk]}, {"groups": [group.pk]}):
            answer = client.post(address(user), form(user, **changes))
            assert answer.status_code == 200 and "errorlist" in answer.content.decode()
            assert not User.objects.get(pk=user.pk).has_perm("flows.change_flow")


def test_permissions_that_a_user_has_can_be_granted(client: Client) -> None:
    target = User.objects.create_user("target")
    group = Group.objects.create(name="managers")
    group.permissions.set([permission("view_user")])
    changes = {"user_permissions": [permission("change_user").pk], "groups": [group.pk]}
    assert client.post(address(target), form(target, **changes)).status_code == 302
    target = User.objects.get(pk=target.pk)
    assert target.has_perm("auth.change_user") and target.has_perm("auth.view_user")


@pytest.mark.parametrize("page", ["change", "delete", "password"])
@pytest.mark.parametrize("name", ["root", "designer"])
def test_accounts_with_more_permissions_cannot_be_changed(
    page: str, name: str, client: Client, root: User, designer: User
) -> None:
    user = User.objects.get(username=name)
    new = {"password1": "taken over for good", "password2": "taken over for good", "usable_password": "true"}
    answer = client.post(address(user, page), form(user, **new) | {"post": "yes"})
    assert answer.status_code == 403
    user.refresh_from_db()
    assert user.check_password("old")


def test_many_at_once_are_not_deleted_either(client: Client, root: User) -> None:
    chosen = {"action": "delete_selected", "_selected_action": [root.pk], "post": "yes"}
    client.post(reverse("admin:auth_user_changelist"), chosen)
    assert User.objects.filter(pk=root.pk).exists()


def test_a_group_gets_only_permissions_of_its_editor(client: Client, manager: User) -> None:
    own, other = Group.objects.create(name="own"), Group.objects.create(name="other")
    other.permissions.set([permission("change_flow")])
    manager.groups.add(own)
    beyond = {"name": "own", "permissions": [permission("change_flow").pk]}
    answer = client.post(reverse("admin:auth_group_change", args=[own.pk]), beyond)
    assert answer.status_code == 200 and "errorlist" in answer.content.decode()
    assert client.post(reverse("admin:auth_group_change", args=[other.pk]), beyond).status_code == 403
    assert client.post(reverse("admin:auth_group_add"), beyond | {"name": "new"}).status_code == 200
    assert not User.objects.get(pk=manager.pk).has_perm("flows.change_flow")


def test_a_superuser_may_do_all_of_it(root: User, designer: User) -> None:
    client = Client()
    client.force_login(root)
    changes = {"is_superuser": "on", "user_permissions": [permission("change_flow").pk]}
    assert client.post(address(designer), form(designer, **changes)).status_code == 302
    designer.refresh_from_db()
    assert designer.is_superuser
