"""Continues operations on many instances, in slices, in the rounds of the reaper."""

from __future__ import annotations

from functools import partial
from typing import Any

import psycopg

from flows import api
from flows.rounds import continue_while


def in_round(connection: psycopg.Connection[Any]) -> None:
    """Continue the bulk operations that are on their way, each slice in a transaction of its own."""
    continue_while(partial(_continued, connection), "Bulk operations were not continued")


def _continued(connection: psycopg.Connection[Any]) -> bool:
    with connection.transaction():
        return api.bulk.continue_bulk(conn=connection) is not None
