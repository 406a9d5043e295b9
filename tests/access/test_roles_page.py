"""docs/roles.md says what the code grants: the tables of actions, groups and operations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User

from flows import access, api
from flows.groups import GROUPS, create_groups
from monitor.bulk.choices import MANY
from monitor.operations import OPERATIONS

PAGE = (Path(__file__).parents[2] / "docs" / "roles.md").read_text()


def table(heading: str) -> Iterator[list[str]]:
    """Yield the rows of the first table under a heading, its titles first."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("|") and not line.startswith("|--"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_has_every_action_with_its_permission() -> None:
    _titles, *rows = table("Actions")
    assert {row[0]: row[3].strip("`") for row in rows} == access.PERMISSIONS
    assert {row[0]: row[2].strip("`") for row in rows[1:]} == {
        action: f"flow:<name>:{action}" for action in access.PERMISSIONS if action != "see"
    }


@pytest.mark.django_db
def test_a_ready_made_group_grants_what_the_page_says() -> None:
    titles, *rows = table("Ready-made groups")
    create_groups()
    found = {}
    for name in GROUPS:
        user = User.objects.create_user(name)
        user.groups.set(Group.objects.filter(name=name))
        found[name] = access.rights(user, "any_flow")
    assert found == {
        row[0]: {title for title, cell in zip(titles, row, strict=True) if cell == "yes"} for row in rows
    }


@pytest.mark.django_db
def test_an_operation_needs_what_the_page_says() -> None:
    _titles, *rows = table("Operations")
    needed = {name.strip(" `"): row[1] for row in rows for name in row[0].split(",")}
    assert needed.pop("and every other one") == "repair"
    every = {*api.repair_operations(), *OPERATIONS, *MANY}
    assert {name: needed.get(name, "repair") for name in every} == {
        name: access.right_for(name) for name in every
    }
    assert set(needed) <= every
