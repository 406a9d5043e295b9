"""Names of attributes and transitions, made of the ids of a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST = 50
FINISHED, INSTANCE = "finished", "instance_name"
# Words of SQL that the database reserves, and names that results of children and sessions have.
_RESERVED = frozenset(
    """all analyse analyze and any array as asc asymmetric authorization between binary bit both case cast
    char character check children children_done children_failed children_states child_number coalesce collate
    collation column concurrently constraint create cross current_catalog current_date current_role
    current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do
    else end except exists extract false fetch float for foreign freeze from full grant greatest group
    grouping having ilike in initially inner inout int integer intersect interval into is isnull join lateral
    leading least left like limit localtime localtimestamp national natural nchar none normalize not notnull
    null nullif numeric offset on only or order out outer overlaps overlay placing position precision primary
    real references returning right row select session_user setof similar smallint some substring symmetric
    system_user table tablesample then time timestamp to trailing treat trim true union unique user using
    values varchar variadic verbose when where wid window with boolean bigint json_array json_object
    xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize
    xmltable state""".split()
)
_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def slug(id_: str) -> str:
    """Return an id as a name: CriarOrdemServico is criar_ordem_servico."""
    plain = unicodedata.normalize("NFKD", id_).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "_", _BORDER.sub("_", plain).lower()).strip("_")
    return (name if name[:1].isalpha() else f"n_{name}".strip("_"))[:LONGEST].strip("_")


class Names:
    """Gives names, no two of them the same, none reserved."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self.used = {FINISHED, INSTANCE, *used}

    def give(self, id_: str, suffix: str = "") -> str:
        """Return a name for an id, which nothing else has: with the suffix where the id is taken."""
        best = slug(id_)
        wanted = f"{best}_{suffix}" if suffix and self._taken(best) else best
        wanted = f"{best}_id" if wanted in _RESERVED else wanted
        number = 2
        while self._taken(wanted):
            wanted, number = f"{best}_{number}", number + 1
        self.used.add(wanted)
        return wanted

    def _taken(self, name: str) -> bool:
        return name in self.used or name in _RESERVED
