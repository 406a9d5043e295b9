"""What the listener asks the database beside listening: did anything move that no notification told of?"""

from __future__ import annotations

import time

import psycopg
from psycopg.rows import TupleRow

from monitor.hub import Hub

Connection = psycopg.AsyncConnection[TupleRow]

# PostgreSQL's counters trail the commit by up to a second; having heard something since explains a move.
EXPLAINED_SECONDS = 11.0

_SEQS = "select wid, flow_id, seq from wedsql.instance where wid = any(%s)"
_MOVES = """
select f.id, coalesce(pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid), 0)
from wedsql.flow f
join pg_catalog.pg_namespace n on n.nspname = f.name
join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'wed_flow'
"""


class Versions:
    """What was last seen of every watched instance and flow."""

    def __init__(self) -> None:
        self._seqs: dict[int, int] = {}
        self._moves: dict[int, int] = {}

    def forget(self) -> None:
        """After a gap every page reads again anyway: start afresh."""
        self._seqs.clear()
        self._moves.clear()

    async def compare(self, connection: Connection, hub: Hub) -> None:
        """Report to the hub what moved without a notification, by two queries of constant cost."""
        wids = hub.watched_wids()
        if wids:
            await self._instances(connection, hub, wids)
        if hub.watchers:
            await self._flows(connection, hub)

    async def _instances(self, connection: Connection, hub: Hub, wids: dict[int, int]) -> None:
        cursor = await connection.execute(_SEQS, [list(wids)])
        now = {wid: (flow, seq) for wid, flow, seq in await cursor.fetchall()}
        for wid, (flow, seq) in now.items():
            if seq > self._seqs.get(wid, seq):
                hub.event(flow, wid, seq)
        self._seqs = {wid: seq for wid, (_flow, seq) in now.items()}

    async def _flows(self, connection: Connection, hub: Hub) -> None:
        cursor = await connection.execute(_MOVES)
        now = {int(flow): int(moves) for flow, moves in await cursor.fetchall()}
        explained = time.monotonic() - EXPLAINED_SECONDS
        for flow, moves in now.items():
            if moves != self._moves.get(flow, moves) and hub.heard.get(flow, 0.0) < explained:
                hub.event(flow, 0, 0)
        self._moves = now
