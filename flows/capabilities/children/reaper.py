"""Starts children, counts their ends, and passes on what happens to their parents."""

from __future__ import annotations

from typing import Any

import psycopg

from flows import api
from flows.rounds import continue_while


def in_round(connection: psycopg.Connection[Any]) -> None:
    """Go on with jobs that start children."""
    continue_while(
        lambda: api.children.continue_children(conn=connection) is not None, "Children were not continued"
    )
