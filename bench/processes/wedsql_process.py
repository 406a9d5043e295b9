"""Drawn processes in WED-SQL, performed by flows.api: ``--mode FLOW:each`` or ``--mode FLOW:many``."""

from __future__ import annotations

import psycopg

from bench.people.office import arguments, perform
from flows import api
from flows.types import Completion

PAGE = 200


class Runner:
    """The instances of a flow, whose jobs a program performs."""

    def __init__(self, conn: psycopg.Connection, flow: str) -> None:
        self.conn = conn
        self.flow = flow
        query = "select t.trname from wedsql.trig t join wedsql.flow f on f.id = t.flow_id"
        found = conn.execute(query + " where f.name = %s and t.performer = 'worker' and not t.cfinal", [flow])
        self.names = [name for (name,) in found]

    def start(self, count: int) -> None:
        """Start instances, and register as the worker of the flow's jobs."""
        serves = [f"{self.flow}:{name}" for name in self.names]
        self.conn.execute(
            "insert into wedsql.worker (kind, name, serves, started_at, seen_at)"
            " values ('runner', 'bench', %s, now(), now() + interval '1 day')",
            [serves],
        )
        api.instances.start_many(self.flow, [{}] * count, conn=self.conn)

    def step(self, limit: int) -> int:
        """Take and complete jobs of different instances in one transaction."""
        with self.conn.transaction():
            jobs = api.jobs.take_many(self.flow, self.names, limit, actor="bench", conn=self.conn)
            done = api.jobs.complete_many(
                self.flow, [Completion(job, {}, None) for job in jobs], actor="bench", conn=self.conn
            )
        if refused := [one.error for one in done if one.error]:
            raise RuntimeError(str(refused[0]))
        return len(jobs)


def main() -> None:
    """Start the instances, and perform their jobs."""
    options = arguments()
    flow, _, mode = options.mode.partition(":")
    with psycopg.connect(options.dsn, autocommit=True, prepare_threshold=1) as conn:
        runner = Runner(conn, flow)
        runner.start(options.instances)
        perform(lambda: runner.step(PAGE if mode == "many" else 1), options.seconds)


if __name__ == "__main__":
    main()
