"""Acknowledge findings of the checks with a reason, and take that back.

An acknowledgement counts until a condition, or what else the finding is about, changes.
"""

from __future__ import annotations

from typing import Any

from flows.definition.lint import Acknowledgement
from flows.statements import designed, read_as, rows, value


def acknowledge_finding(
    flow: str, finding: str, reason: str, *, rule: int = 0, actor: str = "", conn: Any = None
) -> Acknowledgement:
    """Acknowledge the finding of this name (`Finding.id`) about a rule (`Finding.rule`).

    Raises BadAcknowledgement, BadName.
    """
    call = "select wedsql.acknowledge_finding(%s, %s, %s, %s, %s)"
    return read_as(Acknowledgement, value(conn, call, (flow, finding, rule, reason, actor)))


def withdraw_acknowledgement(flow: str, finding: str, *, rule: int = 0, conn: Any = None) -> None:
    """Take an acknowledgement back. Raises UnknownAcknowledgement."""
    value(conn, "select wedsql.withdraw_acknowledgement(%s, %s, %s)", (flow, finding, rule))


def list_acknowledgements(flow: str, *, conn: Any = None) -> list[Acknowledgement]:
    """Return the acknowledgements of a flow, also those that concern no present finding.

    Raises UnknownFlow where nothing has this name.
    """
    return designed(flow, acknowledgements_of(flow, conn=conn), conn)


def acknowledgements_of(flow: str, *, conn: Any = None) -> list[Acknowledgement]:
    """Return the same where the flow need not exist: its definition is checked before it is made."""
    call = "select wedsql.list_acknowledgements(%s)"
    return [read_as(Acknowledgement, found) for (found,) in rows(conn, call, (flow,))]
