"""Rows of instances and history for peers that are plain queues: the handlers write them.

A step is then one transaction: update the instance row, add the history row and, in the step that finishes
second of the two parallel ones, queue the last step.
"""

from __future__ import annotations

import psycopg

from bench.cluster import Cluster, scalar
from bench.contenders.base import Peer

SCHEMA = """
create schema bench;
create table bench.instance (
  wid int generated always as identity primary key,
  status text not null default 'R', seq int not null default 0,
  a1 text default 'ready', a2 text, a3 text
) with (fillfactor = 70);
create table bench.history (
  id bigint generated always as identity primary key, wid int not null, seq int not null,
  tstmp timestamptz not null default now(), trw text not null, state jsonb not null
);
"""

# {p} is the driver's placeholder for the only parameter, the instance.
_MOVE = """
with moved as (
  update bench.instance set {change}, seq = seq + 1 where wid = {p}
  returning wid, seq, a1, a2, a3
), kept as (
  insert into bench.history (wid, seq, trw, state)
  select wid, seq, '{step}', jsonb_build_object('a1', a1, 'a2', a2, 'a3', a3) from moved
)
select a2 is not null and a3 is not null from moved
"""
_CHANGES = {
    "tr_a2": "a2 = 'done'",
    "tr_a3": "a3 = 'done'",
    "tr_final": "a1 = 'final', status = 'F'",
}
STEPS = tuple(_CHANGES)


def move(step: str, parameter: str) -> str:
    """Return the statement of one step; its result is whether both parallel steps are done."""
    return _MOVE.format(change=_CHANGES[step], step=step, p=parameter)


class QueuePeer(Peer):
    """A plain queue: three jobs per instance; a step's rows and the next job commit in one transaction."""

    def install(self, cluster: Cluster, dsn: str) -> None:
        with psycopg.connect(dsn) as conn:
            conn.execute(SCHEMA)

    def start(self, dsn: str, count: int) -> None:
        query = "insert into bench.instance (a1) select 'ready' from generate_series(1, %s) returning wid"
        with psycopg.connect(dsn) as conn:
            wids = [wid for (wid,) in conn.execute(query, [count]).fetchall()]
        self.enqueue(dsn, wids)

    def enqueue(self, dsn: str, wids: list[int]) -> None:
        """Queue the two parallel steps of these instances."""
        raise NotImplementedError

    def steps(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from bench.history")

    def final(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from bench.instance where status = 'F'")
