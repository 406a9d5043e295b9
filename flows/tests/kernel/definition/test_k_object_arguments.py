"""Functions of the API that take objects: every field of every object with values that can never work."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Iterable as AnyIterable
from typing import Any

import pytest

from flows import api
from flows.errors import WedError
from flows.tests.kernel.definition.test_k_arguments import GOOD, RAW, WRONG, functions, given, refusal
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

PLAIN: dict[Any, str] = {int: "int", str: "str", float: "float"}
SEQUENCES = (Sequence, AnyIterable, list, tuple, frozenset, set)
DEFINITION = {
    "attributes": [{"name": "a"}],
    "triggers": [{"transition": "tr_a", "predicate": "a = '1'"}, {"predicate": "a = 'f'", "final": True}],
}
ODD: Sequence[Any] = (
    {}, {"attributes": 1}, {"attributes": [1]}, {"attributes": [{}]}, {"attributes": None, "triggers": None},
    {"attributes": [{"name": 1}], "triggers": []}, {"attributes": [{"name": "a\x00b"}], "triggers": []},
    {"attributes": [{"name": "a"}] * 3000, "triggers": []}, {"triggers": {"a": 1}, "attributes": []},
    {"attributes": [{"name": "a", "type": "nope"}], "triggers": [{"predicate": 7}]},
    {"attributes": [{"name": "a"}], "triggers": [{"predicate": "a = '1'", "transition": ["x"]}]},
    {"attributes": [{"name": "a"}], "triggers": [{"predicate": "a = '1'", "priority": "x"}]},
    {"attributes": [{"name": "a"}], "triggers": [{"predicate": "((" * 5000, "transition": "t"}]},
    {"attributes": [], "triggers": [{}]}, {"attributes": [], "triggers": [{"predicate": None}]},
    {"attributes": [{"name": None}], "triggers": []}, {"attributes": [], "triggers": [None]},
    {"attributes": [], "triggers": [], "flow": 5},
    {"attributes": [], "triggers": [], "flow": {"notify": [1]}},
)  # fmt: skip
"""Definitions as a file or a program may have them."""


def hints(function: Any) -> dict[str, Any]:
    return typing.get_type_hints(function)


def bare(hint: Any) -> Any:
    """Return a type without None, and the last one of several, which has the others' objects."""
    while hasattr(hint, "__value__"):
        hint = hint.__value__
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return bare(next(each for each in typing.get_args(hint) if each is not type(None)))
    return hint


def is_definition(hint: Any) -> bool:
    return "Definition" in str(hint)


def good(hint: Any, kit: Kit, field: str = "") -> Any:  # noqa: PLR0911 - one for each form of a type
    """Return a value of a type that may be right."""
    if is_definition(hint):
        return DEFINITION
    hint = bare(hint)
    origin, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if _is_object(hint):
        return _object(hint, kit)
    if _is_pair(hint):
        return tuple(good(each, kit) for each in inner)
    if origin in SEQUENCES:
        return (good(inner[0], kit),) if inner else ()
    if origin is Callable:
        return lambda *_given: good(inner[1], kit)
    if origin in (Mapping, dict):
        return {good(inner[0], kit): good(inner[1], kit)} if inner else {}
    if field in ("flow", "name", "branch") and hint is str:
        return "main" if field == "branch" else kit.name
    if origin is typing.Literal:
        return inner[0]
    return GOOD.get(PLAIN.get(hint, getattr(hint, "__name__", "")))


def _is_pair(hint: Any) -> bool:
    """Return whether a type is that of a tuple with a place for each of its types."""
    return typing.get_origin(hint) is tuple and Ellipsis not in typing.get_args(hint)


def _is_object(hint: Any) -> bool:
    return dataclasses.is_dataclass(hint) or hasattr(hint, "_field_defaults")


def _fields(hint: Any) -> dict[str, bool]:
    """Return the names of the fields that an object is made with, and whether each is needed."""
    if not dataclasses.is_dataclass(hint):
        return {name: name not in hint._field_defaults for name in hint._fields}
    missing = dataclasses.MISSING
    return {
        each.name: each.default is missing and each.default_factory is missing
        for each in dataclasses.fields(hint)
        if each.init
    }


def _object(hint: Any, kit: Kit, **other: Any) -> Any:
    found = hints(hint)
    needed = (name for name, needs in _fields(hint).items() if needs)
    return hint(**{name: good(found[name], kit, name) for name in needed} | other)


def wrong(hint: Any, kit: Kit, depth: int = 0) -> Iterator[Any]:
    """Return values of a type that can never work."""
    if is_definition(hint):
        yield from ODD
        return
    hint = bare(hint)
    origin, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if depth > 3:
        return
    if _is_object(hint):
        yield from _wrong_objects(hint, kit, depth)
    elif _is_pair(hint):
        basis = good(hint, kit)
        for place, of in enumerate(inner):
            yield from ((*basis[:place], each, *basis[place + 1 :]) for each in wrong(of, kit, depth + 1))
    elif origin in SEQUENCES and inner:
        yield from ((), *((each,) for each in wrong(inner[0], kit, depth + 1)))
        yield tuple([good(inner[0], kit)] * 2000)
    elif origin in (Mapping, dict) and inner:
        yield {}
        yield from ({good(inner[0], kit): each} for each in wrong(inner[1], kit, depth + 1))
        yield from ({each: good(inner[1], kit)} for each in wrong(inner[0], kit, depth + 1))
    else:
        yield from WRONG.get(PLAIN.get(hint, getattr(hint, "__name__", "")), ())


def _wrong_objects(hint: Any, kit: Kit, depth: int) -> Iterator[Any]:
    found = hints(hint)
    for field in _fields(hint):
        for each in wrong(found[field], kit, depth + 1):
            try:
                yield _object(hint, kit, **{field: each})
            except (WedError, *RAW):  # an object that cannot be made is given to no function
                continue


def cases(kit: Kit, function: Callable[..., Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return calls of a function, each with one argument that can never work."""
    found = hints(function)
    parameters = {name: one for name, one in inspect.signature(function).parameters.items() if name != "conn"}
    basis: dict[str, Any] = {"conn": kit.conn} if "conn" in inspect.signature(function).parameters else {}
    for name, one in parameters.items():
        if one.default is inspect.Parameter.empty:
            basis[name] = good(found[name], kit, name)
    for name in parameters:
        for each in wrong(found[name], kit):
            yield name, basis | {name: each}


def walked() -> dict[str, Callable[..., Any]]:
    """Return the functions that the walk over plain arguments leaves out."""
    nothing = type("Nothing", (), {"conn": None, "name": "x"})()
    return {name: one for name, one in functions().items() if given(nothing, one) is None}


@pytest.fixture
def started(kit: Kit) -> Kit:
    kit.attr("a")
    kit.trig("tr_a", "a = '1'")
    kit.final("a = 'f'")
    kit.start(a="1")
    assert api.drafts.open(kit.name, conn=kit.conn).at.revision == 1
    return kit


@pytest.mark.parametrize("name", sorted(walked()))
def test_no_field_of_an_object_gives_what_python_or_postgresql_says(started: Kit, name: str) -> None:
    found, tried = set(), 0
    for argument, arguments in cases(started, walked()[name]):
        tried += 1
        error = refusal(started, name, arguments)
        if isinstance(error, RAW):
            found.add(f"{argument}={arguments[argument]!r:.160}: {type(error).__name__} {str(error)[:150]}")
    assert not found, "\n".join(sorted(found)[:20])
    assert tried
