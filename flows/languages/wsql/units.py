"""Which statements of a text are run in one transaction: a block, or those outside of blocks in a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from flows.languages.wsql.errors import WsqlError
from flows.languages.wsql.tree import Block, Statement


@dataclass(frozen=True)
class Unit:
    """Statements of one transaction, which a block that ends with ROLLBACK does not keep."""

    statements: Sequence[Statement]
    rolled_back: bool = False


def units(text: str, statements: Sequence[Statement]) -> list[Unit]:
    """Return the transactions of a text. Raises WsqlError for BEGIN without an end, or an end without it."""
    return [unit for unit in _units(text, statements) if unit.statements]


def _units(text: str, statements: Sequence[Statement]) -> Iterator[Unit]:
    begun: Block | None = None
    found: list[Statement] = []
    for statement in statements:
        if not isinstance(statement, Block):
            found.append(statement)
            continue
        if (statement.word == "begin") == (begun is not None):
            raise _unexpected(text, statement)
        yield Unit(found, statement.word == "rollback")
        found = []
        begun = statement if statement.word == "begin" else None
    if begun:
        raise WsqlError(_("This BEGIN has no COMMIT."), text, begun.start, end=begun.end)
    yield Unit(found)


def _unexpected(text: str, statement: Block) -> WsqlError:
    message = _("There is no BEGIN before this.")
    if statement.word == "begin":
        message = _("A block cannot begin within another one.")
    return WsqlError(message, text, statement.start, end=statement.end)
