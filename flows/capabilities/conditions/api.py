"""Operations on a definition that need not be published: find its problems, evaluate its conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.definition import AnyDefinition
from flows.messages import stored
from flows.statements import JSON, State, rows, value
from flows.types import Completions, ConditionFunction, Problem, Truths

_DEFINITION = """
    select path, "position", length, code, message, hint, reason from wedsql.check_definition(%s, %s, %s)"""
_CONDITION = """
    select (c.problem).path, (c.problem)."position", (c.problem).length, (c.problem).code,
           (c.problem).message, (c.problem).hint, (c.problem).reason, c.reads
    from wedsql.check_condition(%s, %s) c"""


def check_definition(
    flow: str,
    definition: AnyDefinition,
    *,
    known: Mapping[str, Sequence[int]] | None = None,
    conn: Any = None,
) -> list[Problem]:
    """Return all problems for which publishing the definition would be refused, in its order.

    The flow need not exist. Without problems publishing succeeds, unless something changes meanwhile or a
    condition with on_error = abort fails on a living instance (`impact` finds those).

    `known` has the places, from 0, of the "attributes" and "triggers" that had no problem when they were
    checked before, of triggers over attributes of the same types: these are not checked again by themselves.
    """
    parameters = (flow, JSON(definition), JSON(known or {}))
    return [_problem(*problem) for problem in rows(conn, _DEFINITION, parameters)]


def check_condition(
    types: Mapping[str, str], predicate: str, *, conn: Any = None
) -> tuple[Problem | None, list[str]]:
    """Return the problem of one condition over attributes of these types, or the attributes that it reads."""
    (*problem, reads) = rows(conn, _CONDITION, (JSON(types), predicate))[0]
    return (_problem(*problem) if problem[3] else None), reads or []


def accepted_conditions(
    types: Mapping[str, str], predicates: Sequence[str], *, conn: Any = None
) -> list[bool]:
    """Return which conditions are accepted, in their order; `check_condition` says why the others are not."""
    accepted: list[bool] = value(
        conn, "select wedsql.accepted_conditions(%s, %s)", (JSON(types), list(predicates))
    )
    return accepted


def condition_outline(types: Mapping[str, str], predicate: str, *, conn: Any = None) -> dict[str, Any]:
    """Return how one condition is built, for `flows.definition.condition_sentences`. Raises PredicateRefused.

    A node is {"all": [...]}, {"any": [...]}, {"not": node} or a part with its text `sql`; one that compares
    an attribute with plain values has `attribute`, `operator` and `values` too.
    """
    return value(conn, "select wedsql.condition_outline(%s, %s)", (JSON(types), predicate))


def completions(*, conn: Any = None) -> Completions:
    """Return the parts of conditions besides attributes: functions with their signatures, and words."""
    functions = rows(conn, "select name, arguments, returns from wedsql.condition_functions()", ())
    words = rows(conn, "select word, kind from wedsql.condition_words()", ())
    return Completions(
        functions=[ConditionFunction(*function) for function in functions],
        keywords=[word for word, kind in words if kind == "keyword"],
        operators=[word for word, kind in words if kind == "operator"],
        types=[word for word, kind in words if kind == "type"],
    )


def evaluate(
    definition: AnyDefinition, states: Sequence[State], *, flow: str = "", conn: Any = None
) -> list[Truths]:
    """Return the values of the definition's conditions on each state. Raises PredicateRefused, PredicateType.

    A state has all attributes; one that it does not name is null. `flow` is the flow whose definition it will
    be: conditions that are published there already are not parsed again.
    """
    found = rows(
        conn,
        "select held, errors from wedsql.evaluate(%s, %s, %s) order by n",
        (flow, JSON(definition), JSON(list(states))),
    )
    return [
        Truths(held, {error["trigger"]: (error["code"], error["message"]) for error in errors or []})
        for held, errors in found
    ]


def evaluate_classes(
    definition: AnyDefinition,
    classes: Sequence[Mapping[str, Sequence[Any]]],
    flow: str = "",
    conn: Any = None,
) -> list[str]:
    """Return the values of each condition on the product of its own values of attributes, in its order.

    Raises PredicateRefused, PredicateType.
    """
    given = [[[name, list(values)] for name, values in each.items()] for each in classes]
    found = rows(
        conn,
        "select held from wedsql.evaluate_classes(%s, %s, %s) order by n",
        (flow, JSON(definition), JSON(given)),
    )
    return [held for (held,) in found]


def _problem(path: list[str | int], position: int | None, length: int | None, *texts: str | None) -> Problem:
    code, message, hint, reason = (text or "" for text in texts)
    return Problem(tuple(path), position, length, code, stored(message), stored(hint), reason)
