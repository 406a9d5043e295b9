"""``python -m bench.instructions``: measure the database's cost per step in instructions, by valgrind.

Times on a shared machine differ by a third from one minute to the next; instruction counts do not. A single
server process performs the steps of the benchmark with the statements of a worker: one commit per step, or
with ``--batch`` one commit for 200 of them; with ``--tasks`` those of a person, who takes and completes
tasks with a commit each. Prints the instructions per step and the functions of PostgreSQL they belong to.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg

from bench import site
from bench.cluster import Cluster, scalar
from bench.people.wedsql_office import definition
from bench.work.definition import FLOW
from flows import api
from testkit.text import table
from wedsql_site import postgres
from wedsql_site.postgres import account

HELD = 16
BATCH = 200
WARM = 2  # rounds before the count begins, so that plans and caches exist
MARK = "select pg_sleep(0);"
_RESULTS = (("tr_a2", '{"a2":"done"}'), ("tr_a3", '{"a3":"done"}'), ("tr_final", '{"a1":"f"}'))

Jobs = Sequence[tuple[str, int, int]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Count and print; exit with status 2 if valgrind is missing."""
    parser = argparse.ArgumentParser(prog="python -m bench.instructions", description=__doc__)
    parser.add_argument("--rounds", type=int, default=4, help=f"each is {HELD * 3} steps, or {BATCH * 3}")
    parser.add_argument("--batch", action="store_true", help="several steps per commit")
    parser.add_argument("--tasks", action="store_true", help="tasks of people")
    parser.add_argument("--keep", type=Path, help="where the profile for callgrind_annotate is kept")
    options = parser.parse_args(arguments)
    if not shutil.which("valgrind"):
        parser.error("valgrind is needed (Debian: apt-get install valgrind)")
    with Cluster() as cluster:
        size = BATCH if options.batch else HELD
        script = _tasks if options.tasks else _script
        profile = _count(cluster, script(cluster, options.rounds + WARM, size))
        sys.stdout.write(_report(profile, options.rounds * size * (1 if options.tasks else 3)))
        if options.keep:
            shutil.copy(profile, options.keep)
    return 0


def _script(cluster: Cluster, rounds: int, size: int) -> str:
    """Start the instances, stop the server, and return the statements that finish them."""
    dsn = cluster.create_database("counted", site.template(cluster))
    with psycopg.connect(dsn, autocommit=True) as conn:
        site.start_many(conn, size * rounds)
        conn.execute(
            "insert into wedsql.worker (kind, name, serves, started_at, seen_at)"
            " select 'runner', 'counted', array_agg(%s || ':' || trname), now(), now() + interval '1 day'"
            " from wedsql.trig where trname is not null",
            [FLOW],
        )
        conn.execute("vacuum analyze")
        jobs = conn.execute("select trname, wid, id from wedsql.job_pool order by id").fetchall()
        last = scalar(conn, "select max(id) from wedsql.job_pool")
    postgres.stop(cluster.cluster)
    wids = [wid for name, wid, _ in jobs if name == "tr_a3"]
    final = [("tr_final", wid, last + n) for n, wid in enumerate(wids, start=1)]
    return "\n".join(_statements(jobs + final, rounds, size)) + "\n"


def _tasks(cluster: Cluster, rounds: int, size: int) -> str:
    """Start the instances of the office, stop the server, and return what performs a task of each."""
    dsn = cluster.create_database("counted", site.template(cluster))
    with psycopg.connect(dsn, autocommit=True) as conn:
        with conn.transaction():
            site.publish(conn, definition())
        states = [{"clerk": "role:Clerk"}] * size * rounds
        api.instances.start_many("office", states, conn=conn)
        conn.execute("vacuum analyze")
        found = conn.execute("select job_id from wedsql.task order by job_id").fetchall()
    postgres.stop(cluster.cluster)
    lines = [*_TASKS]
    for place, (task,) in enumerate(found):
        lines += [MARK] if place == WARM * size else []
        lines += [f"execute take({task});", f"execute done({task});"]
    return "\n".join([*lines, MARK]) + "\n"


_TASKS = (
    "prepare take(bigint) as select wedsql.take_task($1, 'ana', '{r:Clerk}', false);",
    "prepare done(bigint) as select * from wedsql.complete_task($1, 'ana', '{\"t1\":\"done\"}', null, null);",
)


def _statements(jobs: Jobs, rounds: int, size: int) -> Iterator[str]:
    """Yield the work of all rounds, transition by transition, with marks around the counted part."""
    perform = _hold if size == HELD else _take
    yield from _PREPARED
    for number in range(rounds):
        if number == WARM:
            yield MARK
        for name, value in _RESULTS:
            found = [job for job in jobs if job[0] == name][number * size : (number + 1) * size]
            yield from perform(name, found, value)
    yield MARK


# A result that is refused divides by zero, which ends the measurement.
_PREPARED = tuple(
    template.format(flow=FLOW, held=HELD, batch=BATCH)
    for template in (
        "prepare hold(text[]) as select count(h) from {flow}.hold($1, {held}, 'counted') h;",
        "prepare done(int, bigint, jsonb) as select {flow}.complete_held($1, $2, $3, 'counted');",
        "prepare take(text[], bigint[]) as"
        " select count(t) from wedsql.take('{flow}', $1, {batch}, 'counted', $2) t;",
        "prepare many(int[], bigint[], bigint[], jsonb[]) as"
        " select 1 / bool_and(c.ok)::int from wedsql.complete_many('{flow}', $1, $2, $3, $4, 'counted') c;",
    )
)


def _hold(name: str, jobs: Jobs, value: str) -> Iterator[str]:
    """Yield the statements of step mode."""
    yield f"execute hold('{{{name}}}');"
    yield from (f"execute done({wid}, {job}, '{value}');" for _, wid, job in jobs)


def _take(name: str, jobs: Jobs, value: str) -> Iterator[str]:
    """Yield the statements of batch mode."""
    numbers = ",".join(str(job) for _, _, job in jobs)
    wids = ",".join(str(wid) for _, wid, _ in jobs)
    values = f"array_fill('{value}'::jsonb, array[{len(jobs)}])"
    yield "begin;"
    yield f"execute take('{{{name}}}', '{{{numbers}}}');"
    yield (
        f"execute many('{{{wids}}}', '{{{numbers}}}',"
        f" array_fill(null::bigint, array[{len(jobs)}]), {values});"
    )
    yield "commit;"


def _count(cluster: Cluster, script: str) -> Path:
    """Run the statements in a single-user server under callgrind; return the profile between the marks."""
    source = cluster.home / "statements.sql"
    source.write_text(script)
    source.chmod(0o644)
    out = cluster.cluster.home / "callgrind"
    server = [cluster.bindir / "postgres", "--single", "-D", cluster.cluster.data, "counted"]
    counter = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    marks = ["--dump-before=pg_sleep", "--compress-strings=no"]
    fed = ["sh", "-c", 'statements=$1; shift; exec "$@" < "$statements"', "sh", source]
    done = account.current().run([*fed, *counter, *marks, *server], capture_output=True)
    if "ERROR:" in done.stderr or done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return out.with_name("callgrind.2")


def _report(profile: Path, steps: int) -> str:
    own = _own_costs(profile.read_text(errors="replace"))
    total = sum(own.values())
    rows = [["function of PostgreSQL", "instructions a step", "share"]]
    for name, cost in own.most_common(30):
        rows.append([name, f"{cost / steps:,.0f}", f"{cost / total:.1%}"])
    return f"{table(rows)}\n\n{total / steps:,.0f} instructions a step ({steps} steps)\n"


def _own_costs(profile: str) -> Counter[str]:
    """Return instructions by function, without those of called functions (the line after `calls=`)."""
    costs: Counter[str] = Counter()
    name, called = "", False
    for line in profile.splitlines():
        if line.startswith("fn="):
            name = line[3:]
        elif line.startswith("calls="):
            called = True
        elif line[:1].isdigit():
            if not called:
                costs[name] += int(line.split()[1])
            called = False
    return costs


if __name__ == "__main__":
    sys.exit(main())
