"""Names of nodes, edges, transitions and attributes, made of ids and names of elements."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST = 36
# Words that no condition can have as names of attributes, and names that flows have for other things.
_UNUSABLE = frozenset(
    (
        "all analyse analyze and any array as asc asymmetric authorization between binary both case cast "
        "check collate collation column concurrently constraint create cross current_catalog current_date "
        "current_role current_schema current_time current_timestamp current_user default deferrable desc "
        "distinct do else end except false fetch flow_id for foreign freeze from full grant group having "
        "ilike in initially inner intersect into is isnull join lateral leading left like limit localtime "
        "localtimestamp natural not notnull offset on only or order outer overlaps placing primary "
        "references returning right select seq session_user similar some status symmetric system_user table "
        "tablesample then to tokens trailing true union unique user using variadic verbose when where "
        "wid window with ctid xmin xmax cmin cmax tableoid"
    ).split()
)
# As bpmn.io and Camunda make them up, and as others do: with a UUID, or a number alone.
_MADE_UP = re.compile(
    r"[A-Za-z]+_(?=[a-z]*\d)[0-9a-z]{7}"
    r"|(?i:[a-z]*[-_]?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"|_\d+(-\d+)*"
)


def slug(text: str, first: str = "n", longest: int = LONGEST) -> str:
    """Return a text as a name: lower-case letters, digits and single underscores, a letter first."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    if not name[:1].isalpha():
        name = f"{first}_{name}".strip("_")
    return name[:longest].strip("_")


def usable(name: str) -> str:
    """Return the name of the attribute of a variable; one that conditions cannot have gets a `_`."""
    return f"{name}_" if name in _UNUSABLE else name


def attribute_of(name: str) -> str:
    """Return the name of the attribute that a name in an expression means; attributes have Latin letters."""
    return usable(name if name.isascii() else slug(name, longest=63))


def is_made_up(id_: str) -> bool:
    """Return whether a modeller made an id up, such as Activity_0x1y2z3 or sid-81ED1ADC-...."""
    return _MADE_UP.fullmatch(id_) is not None


def unique(elements: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return a name for each element (id, name, chosen name), no two of them the same.

    The first element that chooses a name has it; else it is that of the id; an id that a modeller made up,
    such as Activity_0x1y2z3, gives way to the name of its element. A name that another element has or chooses
    gives way to these, too.
    """
    elements = [*elements]
    found: dict[str, str] = {}
    used: set[str] = {chosen for _id, _name, chosen in elements if chosen}
    free = {*used}
    for id_, name, chosen in elements:
        if chosen in free:
            free.remove(chosen)
            found[id_] = chosen
            continue
        best = slug(name) if name and is_made_up(id_) else slug(id_)
        wanted = best if best not in used else slug(id_)
        number = 2
        while wanted in used:
            wanted = f"{best[: LONGEST - 4]}_{number}"
            number += 1
        used.add(wanted)
        found[id_] = wanted
    return found
