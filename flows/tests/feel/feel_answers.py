"""What the database answers to expressions of FEEL of any kind, beside what other engines answered.

An engine's answer is JSON; the database is asked whether the expression has this value.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from django.db import Error, transaction

from flows import api
from flows.languages.bpmn.feel import NotSimple, to_sql
from flows.tests.feel.feel_generation import ATTRIBUTES, STATE
from flows.wed_error import WedError

ERROR = {"error": True}
_AT_ONCE = 50
_NEAR = "0.000000001"


def condition(text: str, value: Any) -> str:
    """Return SQL that holds if an expression has a value that is written as JSON. Raises NotSimple."""
    match value:
        case None:
            return to_sql(f"({text}) = null", ATTRIBUTES)
        case bool():
            return to_sql(f"({text}) = {str(value).lower()}", ATTRIBUTES)
        case int() | float():
            return to_sql(f"(({text}) - ({value:.12f})) between -{_NEAR} and {_NEAR}", ATTRIBUTES)
        case str():
            return to_sql(f"({text}) = {json.dumps(value, ensure_ascii=False)}", ATTRIBUTES)
        case list():
            return _list(text, value)
    raise NotSimple("It is no value.", 1)


def _list(text: str, values: list[Any]) -> str:
    if not any(isinstance(each, float) and not (each * 1024).is_integer() for each in values):
        return f"({to_sql(text, ATTRIBUTES)}) = '{json.dumps(values)}'::jsonb"
    items = (f"({condition(f'({text})[{at}]', each)})" for at, each in enumerate(values, 1))
    return " and ".join([to_sql(f"count({text}) = {len(values)}", ATTRIBUTES), *items])


@dataclass
class Answers:
    """What was found: t, f or u (unknown) of each condition, and why others are refused."""

    held: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def ask(self, theirs: dict[str, Any]) -> None:
        """Ask the database whether expressions have the values that another engine gave them."""
        written = {}
        for text, value in theirs.items():
            try:
                written[text] = condition(text, value)
            except NotSimple as error:
                self.refused[text] = str(error)
        todo = [*written]
        for first in range(0, len(todo), _AT_ONCE):
            self._hold({text: written[text] for text in todo[first : first + _AT_ONCE]})

    def _hold(self, written: dict[str, str]) -> None:
        definition = {
            "attributes": [{"name": name, "type": type_} for name, type_ in ATTRIBUTES.items()],
            "triggers": [
                {"name": f"c{number}", "transition": f"tr_{number}", "predicate": text}
                for number, text in enumerate(written.values())
            ],
        }
        names = [*written]
        try:
            with transaction.atomic():
                (found,) = api.conditions.evaluate(definition, [STATE])
        except (WedError, Error) as error:
            if len(names) == 1:
                self.refused[names[0]] = re.sub(r"\s+", " ", str(error))[:200]
                return
            for half in (names[: len(names) // 2], names[len(names) // 2 :]):
                self._hold({text: written[text] for text in half})
            return
        self.held |= dict(zip(names, found.held, strict=True))
        self.refused |= {names[int(str(name)[1:])]: said for name, (_code, said) in found.errors.items()}
