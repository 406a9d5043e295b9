"""docs/roles.md says what the code grants: the tables of actions, groups and operations."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User

from flows import access, api
from flows.capabilities.recovery.api import Operation
from flows.models import Status
from flows.users.groups import GROUPS, create_groups

PLACE = Path(__file__).parents[2] / "docs" / "roles.md"
PAGE = PLACE.read_text(encoding="utf-8")
STATUS = {one.value: one.name.lower() for one in Status}


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


def written(one: Operation) -> str:
    """Return the row of an operation in the table of the page."""
    cells = (
        f"`{one.operation}`",
        " or ".join(filter(None, (one.permission, one.unparked))),
        "any" if set(one.statuses) == set(STATUS) else ", ".join(STATUS[each] for each in one.statuses),
        named(one.arguments),
        "" if one.many is None else named(one.many) or "yes",
        "yes" if one.in_policies else "",
    )
    return "| " + " | ".join(cells).replace("|  |", "| |").replace("|  |", "| |").rstrip() + " |"


def named(arguments: Mapping[str, str]) -> str:
    """Return names of arguments, first those that are needed; "?" marks the others."""
    marked = sorted((kind.endswith("?"), name) for name, kind in arguments.items())
    return ", ".join(f"`{name}?`" if optional else f"`{name}`" for optional, name in marked)


@pytest.mark.django_db
def test_the_table_of_operations_is_that_of_the_kernel() -> None:
    """WEDSQL_WRITE_DOCS=1 writes it."""
    rows = [written(one) for one in api.operations.offered().values()]
    before, head, after = PAGE.partition("| operation | needs |")
    titles, line, *old = after.partition("\n\n")[0].splitlines()
    if os.environ.get("WEDSQL_WRITE_DOCS"):
        after = "\n".join([titles, line, *rows, "", after.partition("\n\n")[2]])
        PLACE.write_text(before + head + after, encoding="utf-8")
    else:
        assert old == rows, "WEDSQL_WRITE_DOCS=1 writes the table"
