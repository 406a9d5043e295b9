"""Finds what the kernel rejects in a changed definition, and where in the text it was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flows import api
from flows.errors import WedError
from flows.languages.wsql.errors import WsqlError
from flows.languages.wsql.model import CONDITION, Model, Path
from flows.languages.wsql.tree import Piece, Statement
from flows.types import Problem


def check(text: str, model: Model, fallback: Statement) -> None:
    """Check a model's definition as publishing it would. Raises WsqlError with all problems.

    A problem of a part that the text did not write is reported at the statement `fallback`.
    """
    found = problems(text, model, fallback)
    if found:
        raise found


def problems(text: str, model: Model, fallback: Statement | None = None) -> WsqlError | None:
    """Return the first problem with the others; without `fallback` only those of what the text wrote."""
    located = (each for each in _located(text, model, fallback) if each)
    found = {(error.start, error.message): error for error in located}
    if not found:
        return None
    first, *others = sorted(found.values(), key=lambda error: error.start)
    first.others = others
    return first


def _located(text: str, model: Model, fallback: Statement | None) -> Iterator[WsqlError | None]:
    unused = dict(_unused(model))
    definition = model.definition | {"triggers": [*model.triggers, *unused.values()]}
    for problem in api.conditions.check_definition(model.flow, definition):
        path: Path = problem.path
        if len(path) > 1 and path[0] == "triggers" and int(path[1]) >= len(model.triggers):
            path = [*unused][int(path[1]) - len(model.triggers)]
        yield _at(text, model.place(path) or fallback, problem)


def _unused(model: Model) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Return a trigger for each named object that was written and has none, to check it."""
    for (kind, name), content in model.made.items():
        if not model.uses(kind, name):
            fired = {"transition": name, "predicate": "true"}
            holds = {"transition": "checked", "condition": name}
            yield (kind, name), content | (holds if kind == CONDITION else fired)


def _at(text: str, place: Piece | Statement | None, problem: Problem) -> WsqlError | None:
    if place is None:
        return None
    start, end = place.start, place.end
    if isinstance(place, Piece) and problem.position is not None:
        start, end = place.at(problem.position), place.at(problem.position + max(problem.length or 1, 1))
    error = WedError(code=problem.code)
    return WsqlError(problem.message, text, start, end=end, hint=problem.hint, error=error)


def at_statement(text: str, statement: Statement, error: WedError) -> WsqlError:
    """Return an error of the kernel at the statement for which it was raised."""
    if isinstance(error, WsqlError):
        return error
    return WsqlError(error.message, text, statement.start, end=statement.end, hint=error.hint, error=error)
