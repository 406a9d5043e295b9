"""The types that names in conditions have by their use, where no attribute of that name is declared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from flows import api

# In the order in which they are tried: what is written as a text is one.
TYPES = ("text", "numeric", "boolean", "timestamptz", "jsonb")
_MOST_NAMES = 3  # of one condition: more have too many combinations
_MOST_OTHERS = 20  # conditions of the same names that a type is tried with
_JOINT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|([()])|\b(and|or)\b", re.IGNORECASE)
_NOT = re.compile(r"\s*not\b", re.IGNORECASE)


def types_by_use(known: Mapping[str, str], uses: Sequence[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return types of the names with which the kernel accepts the conditions.

    uses: conditions, each with those of its names that are not known. A condition with many names is read by
    its parts. A name is left out where no type suits.
    """
    found: dict[str, str] = {}
    for condition, names in sorted(uses, key=lambda use: (_says_nothing(*use), len(use[1]))):
        unknown = {*names} - found.keys()
        if len(unknown) <= _MOST_NAMES:
            others = [
                each for each, named in uses if {*named} & unknown and {*named} <= unknown | found.keys()
            ]
            found |= _suiting({**known, **found}, condition, names, others[:_MOST_OTHERS])
            continue
        for part in parts(condition):
            found |= _suiting({**known, **found}, part, [each for each in names if _has(part, each)])
        found |= _suiting({**known, **found}, condition, names)
    return found


def _says_nothing(condition: str, names: Sequence[str]) -> bool:
    """Return whether values of any type are used like this."""
    return [condition.removesuffix(" is null").strip("()")] == [*names]


def _suiting(
    known: Mapping[str, str], condition: str, names: Sequence[str], others: Sequence[str] = ()
) -> dict[str, str]:
    """Return the first types of those names that are not known with which a condition is accepted.

    Types that suit the others as well come first.
    """
    unknown = [name for name in names if name not in known]
    if not unknown or len(unknown) > _MOST_NAMES:
        return {}
    first: dict[str, str] = {}
    for chosen in product(TYPES, repeat=len(unknown)):
        tried = dict(zip(unknown, chosen, strict=True))
        uses = (condition, *others)
        accepted = (api.conditions.check({**known, **tried}, use)[0] is None for use in uses)
        if next(accepted):
            first = first or tried
            if all(accepted):
                return tried
    return first


def _has(condition: str, name: str) -> bool:
    return re.search(rf"(?<![\w'\"]){re.escape(name)}(?!\w)", condition, re.IGNORECASE) is not None


def parts(condition: str) -> Iterator[str]:
    """Yield the parts of a condition that `and` and `or` join, without the brackets around several."""
    begin = 0
    for found in _JOINT.finditer(f"{condition} and"):
        if found[2]:
            yield _without_brackets(condition[begin : found.start()])
            begin = found.end()


def _without_brackets(part: str) -> str:
    """Return a part without the brackets that open or close others with it, and without what they negate."""
    while True:
        part = part.strip()
        level = sum({"(": 1, ")": -1}.get(found[1] or "", 0) for found in _JOINT.finditer(part))
        if level > 0 and part.startswith("("):
            part = part[1:]
        elif level > 0 and _NOT.match(part):
            part = _NOT.sub("", part, count=1)
        elif level < 0 and part.endswith(")"):
            part = part[:-1]
        else:
            return part
