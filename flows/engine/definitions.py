"""Operations on the definition of a flow: create, read, check, publish, drop."""

from __future__ import annotations

from typing import Any

from flows.definition import FLOW, AnyDefinition, Definition
from flows.engine.connection import JSON, in_transaction, quoted, rows, value
from flows.engine.rematches import as_report, finish_rematch
from flows.types import Change, PublishReport


def create_flow(
    name: str,
    *,
    label: str = "",
    final_when_pending: str = FLOW["final_when_pending"].default,
    conn: Any = None,
) -> int:
    """Create an empty flow with its schema and return its id. Raises BadName."""
    return value(conn, "select wedsql.create_flow(%s, %s, %s)", (name, label, final_when_pending))


def drop_flow(name: str, *, force: bool = False, held: int | None = None, conn: Any = None) -> None:
    """Delete a flow, with `force` also its instances and history.

    `held`: how many of its tasks and cases other persons hold; None: it is not asked. Raises UnknownFlow,
    AttributeInUse, HeldByOthers.
    """
    value(conn, "select wedsql.drop_flow(%s, %s, %s)", (name, force, held))


def last_loss(*, conn: Any = None) -> int:
    """Return after which note `confirm_losses` looks; to be asked before a definition is changed."""
    return value(conn, "select wedsql.last_loss()", ())


def confirm_losses(flow: str, after: int, held: int, *, actor: str = "", conn: Any = None) -> None:
    """Check that other persons lost so many tasks and cases of a flow. Raises HeldByOthers, UnknownFlow."""
    value(conn, "select wedsql.confirm_losses(%s, %s, %s, %s)", (flow, after, held, actor))


def definition(flow: str, *, conn: Any = None) -> Definition:
    """Return a flow's definition, in a stable order. Raises UnknownFlow."""
    return value(conn, "select wedsql.definition(%s)", (flow,))


def publish(
    flow: str,
    definition: AnyDefinition,
    *,
    dry_run: bool = False,
    reopen_final: bool = False,
    actor: str = "",
    reason: str = "",
    conn: Any = None,
) -> PublishReport:
    """Publish the definition and re-match living instances; with `dry_run` only report what would change.

    Many instances are re-matched in batches after the definition took effect. In autocommit mode this returns
    after the last one; in a transaction `left` says how many the reaper will re-match after the commit.
    """
    alone = not in_transaction(conn)
    report = value(
        conn,
        "select wedsql.publish(%s, %s, %s, %s, %s, %s)",
        (flow, JSON(definition), dry_run, reopen_final, actor, reason),
    )
    published = as_report(report)
    if alone and published.left:
        return finish_rematch(flow, published.version, conn=conn) or published
    return published


def difference(old: AnyDefinition, new: AnyDefinition, *, conn: Any = None) -> list[Change]:
    """Return the changes that publishing the new definition over the old one makes. Raises BadDefinition.

    If the triggers of the old one have numbers (`id`), those of the new one may refer to them.
    """
    found = rows(
        conn,
        "select part, change, coalesce(old_value, '{}'), coalesce(new_value, '{}')"
        " from wedsql.difference(%s, %s)",
        (JSON(old), JSON(new)),
    )
    return [Change(*change) for change in found]


def check_predicate(flow: str, predicate: str, *, conn: Any = None) -> str:
    """Return a predicate as the kernel evaluates it. Raises PredicateRefused, PredicateType with position."""
    return value(conn, "select wedsql.check_predicate(%s, %s)", (flow, predicate))


def schema_name(flow: str) -> str:
    """Quote a flow's schema for use in a search_path."""
    return quoted(flow)
