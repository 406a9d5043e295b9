"""What an SQLSTATE means for a client: its HTTP status, and whether it passes by itself.

The kernel has the same rule in wedsql._passes; a test compares both over every code of PostgreSQL.
"""

from __future__ import annotations

CANCELLED = "57014"  # the statement took too long
# The server or the connection is in trouble, or another transaction was in the way. None of them is a fault
# of the input, and the same call may succeed later.
_PASSING_CLASSES = ("08", "40", "53", "57P", "58")
_PASSING = frozenset({"25006", "25P03", "25P04", "55006", "55P03"})
# The server is not set up for this site, or stops what takes too long.
_UNAVAILABLE_CLASSES = ("28", "3D", "57", "72", "F0")
_CONFLICTS = frozenset({"23001", "23503", "23505", "2BP01", "42701", "42710", "42723", "42P06", "42P07"})
_CONFLICT_CLASSES = ("55",)
# Data, checks, what is not supported, limits of a statement, and what a function of a site raises.
_INPUT_CLASSES = ("0A", "21", "22", "23", "44", "54", "P0")


def passes(sqlstate: str) -> bool:
    """Return whether the error passes by itself: neither the input nor an attempt of a job is the cause."""
    return sqlstate in _PASSING or sqlstate.startswith(_PASSING_CLASSES)


def is_shortage(sqlstate: str) -> bool:
    """Return whether the server lacks disk, memory or connections, or cannot use its files."""
    return sqlstate.startswith(("53", "58"))


def http_status(sqlstate: str) -> int:
    """Return the HTTP status for an error of PostgreSQL; 500 for what only a defect can cause."""
    if passes(sqlstate) or sqlstate.startswith(_UNAVAILABLE_CLASSES):
        return 503
    if sqlstate in _CONFLICTS or sqlstate.startswith(_CONFLICT_CLASSES):
        return 409
    return 422 if sqlstate.startswith(_INPUT_CLASSES) else 500
