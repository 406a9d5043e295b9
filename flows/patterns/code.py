"""The results of the transitions of patterns, simple SET strings: values and handlers made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_ASSIGNMENT = re.compile(r"(\w+) = (?:(\w+) ([+-]) (\d+)|(true|false|null|-?\d+)|'([^']*)')")
_HEAD = '''"""Handlers of the pattern “{title}”."""

from __future__ import annotations

{imports}from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]
'''
_HANDLER = """

@transition("{transition}", simulate=lambda state: {simulated})
def {name}(state: State, ctx: Context) -> Changes:
    return {returned}
"""


class NotSimple(ValueError):
    """A SET string of a pattern has something else than values, and numbers added or subtracted."""


def values(result: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a SET string writes on a state. Raises NotSimple."""
    return {
        name: constant if other == "" else int(state[other]) + constant
        for name, other, constant in _assignments(result)
    }


def needs_worker(trigger: Mapping[str, Any]) -> bool:
    """Whether a worker performs the transition of a rule: not a signal, nor the ends of children."""
    return bool(trigger.get("transition")) and not trigger.get("signal") and not trigger.get("child")


def handlers(title: str, triggers: Sequence[Mapping[str, Any]], results: Mapping[str, Sequence[str]]) -> str:
    """Return the code of the handlers of a pattern."""
    performed = [each for each in triggers if needs_worker(each)]
    chosen = any(len(results[each["name"]]) > 1 for each in performed)
    head = _HEAD.format(title=title, imports="import random\n" if chosen else "")
    return head + "".join(_handler(each, results[each["name"]]) for each in performed)


def _handler(trigger: Mapping[str, Any], results: Sequence[str]) -> str:
    texts = [json.dumps(each) for each in results]
    simulated = [_simulated(each) for each in results]
    one = len(results) == 1
    return _HANDLER.format(
        transition=trigger["transition"],
        name=f"{trigger['name']}_" if trigger["name"] in _WORDS else trigger["name"],
        simulated=simulated[0] if one else f"[{', '.join(simulated)}]",
        returned=texts[0] if one else f"random.choice([{', '.join(texts)}])",
    )


# Names of rules that are keywords of Python, or names in the code.
_WORDS = ("return", "print", "open", "import")


def _simulated(result: str) -> str:
    parts = [
        f'"{name}": {constant!r}' if other == "" else f'"{name}": int(state["{other}"]) + {constant}'
        for name, other, constant in _assignments(result)
    ]
    return f"{{{', '.join(parts)}}}".replace("+ -", "- ").replace("'", '"')


def _assignments(result: str) -> list[tuple[str, str, Any]]:
    """Return the assignments as (attribute, attribute to which a number is added or "", value)."""
    found: list[tuple[str, str, Any]] = []
    for part in result.split(", "):
        match = _ASSIGNMENT.fullmatch(part)
        if match is None:
            raise NotSimple(part)
        name, other, sign, number, plain, text = match.groups()
        if other:
            found.append((name, other, int(f"{sign}{number}")))
        else:
            found.append((name, "", text if plain is None else json.loads(plain)))
    return found
