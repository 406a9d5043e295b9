"""Every argument of every function of the API with values that can never work: a result or a typed error."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from flows.errors import WedError
from flows.tests.kit import Kit
from testkit.api_functions import functions as api_functions

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

LONG = "x" * 20_000
PAST, FAR = datetime(1999, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
WRONG: dict[str, Sequence[Any]] = {
    "str": ["", "nope", LONG, "a\x00b", "\ud800", " "],
    "int": [0, -1, 2**31, 2**63, 2**80],
    "float": [0.0, -1.0, 1e300, float("nan"), float("inf")],
    "datetime": [PAST, FAR, datetime.min.replace(tzinfo=UTC), datetime(2030, 1, 1)],  # noqa: DTZ001
    "timedelta": [timedelta(0), timedelta(-1), timedelta.max, timedelta.min],
    "Sequence[str]": [[], ["nope"], [LONG], ["a\x00b"], ["x"] * 20_000],
    "Sequence[int]": [[], [-1], [2**31], [2**80], [0] * 20_000],
    "Mapping[str, Any]": [{}, {"nope": 1}, {"nope": "a\x00b"}, {"": LONG}],
}
"""Values by the type of an argument."""
GOOD: dict[str, Any] = {
    "str": "nope", "int": 1, "float": 1.0, "datetime": datetime(2030, 1, 1, tzinfo=UTC), "bool": False,
    "timedelta": timedelta(seconds=1), "Sequence[str]": ["nope"], "Sequence[int]": [1],
    "Mapping[str, Any]": {}, "State": {}, "bytes": b"x", "Mapping[str, str]": {},
}  # fmt: skip
"""What the other arguments are."""
APART = {"schema_name"}
"""What is not called: it asks no database."""
RAW = (psycopg.Error, ArithmeticError, TypeError, ValueError, LookupError, AttributeError)
"""Errors that say what Python or PostgreSQL says."""

ACCEPTED = {
    "count_holding.seconds": "no time examines no instance, and the answer has how many were examined",
    "end_request.kind": "the answer says whether it was waiting, and what there is not was not",
    "figures.every": "a period that is longer than all gives one row",
    "list_views.flow": "the empty text asks for views of all flows",
    "offer.flow": "a worker may be started before its flow is made; it is noted that it is never offered",
    "open_draft.flow": "a draft makes a flow",
    "operation_permissions.operation": "no permission suffices for what there is not",
    "register_worker.kind": "a program names itself as it likes",
    "running_definition.flow": "a definition is checked before its flow is made; version 0 says so",
}
"""Arguments that take what elsewhere can never work, and why that is right."""
NAMES = ("flow", "kind", "status", "result", "operation", "channel", "role", "of", "every")
"""Arguments that name one of few things."""


def functions() -> dict[str, Callable[..., Any]]:
    return {name: one for name, one in api_functions().items() if name not in APART}


def kind(parameter: inspect.Parameter) -> str:
    return str(parameter.annotation).replace(" | None", "").strip()


def given(kit: Kit, function: Callable[..., Any]) -> dict[str, Any] | None:
    """Return arguments of a function; None if it takes what no table here has."""
    found: dict[str, Any] = {"conn": kit.conn}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "conn" or parameter.default is not inspect.Parameter.empty:
            continue
        if kind(parameter) not in GOOD:
            return None
        found[name] = kit.name if name == "flow" else GOOD[kind(parameter)]
    return found


def cases(kit: Kit, function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    basis = given(kit, function)
    if basis is not None:
        for name, parameter in inspect.signature(function).parameters.items():
            if name != "conn":
                yield from (basis | {name: each} for each in WRONG.get(kind(parameter), ()))


@pytest.fixture
def started(kit: Kit) -> Kit:
    kit.attr("a")
    kit.trig("tr_a", "a = '1'")
    kit.final("a = 'f'")
    kit.start(a="1")
    return kit


def refusal(kit: Kit, name: str, arguments: dict[str, Any]) -> WedError | Exception | None:
    """Return the error with which a call ends, whose effects are rolled back; None where it returns."""
    with kit.conn.transaction(force_rollback=True):
        kit.conn.execute("set local statement_timeout = '20s'")
        try:
            result = functions()[name](**arguments)
            with suppress(TypeError):
                next(iter(result), None)
        except (WedError, *RAW) as error:
            return error
    return None


def test_no_argument_gives_what_python_or_postgresql_says(started: Kit) -> None:
    wrong, tried = [], 0
    for name, function in functions().items():
        for arguments in cases(started, function):
            tried += 1
            error = refusal(started, name, arguments)
            if isinstance(error, RAW):
                shown = {key: repr(each)[:40] for key, each in arguments.items() if key != "conn"}
                wrong.append(f"{name} {shown}: {type(error).__name__} {str(error)[:150]}")
    assert not wrong, "\n".join(wrong)
    assert tried > 2_000


def test_functions_that_raise_for_an_unknown_flow_do_so_whatever_there_is(started: Kit) -> None:
    """A query that finds nothing else may never look the flow up."""
    tried = 0
    for name, function in functions().items():
        arguments = given(started, function)
        if arguments is not None and "flow" in arguments and "UnknownFlow" in (function.__doc__ or ""):
            for unknown in ("nope", "", "x" * 64):
                error = refusal(started, name, arguments | {"flow": unknown})
                assert isinstance(error, WedError), (name, unknown, error)
                tried += 1
    assert tried > 90


LOOKED_UP = re.compile(
    r"from\s+wedsql\._(?:flow|draft|known_\w+)\([^()]*\)\s+\w+\s*(?:,|(?:left |cross )?join\s+(?!lateral))"
)
"""A look-up that raises, joined with a table: where that has no row the planner may leave it out."""


def test_no_look_up_depends_on_the_plan(kit: Kit) -> None:
    found = kit.conn.execute(
        "select p.proname, p.prosrc from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname like 'wed%'"
    ).fetchall()
    assert [name for name, source in found if LOOKED_UP.search(source)] == []
    assert LOOKED_UP.search("select from wedsql._flow(p_flow) f join wedsql.attr a on true")


def never(argument: str, of: str) -> Sequence[Any]:
    """Return values that no argument of this name and type can have."""
    if of == "str" and argument in NAMES:
        return ["nope", "", "x" * 64]
    if of == "timedelta":
        return [timedelta(0), timedelta(-1), timedelta.max]
    if of == "float":
        return [0.0, -1.0, 1e300]
    if of == "datetime" and argument in ("until", "expires", "to"):
        return [PAST]
    return (
        [-1, 2**31 - 1] if of == "int" and argument in ("minutes", "days", "hours", "hour", "count") else []
    )


def test_what_can_never_work_is_refused(started: Kit) -> None:
    """An unknown flow or kind, a duration of zero, below it or of ages, and an end that has passed."""
    accepted, tried = set(), 0
    for name, function in functions().items():
        basis = given(started, function)
        for argument, parameter in inspect.signature(function).parameters.items() if basis else ():
            for each in never(argument, kind(parameter)):
                tried += 1
                if refusal(started, name, (basis or {}) | {argument: each}) is None:
                    accepted.add(f"{name}.{argument}")
    assert accepted == set(ACCEPTED), sorted(accepted ^ set(ACCEPTED))
    assert tried > 250


def test_a_limit_below_one_is_refused_or_gives_one_at_most(started: Kit) -> None:
    """A limit says how many at most; none and fewer are never all."""
    started.start(a="1"), started.start(a="1")
    tried = 0
    for name, function in functions().items():
        basis = given(started, function)
        if basis is not None and "limit" in inspect.signature(function).parameters:
            for limit in (0, -1, -(2**31)):
                tried += 1
                with suppress(WedError), started.conn.transaction(force_rollback=True):
                    found = function(**basis | {"limit": limit})
                    found = found[0] if isinstance(found, tuple) else found
                    assert not isinstance(found, Sequence) or len(found) <= 1, (name, limit, found)
    assert tried > 100
