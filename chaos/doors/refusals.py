"""What an honest answer to hostile input is, and which answer is a finding."""

from __future__ import annotations

import re

# What the product says by itself has a code of its own, WDnnn, or is worth trying again. Of PostgreSQL's own
# words these few may reach a caller, and only who speaks SQL to it, as psql does:
RAW = {
    "42501": "permission denied: what the role may not do is refused by PostgreSQL itself",
}
AGAIN = frozenset({"40001", "40P01", "55P03"})
# Words of PostgreSQL, of the driver or of Python that say that nobody thought of this input.
LEAK = re.compile(
    r"syntax error at or near|LINE \d+:|psycopg\d?\.|Traceback|cache lookup failed|unrecognized node"
)


def wrong_code(door: str, code: str) -> bool:
    """Whether this code should not have reached the caller at this door."""
    if code.startswith("WD") or code in AGAIN:
        return False
    return not (door == "sql" and code in RAW)


def leak(text: str) -> str:
    """The words in an answer that are not the product's own, with some around them."""
    found = LEAK.search(text)
    return text[max(0, found.start() - 60) : found.end() + 120] if found else ""
