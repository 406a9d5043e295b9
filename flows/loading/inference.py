"""The types that names in conditions have by their use, where no attribute of that name is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from flows import api

# In the order in which they are tried: what is written as a text is one.
TYPES = ("text", "numeric", "boolean", "timestamptz", "jsonb")
_MOST_NAMES = 3  # of one condition: more have too many combinations


def types_by_use(known: Mapping[str, str], uses: Sequence[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return types of the names with which the kernel accepts the conditions.

    uses: conditions, each with those of its names that are not known. A name is left out where no type suits.
    """
    found: dict[str, str] = {}
    for condition, names in sorted(uses, key=lambda use: len(use[1])):
        unknown = [name for name in names if name not in found]
        if not unknown or len(unknown) > _MOST_NAMES:
            continue
        for chosen in product(TYPES, repeat=len(unknown)):
            tried = dict(zip(unknown, chosen, strict=True))
            if api.conditions.check({**known, **found, **tried}, condition)[0] is None:
                found |= tried
                break
    return found
