"""The rights of flows.access by role, for the user's own flow and for another one."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AnonymousUser, Group, Permission, User

from flows import access
from flows.users.groups import create_groups, create_groups_of
from tests.access.conftest import SampleData

ACTIONS: tuple[access.Action, ...] = (
    "see", "design", "publish", "approve", "operate", "handle", "repair", "approve_repair", "reveal",
    "look", "move",
)  # fmt: skip
LETTERS = {"approve_repair": "A", "reveal": "v", "look": "k", "move": "m"}
# A letter for each of ACTIONS: for the user's own flow, for another one; then the forms of the admin.
RIGHTS = {
    "anonymous": "----------- ----------- -",
    "nobody": "----------- ----------- -",
    "viewer": "s---------- ----------- -",
    "designer": "sd------vk- sd------vk- y",
    "operator": "s---ohr---- ----------- -",
    "staff": "s---------- s---------- -",
    "superuser": "sdpaohrAvkm sdpaohrAvkm y",
    "own designer": "sd------vk- ----------- -",
    "own approver": "s--a------- ----------- -",
    "own clerk": "s----h----- ----------- -",
}

IMPLIED = {"repair": {"handle"}, "design": {"reveal", "look"}, "reveal": {"look"}}


READY_MADE = {
    "flow viewers": "s----------",
    "flow designers": "sd------vk-",
    "flow publishers": "s-p--------",
    "flow approvers": "s--a-------",
    "flow operators": "s---o------",
    "flow repairers": "s----hr----",
    "clerks": "s----h-----",
    "senior clerks": "s---ohr--k-",
    "recovery workers": "s----h-----",
    "flow repair approvers": "s------A---",
    "auditors": "s-------vk-",
    "flow movers": "s---------m",
}


def letters(user: Any, flow: str) -> str:
    found = access.rights(user, flow)
    assert found == {action for action in ACTIONS if access.may(user, action, flow)}
    assert ("see" in found) == access.may_see(user, flow)
    return "".join(LETTERS.get(action, action[0]) if action in found else "-" for action in ACTIONS)


def rights(user: Any, mine: str) -> str:
    forms = "y" if access.may_design(user) else "-"
    return f"{letters(user, mine)} {letters(user, f'{mine}_')} {forms}"


@pytest.mark.parametrize("role", RIGHTS)
def test_rights_follow_from_groups_and_permissions(role: str, sample: SampleData) -> None:
    user = AnonymousUser() if role == "anonymous" else sample.user(role)

    assert rights(user, sample.parcels.flow) == RIGHTS[role]


@pytest.mark.parametrize("role", list(RIGHTS)[1:])
def test_an_account_that_is_not_active_has_no_right(role: str, sample: SampleData) -> None:
    user = sample.user(role)
    user.is_active = False

    assert rights(user, sample.parcels.flow) == "----------- ----------- -"


@pytest.mark.parametrize("action", ACTIONS[1:])
def test_a_group_of_a_flow_grants_one_right_in_this_flow(action: access.Action, sample: SampleData) -> None:
    user, flow = sample.user("nobody"), sample.parcels.flow
    create_groups_of(flow)
    try:
        user.groups.set(Group.objects.filter(name=f"flow:{flow}:{action}"))
        assert access.rights(user, flow) == {"see", action} | IMPLIED.get(action, set())
        assert access.rights(user, f"{flow}_") == frozenset()
        assert access.visible_flows(user) == {flow}
    finally:
        Group.objects.filter(name__startswith=f"flow:{flow}:").delete()


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "expected"), READY_MADE.items())
def test_a_ready_made_group_grants_what_its_name_says(name: str, expected: str) -> None:
    create_groups()
    user = User.objects.create_user("in a group")
    user.groups.set(Group.objects.filter(name=name))
    assert letters(user, "any_flow") == expected


@pytest.mark.django_db
def test_a_permission_counts_only_for_flows_that_the_user_sees() -> None:
    create_groups()
    user = User.objects.create_user("approves one flow")
    Group.objects.get(name="flow approvers").permissions.remove(
        Permission.objects.get(content_type__app_label="flows", codename="view_flow")
    )
    user.groups.set([Group.objects.get(name="flow approvers"), Group.objects.create(name="flow:orders")])
    assert letters(user, "orders") == "s--a-------"
    assert letters(user, "other") == "-----------"


@pytest.mark.django_db
def test_a_group_that_the_site_has_changed_stays() -> None:
    assert create_groups() and create_groups() == []
    Group.objects.get(name="flow designers").permissions.clear()
    create_groups()
    assert not Group.objects.get(name="flow designers").permissions.exists()


@pytest.mark.django_db
def test_rights_somewhere_are_those_in_a_visible_flow() -> None:
    user = User.objects.create_user("approver")
    approve, view = (
        Permission.objects.get(content_type__app_label="flows", codename=f"{name}_flow")
        for name in ("approve", "view")
    )
    user.user_permissions.add(approve)
    assert not access.somewhere(User.objects.get(pk=user.pk), "approve")
    user.user_permissions.add(view)
    sees = User.objects.get(pk=user.pk)
    assert access.somewhere(sees, "approve") and not access.somewhere(sees, "design", "publish")


class GrantsAll(BaseBackend):
    """A backend of a site that has every permission for every account."""

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        return True


@pytest.mark.django_db
def test_no_backend_grants_rights_to_an_account_that_is_not_active(settings: Any) -> None:
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.GrantsAll"]
    user = User.objects.create_user("left", is_active=False, is_staff=True)
    user.groups.add(Group.objects.create(name="flow:orders:design"))
    assert not access.may_add(user) and not access.may_design(user)
    assert not access.somewhere(user, "design") and not access.reads_definitions(user)
    user.is_active, user.is_staff = True, False
    assert access.may_add(user) and not access.may_design(user), "the forms of the admin are for staff"
