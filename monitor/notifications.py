"""Events of flows for the live connection: the kernel's notifications, and changes found without one."""

from __future__ import annotations

import os
import re
import socket
import time

from channels.db import database_sync_to_async

from flows.queries.server import watchers
from pages.live.hub import Hub
from pages.live.listener import Connection

# PostgreSQL's counters trail the commit by up to a second; a recent notification explains a change.
EXPLAINED_SECONDS = 11.0

PAYLOAD = re.compile(r"^(\d{1,10}):(\d{1,10}):(\d{1,10})$", re.ASCII)
_SEQS = "select wid, flow_id, seq from wedsql.instance where wid = any(%s)"
_MOVES = """
select f.id, coalesce(pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid), 0)
from wedsql.flow f
join pg_catalog.pg_namespace n on n.nspname = f.name
join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'wed_flow'
"""


class FlowEvents:
    """The kernel's events for one listener, with the last seen state of every watched instance and flow."""

    channels: tuple[str, ...] = ("wedsql_trace", "wedsql_flow")

    def __init__(self) -> None:
        self._watch = 0
        self._seqs: dict[int, int] = {}
        self._moves: dict[int, int] = {}

    async def open(self) -> None:
        """Register a watcher with the kernel: only then do commits send notifications.

        The listener's own role only reads, so the connection of the web process writes the entry.
        """
        self._watch = 0
        await self.renew()
        self._seqs.clear()
        self._moves.clear()

    async def renew(self) -> None:
        """Renew the entry, which the kernel drops after a minute."""
        name = f"{socket.gethostname()}:{os.getpid()}"
        self._watch = int(await database_sync_to_async(watchers.watch)(self._watch, name))

    async def close(self) -> None:
        """Delete the entry."""
        if self._watch:
            await database_sync_to_async(watchers.unwatch)(self._watch)

    def on_notification(self, payload: str, hub: Hub) -> None:
        """Report a notification to the hub."""
        match = PAYLOAD.match(payload)
        if match:
            flow, wid, seq = (int(part) for part in match.groups())
            hub.event(flow, wid, seq)

    async def compare(self, connection: Connection, hub: Hub) -> None:
        """Report to the hub what changed without a notification, by two queries of constant cost."""
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
            if moves != self._moves.get(flow, moves) and hub.last_events.get(flow, 0.0) < explained:
                hub.event(flow, 0, 0)
        self._moves = now
