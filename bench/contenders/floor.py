"""The floor: pgbench with the least row operations of a step, in one transaction per step."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from bench.cluster import Cluster

SCHEMA = """
create table job (id bigint generated always as identity primary key,
                  wid int not null, trname text not null);
create table instance (wid int primary key,
                       status text not null default 'R', seq int not null default 0,
                       a1 text, a2 text, a3 text) with (fillfactor = 70);
create table history (id bigint generated always as identity primary key, wid int not null,
                      tstmp timestamptz not null default now(), state jsonb not null);
insert into instance (wid, a1) select wid, 'ready' from generate_series(1, 2000) wid;
insert into job (wid, trname) select wid, 'tr_a2' from generate_series(1, 2000) wid;
"""
SCRIPT = """
begin;
delete from job where id = (select id from job order by id for update skip locked limit 1)
  returning wid \\gset
update instance set a2 = 'done', seq = seq + 1 where wid = :wid;
insert into history (wid, state) values (:wid, '{"a1": "ready", "a2": "done", "a3": null}');
insert into job (wid, trname) values (:wid, 'tr_a2');
commit;
"""
# The same rows in one statement and one round trip; the difference is the cost of the floor's round trips.
ONE_STATEMENT = """
with taken as (
  delete from job where id = (select id from job order by id for update skip locked limit 1) returning wid
), moved as (
  update instance i set a2 = 'done', seq = seq + 1 from taken t where i.wid = t.wid
), kept as (
  insert into history (wid, state) select wid, '{"a1": "ready", "a2": "done", "a3": null}' from taken
)
insert into job (wid, trname) select wid, 'tr_a2' from taken;
"""


class Floor:
    """The pgbench runs; `rate(clients, seconds)` returns transactions per second, each of which is a step."""

    label = "floor (pgbench)"

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.template = "tpl_floor"
        cluster.create_database(self.template)
        with cluster.session(self.template) as conn:
            conn.execute(SCHEMA)

    def command(self, clients: int, seconds: float, script: Path) -> list[str]:
        """Return the pgbench command line, as printed in the report."""
        options = f"-n -M prepared -j 2 -c {clients} -T {max(1, round(seconds))} -f {script}"
        return [str(self.cluster.bindir / "pgbench"), *options.split(), self.cluster.uri("floor")]

    def rate(self, clients: int, seconds: float, script: str = SCRIPT) -> float:
        """Run pgbench on a fresh database and return its transactions per second."""
        self.cluster.create_database("floor", self.template)
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(script)
            file.flush()
            command = self.command(clients, seconds, Path(file.name))
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        if found is None:
            raise RuntimeError(f"pgbench failed: {done.stderr.strip()}")
        return float(found.group(1))
