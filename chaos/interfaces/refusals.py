"""Which answers to hostile input are correct, and which are a finding."""

from __future__ import annotations

import re

# Errors of the product have codes of its own, WDnnn, or are worth a retry. Of PostgreSQL's own errors only
# these may reach a caller, and only one that sends SQL, as psql does.
RAW = {
    "42501": "permission denied: what the role may not do is refused by PostgreSQL itself",
}
AGAIN = frozenset({"40001", "40P01", "55P03"})
# Texts of PostgreSQL, of the driver or of Python that show an unhandled input.
LEAK = re.compile(
    r"syntax error at or near|LINE \d+:|psycopg\d?\.|Traceback|cache lookup failed|unrecognized node"
)


def wrong_code(interface: str, code: str) -> bool:
    """Return whether this code should not have reached the caller of this interface."""
    if code.startswith("WD") or code in AGAIN:
        return False
    return not (interface == "sql" and code in RAW)


def leak(text: str) -> str:
    """Return text in an answer that is not the product's own, with some context; '' if there is none."""
    found = LEAK.search(text)
    return text[max(0, found.start() - 60) : found.end() + 120] if found else ""
