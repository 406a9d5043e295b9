"""The rights of flows.access by role, for the user's own flow and for another one."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from flows import access
from tests.access.conftest import SampleData
from tests.access.matrix import ROLES

#         see mine, see another, design, operate mine, operate another, repair mine, repair another
RIGHTS = {
    "anonymous": "-------",
    "nobody": "-------",
    "viewer": "y------",
    "designer": "yyy----",
    "operator": "y--y-y-",
    "staff": "yy-----",
    "superuser": "yyyyyyy",
}


def rights(user: Any, mine: str) -> str:
    another = f"{mine}_"
    found = (
        access.may_see(user, mine),
        access.may_see(user, another),
        access.may_design(user),
        access.may_operate(user, mine),
        access.may_operate(user, another),
        access.may_repair(user, mine),
        access.may_repair(user, another),
    )
    return "".join("y" if each else "-" for each in found)


@pytest.mark.parametrize("role", ROLES)
def test_rights_follow_from_groups_and_permissions(role: str, sample: SampleData) -> None:
    user = AnonymousUser() if role == "anonymous" else sample.user(role)

    assert rights(user, sample.parcels.flow) == RIGHTS[role]


@pytest.mark.parametrize("role", ROLES[1:])
def test_an_account_that_is_not_active_has_no_right(role: str, sample: SampleData) -> None:
    user = sample.user(role)
    user.is_active = False

    assert rights(user, sample.parcels.flow) == "-------"
