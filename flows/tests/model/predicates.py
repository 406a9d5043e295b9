"""The predicates of the random flows, evaluated without PostgreSQL: three-valued, left to right."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

State = Mapping[str, Any]
Term = Callable[[State], Any]
_TOKEN = re.compile(r"\s*(\d+|[a-z_]\w*|<>|[=<>()/])")
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


class Fails(Exception):
    """The predicate cannot be computed on this state."""


def holds(predicate: str, state: State) -> bool:
    """Return whether the predicate is true of the state; unknown counts as not true. Raises Fails."""
    try:
        return _parsed(predicate)(state) is True
    except ZeroDivisionError:
        raise Fails from None


def fails(predicate: str, state: State) -> bool:
    """Return whether the predicate cannot be computed on the state."""
    try:
        holds(predicate, state)
    except Fails:
        return True
    return False


@cache
def _parsed(predicate: str) -> Term:
    tokens = _TOKEN.findall(predicate)
    whole = _alternatives(tokens)
    assert not tokens, f"the model cannot read {predicate!r}"
    return whole


def _alternatives(tokens: list[str]) -> Term:
    found = [_joined(tokens)]
    while tokens[:1] == ["or"]:
        tokens.pop(0)
        found.append(_joined(tokens))
    return found[0] if len(found) == 1 else lambda state: _first(found, state, decisive=True)


def _joined(tokens: list[str]) -> Term:
    found = [_atom(tokens)]
    while tokens[:1] == ["and"]:
        tokens.pop(0)
        found.append(_atom(tokens))
    return found[0] if len(found) == 1 else lambda state: _first(found, state, decisive=False)


def _first(parts: list[Term], state: State, *, decisive: bool) -> bool | None:
    """Evaluate parts until one decides; return None when none does and one was unknown."""
    unknown = False
    for part in parts:
        value = part(state)
        if value is decisive:
            return decisive
        unknown |= value is None
    return None if unknown else not decisive


def _atom(tokens: list[str]) -> Term:
    if tokens[0] == "(":
        tokens.pop(0)
        inner = _alternatives(tokens)
        assert tokens.pop(0) == ")"
        return inner
    left = _operand(tokens)
    word = tokens.pop(0)
    if word == "is":
        negated = tokens[0] == "not"
        del tokens[: 2 if negated else 1]
        return lambda state: (left(state) is None) is not negated
    compare, right = _COMPARE[word], _operand(tokens)
    return lambda state: _strict(compare, left(state), right(state))


def _operand(tokens: list[str]) -> Term:
    word = tokens.pop(0)
    if tokens[:1] == ["/"]:
        tokens.pop(0)
        divisor = _operand(tokens)
        return lambda state: _strict(operator.truediv, int(word), divisor(state))
    return (lambda _: int(word)) if word.isdigit() else (lambda state: state[word])


def _strict(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    return None if left is None or right is None else function(left, right)
