"""The flow of fifty conditions, one of which fails for some values of `word`."""

from __future__ import annotations

FLOW = "fifty"
HEALTHY = 49
SOUND, BAD = "7", "abc"


def definition() -> str:
    """Return SQL with 49 conditions that a new instance meets, and in the middle one that casts a word."""
    predicates = [f"n < {k}" for k in range(1, HEALTHY + 1)]
    predicates.insert(HEALTHY // 2, "word::integer = 1")
    rows = ",\n  ".join(f"('tr_fine', '{text}', '30 seconds')" for text in predicates)
    return f"""
insert into wed_attr (aname, adv, type) values ('word', '', 'text'), ('n', '0', 'integer');
insert into wed_trig (trname, cpred, timeout) values
  {rows};
insert into wed_trig (cpred, cfinal) values ('n = 99', true);
"""  # noqa: S608 - constants of this file
