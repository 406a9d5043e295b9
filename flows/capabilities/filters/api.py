"""Save views of lists: a filter with columns and an order, for some or for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import read_as, rows, value


@dataclass(frozen=True)
class View:
    """What a view shows, and to whom: `shared` is mine, team or everyone, `team` the name of a group.

    `query` is the canonical text of a filter; whoever saves a view has parsed it. `list` is that which it is
    of: instances, tasks, cases, jobs, approvals or alerts.
    """

    query: str = ""
    columns: Sequence[str] = ()
    sorting: str = ""
    shared: str = "mine"
    team: str = ""
    list: str = "instances"


@dataclass(frozen=True)
class SavedView(View):
    """A view as it is saved; `flow` is "" for one over all flows."""

    id: int = 0
    owner: str = ""
    flow: str = ""
    name: str = ""
    created_at: datetime | None = None
    changed_at: datetime | None = None


def save_view(owner: str, flow: str, name: str, view: View, *, conn: Any = None) -> SavedView:
    """Save a view, which replaces one of the same owner, list, flow and name.

    Raises UnknownFlow, BadView, BadName.
    """
    call = "select wedsql.save_view(%s, %s, %s, %s, %s::text[], %s, %s, %s, %s)"
    shown = (view.query, [*view.columns], view.sorting, view.shared, view.team, view.list)
    return read_as(SavedView, value(conn, call, (owner, flow, name, *shown)))


def list_views(
    user: str, teams: Sequence[str] = (), flow: str = "", of: str = "instances", *, conn: Any = None
) -> list[SavedView]:
    """Return the views of a flow that a user sees who is in these groups, their own first.

    `of` is the list that they are of, as in View. Raises UnknownFlow, BadView.
    """
    call = "select wedsql.list_views(%s, %s::text[], %s, %s)"
    return [read_as(SavedView, found) for (found,) in rows(conn, call, (user, [*teams], flow, of))]


def delete_view(owner: str, view: int, *, conn: Any = None) -> None:
    """Delete a view of this owner. Raises UnknownView."""
    value(conn, "select wedsql.delete_view(%s, %s)", (owner, view))
