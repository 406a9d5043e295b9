"""A worker that uses only the paper's protocol, in a separate process and with another driver (psycopg2).

It uses nothing of this product but the names of tables: LISTEN on the transition's channel, scan job_pool,
take the advisory lock (wid, tgid), UPDATE wed_flow, COMMIT (sections 4 and 5 of the paper). It writes each
result as a line of JSON; each line of its input is a command: `scan`, `wait`, `lock WID TGID`,
`update WID SET`, `commit`, `rollback`.

usage: python paper_client.py DSN SCHEMA TRANSITION
"""

from __future__ import annotations

import json
import select
import sys
from typing import Any

import psycopg2
import psycopg2.extensions


def write_answer(what: str, **facts: Any) -> None:
    """Write one line that the test reads."""
    print(json.dumps({"what": what, **facts}), flush=True)


class Client:
    """One session with the transition it serves."""

    def __init__(self, dsn: str, schema: str, transition: str) -> None:
        self.transition = transition
        self.connection = psycopg2.connect(dsn, options=f"-c search_path={schema}", application_name="paper")
        self.cursor = self.connection.cursor()
        self.cursor.execute(f'listen "{transition}"')
        self.connection.commit()
        write_answer("ready", pid=self.connection.get_backend_pid())

    def scan(self) -> None:
        """Write the pending jobs of the transition."""
        self.cursor.execute(
            "select wid, tgid, payload from job_pool where trname = %s order by wid", (self.transition,)
        )
        for wid, tgid, payload in self.cursor.fetchall():
            write_answer("job", wid=wid, tgid=tgid, payload=payload)
        self.connection.commit()
        write_answer("scanned")

    def wait(self) -> None:
        """Write the next notification, or that none arrived within five seconds."""
        if not self.connection.notifies:
            select.select([self.connection], [], [], 5)
            self.connection.poll()
        if not self.connection.notifies:
            return write_answer("silence")
        notified = self.connection.notifies.pop(0)
        write_answer(
            "notified",
            channel=notified.channel,
            message=json.loads(notified.payload),
            size=len(notified.payload.encode()),
        )

    def lock(self, wid: str, tgid: str) -> None:
        """Try to take the job's lock, which begins the transaction."""
        self.cursor.execute("select pg_try_advisory_xact_lock(%s, %s)", (int(wid), int(tgid)))
        write_answer("lock", granted=self.cursor.fetchone()[0])

    def update(self, wid: str, *what: str) -> None:
        """Write the new state, as the paper's worker does."""
        self.cursor.execute(f"update wed_flow set {' '.join(what)} where wid = %s", (int(wid),))
        write_answer("updated", rows=self.cursor.rowcount)

    def commit(self) -> None:
        """Commit the transaction."""
        self.connection.commit()
        write_answer("committed")

    def rollback(self) -> None:
        """Roll back the transaction."""
        self.connection.rollback()
        write_answer("rolled back")


def main() -> None:
    """Execute commands until the input ends."""
    client = Client(*sys.argv[1:4])
    for line in sys.stdin:
        command, *words = line.split()
        try:
            getattr(client, command)(*words)
        except psycopg2.Error as error:
            write_answer("error", code=error.pgcode, message=str(error).strip())


if __name__ == "__main__":
    main()
