"""The types that names in conditions have by their use, where no attribute of that name is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from flows import api

# In the order in which they are tried: what is written as a text is one.
TYPES = ("text", "numeric", "boolean", "timestamptz", "jsonb")
_MOST_NAMES = 3  # of one condition: more have too many combinations
_MOST_OTHERS = 20  # conditions of the same names that a type is tried with


def types_by_use(known: Mapping[str, str], uses: Sequence[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return types of the names with which the kernel accepts the conditions.

    uses: conditions, each with those of its names that are not known. A name is left out where no type suits.
    """
    found: dict[str, str] = {}
    for condition, names in sorted(uses, key=lambda use: (_says_nothing(*use), len(use[1]))):
        unknown = [name for name in names if name not in found]
        if not unknown or len(unknown) > _MOST_NAMES:
            continue
        others = [each for each, named in uses if {*named} & {*unknown} and {*named} <= {*unknown, *found}]
        found |= _suiting({**known, **found}, unknown, condition, others[:_MOST_OTHERS])
    return found


def _says_nothing(condition: str, names: Sequence[str]) -> bool:
    """Return whether values of any type are used like this."""
    return [condition.removesuffix(" is null").strip("()")] == [*names]


def _suiting(
    known: Mapping[str, str], unknown: list[str], condition: str, others: list[str]
) -> dict[str, str]:
    """Return the first types that suit a condition and the others of these names, or at least the first."""
    first: dict[str, str] = {}
    for chosen in product(TYPES, repeat=len(unknown)):
        tried = dict(zip(unknown, chosen, strict=True))
        accepted = (
            api.conditions.check({**known, **tried}, each)[0] is None for each in (condition, *others)
        )
        if next(accepted):
            first = first or tried
            if all(accepted):
                return tried
    return first
