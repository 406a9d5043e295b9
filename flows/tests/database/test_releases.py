"""A database of each earlier release is upgraded to the current one while workers run.

To add a release, add its dump, which flows/tests/releases/make.py makes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from flows import kernel, tables
from flows.tests.database.test_tables import shape
from flows.tests.releases.make import FLOWS, HERE, read
from flows.tests.test_install import inventory
from testkit import kernel_db
from testkit.cases import some
from testkit.processes import Processes
from testkit.waiting import until

CHECKOUT = Path(__file__).resolve().parents[3]
DUMPS = {path.name.partition(".sql")[0]: path for path in sorted(HERE.glob("*.sql*"))}
# The one whose upgrade has most to do, which is interrupted; and those with devices.
OLDEST = pytest.mark.parametrize("dump", [*DUMPS][:1], indirect=True)
# Each change has a way back in flows/tests/database/test_tables.py, too: a short run has one release.
SOME = pytest.mark.parametrize("dump", some(DUMPS, 2), indirect=True)
OTHERS = pytest.mark.parametrize("dump", some(DUMPS, 2, first=1), indirect=True)
WITH_DEVICES = pytest.mark.parametrize("dump", [*DUMPS][1:], indirect=True)
pytestmark = [pytest.mark.kernel, pytest.mark.slow]
Db = psycopg.Connection[Any]


@pytest.fixture(scope="module", params=DUMPS)
def dump(request: pytest.FixtureRequest, django_db_setup: None) -> str:
    """The dump of a release."""
    return read(DUMPS[request.param])


@pytest.fixture
def released(dump: str) -> Iterator[str]:
    """The URI of a database restored from the release's dump, for its owner."""
    with restored(dump) as uri:
        yield uri


@contextmanager
def restored(dump: str) -> Iterator[str]:
    with kernel_db.empty_database() as uri:
        with psycopg.connect(uri) as connection:
            connection.execute(dump)
            count_as_older(connection)
        yield uri


def count_as_older(connection: Db) -> None:
    """Change what a dump of this very version says of its functions: there is something to upgrade then."""
    (said,) = connection.execute("select obj_description('wedsql'::regnamespace)").fetchone() or ("",)
    other = sql.Literal(str(said).replace(kernel.digest(), kernel.digest()[::-1]))
    connection.execute(sql.SQL("comment on schema wedsql is {}").format(other))


@pytest.fixture(scope="module")
def upgraded(dump: str) -> Iterator[str]:
    """The URI of a database of the release that was upgraded, to be copied."""
    with restored(dump) as uri:
        migrate(uri)
        yield uri


@pytest.fixture
def copied(upgraded: str) -> Iterator[str]:
    """The URI of a copy of the upgraded database."""
    with kernel_db.copy(upgraded) as uri:
        yield uri


@pytest.fixture
def new_db(copied: str) -> Iterator[Db]:
    """A session in such a copy."""
    with psycopg.connect(copied, autocommit=True, prepare_threshold=None) as connection:
        yield connection


@pytest.fixture
def db(released: str) -> Iterator[Db]:
    with psycopg.connect(released, autocommit=True, prepare_threshold=None) as connection:
        yield connection


@pytest.fixture
def workers(released: str, tmp_path: Path) -> Iterator[Processes]:
    started = Processes(make_conninfo(released, user="wed_worker"), tmp_path)
    yield started
    started.end()


def manage(uri: str, *arguments: str) -> subprocess.Popen[str]:
    """Start `manage.py` as the owner of the database, without packages of flows."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_URL")}
    environ = clean | {"DATABASE_URL": uri, "WEDSQL_FLOW_MIGRATIONS": "/nonexistent"}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.Popen(
        command, cwd=CHECKOUT, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def migrate(uri: str, *arguments: str) -> str:
    with manage(uri, "migrate", *arguments) as process:
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    return output


def sound(db: Db) -> bool:
    return bool(db.execute("select bool_and(ok) from wedsql.invariants()").fetchone() == (True,))


@cache
def fresh(read: Any) -> list[str]:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri) as connection:
        found = read(connection)
    return found.splitlines() if isinstance(found, str) else found


def statuses(db: Db) -> dict[int, str]:
    return dict(db.execute("select wid, status::text from wedsql.instance").fetchall())


def test_a_database_of_a_release_becomes_a_fresh_one_while_workers_work(
    released: str, db: Db, workers: Processes
) -> None:
    assert set(statuses(db).values()) == {"R", "E", "F", "C"} and sound(db)
    stuck = [wid for wid, status in statuses(db).items() if status == "E"]
    pools = [workers.manage("wedworker", "--processes", "2") for _ in range(2)]
    migrate(released)
    with psycopg.connect(released) as connection:
        assert inventory(connection).splitlines() == fresh(inventory)
    (later,) = db.execute("select wedsql.start('every')").fetchone() or (0,)
    ready = "select 1 from wedsql.job_pool where trname in ('act_mark', 'act_again')"
    until(lambda: db.execute(ready).fetchone() is None, what=workers.output)
    assert statuses(db)[later] == "F"
    assert [wid for wid, status in statuses(db).items() if status == "E"] == stuck
    assert all(pool.poll() is None for pool in pools), workers.output()
    assert sound(db)


def test_what_a_holder_leased_before_the_upgrade_is_finished_after_it(new_db: Db) -> None:
    db = new_db
    leased = "select wid, id, claim, flow_id from wedsql.job_pool where state = 'L'"
    (wid, job, claim, flow) = db.execute(leased).fetchone() or (0, 0, 0, 0)
    call = "select c.ok from wedsql.flow f cross join lateral wedsql.complete_many(f.name, %s, %s, %s, %s) c"
    changes = psycopg.types.json.Jsonb({"a": "ended"})
    done = db.execute(f"{call} where f.id = %s", [[wid], [job], [claim], [changes], flow]).fetchone()
    assert done == (True,) and statuses(db)[wid] == "F" and sound(db)


@WITH_DEVICES
def test_a_device_goes_on_after_the_upgrade(new_db: Db) -> None:
    """It sends the result that it made before; the second one, which waited for it, follows."""
    db, phone = new_db, ("ana", "phone-of-a-technician")
    held = "select job_id, claim, held_at from wedsql.device_package join wedsql.task using (job_id)"
    (task, claim, at), (second, *_) = sorted(db.execute(held).fetchall())
    assert at is not None
    (package,) = db.execute("select wedsql.read_package(%s, %s, %s)", [*phone, second]).fetchone() or (None,)
    assert package and package["job_id"] == second
    made: dict[str, Any] = {"task": task, "claim": claim, "seq": 1, "values": {"meter": "1"}}
    made |= dict.fromkeys(["made_at", "sent_at"], "2026-05-01T12:00:00Z")
    send = "select wedsql.keep_offline_result(%s, %s, 1, %s)"
    db.execute(send, [*phone, psycopg.types.json.Jsonb(made)])
    while db.execute("select wedsql.continue_offline(id) from wedsql.device").fetchone() != (None,):
        pass
    states = "select array_agg(state::text order by number) from wedsql.device_result"
    assert db.execute(states).fetchone() == (["A", "A"],) and sound(db)


def test_the_flows_of_the_next_dump_are_those_of_this_version() -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri, autocommit=True) as connection:
        for path in FLOWS:
            connection.execute(path.read_text(encoding="utf-8"))
        assert set(statuses(connection).values()) == {"R", "E", "F", "C"} and sound(connection)


# The kernel's objects in a flow's schema, without the flow's name and the numbers of its triggers.
_MADE = """
select replace(x.what, %(flow)s::text, 'FLOW') from (
  select p.oid::regprocedure || ' ' || p.proowner::regrole
    || coalesce(array_to_string(p.proacl, ' '), '') as what
  from pg_proc p where p.pronamespace = %(flow)s::regnamespace
  union all
  select c.relname || ' ' || c.relowner::regrole || coalesce(array_to_string(c.relacl, ' '), '')
    || coalesce(c.reloptions::text, '') || case c.relkind when 'v' then pg_get_viewdef(c.oid) else '' end
  from pg_class c where c.relnamespace = %(flow)s::regnamespace and c.relkind in ('r', 'v')
  union all
  select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = %(flow)s::regnamespace and not t.tgisinternal) x order by 1
"""


def test_the_schema_of_a_flow_is_that_of_a_new_one(new_db: Db) -> None:
    db = new_db
    db.execute("select wedsql.create_flow('newborn')")
    db.execute("select wedsql.publish('newborn', wedsql.definition('every'))")
    numbers = dict(db.execute("select name, id::text from wedsql.flow").fetchall())

    def made(flow: str) -> list[str]:
        rows = db.execute(_MADE, {"flow": flow}).fetchall()
        return [what.replace(f"flow_id = {numbers[flow]})", "flow_id = ID)") for (what,) in rows]

    assert made("every") == made("newborn")
    assert len(made("every")) > 20


@OTHERS
def test_migrate_plan_shows_each_change_of_the_tables(released: str, db: Db) -> None:
    plan = migrate(released, "--plan")
    for name in tables.pending(db.cursor()):
        assert f"flows.{name}" in plan and f"({name})" in plan


def of_the_release(lines: list[str]) -> list[str]:
    """Leave out the table of the changes themselves, which a release may have or not."""
    return [line for line in lines if "wedsql.table_change" not in line]


@SOME
def test_the_tables_of_the_release_come_back(released: str, db: Db, copied: str) -> None:
    before, pending = shape(db), tables.pending(db.cursor())
    last = [name for name in tables.names() if name not in pending][-1]
    with psycopg.connect(copied, autocommit=True, prepare_threshold=None) as new_db:
        now = shape(new_db)
        migrate(copied, "flows", last)
        assert of_the_release(shape(new_db)) == of_the_release(before)
        migrate(copied)
        assert shape(new_db) == now and sound(new_db)


# Stops the upgrade at a command: in the changes of the tables, in the functions, or at the end.
_STOP = """
create function public.stop() returns event_trigger language plpgsql as $$
begin
  perform 1 from pg_catalog.pg_event_trigger_ddl_commands() c where c.object_identity ~ '{where}';
  if found then {then} end if;
end $$;
create event trigger stop on ddl_command_end when tag in ('{tag}') execute function public.stop();
"""
_PLACES = [
    ("ALTER TABLE", "wedsql.worker"),
    ("CREATE FUNCTION", "wedsql.reap[(]"),
    ("CREATE FUNCTION", "every._single"),
]
_LOCK = 1234567890123


@OLDEST
@pytest.mark.parametrize(("tag", "where"), some(_PLACES, 2))
def test_an_upgrade_that_is_killed_leaves_the_old_version_working(
    released: str, db: Db, tag: str, where: str
) -> None:
    before = inventory(db)
    db.execute(_STOP.format(tag=tag, where=where, then=f"perform pg_advisory_xact_lock({_LOCK});"))
    with psycopg.connect(released, autocommit=True) as gate, ExitStack() as stack:
        gate.execute("select pg_advisory_lock(%s)", [_LOCK])
        stack.enter_context(process := manage(released, "migrate"))
        there = "select pid from pg_locks where locktype = 'advisory' and not granted and objid = %s"
        number = _LOCK & 0xFFFFFFFF
        until(lambda: db.execute(there, [number]).fetchone(), what=lambda: str(process.poll()))
        process.kill()
    left = "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    until(lambda: db.execute(left).fetchone() is None)
    db.execute("drop event trigger stop")
    assert inventory(db) == before
    old_version_works(db)
    migrate(released)
    assert inventory(db).splitlines() == fresh(inventory) and sound(db)


@OLDEST
def test_an_upgrade_that_fails_leaves_the_old_version_working(released: str, db: Db) -> None:
    before = inventory(db)
    db.execute(_STOP.format(tag="ALTER TABLE", where="wedsql.worker", then="raise 'disk is full';"))
    with manage(released, "migrate") as process:
        assert "disk is full" in process.communicate(timeout=120)[0] and process.returncode
    assert inventory(db) == before
    old_version_works(db)


def old_version_works(db: Db) -> None:
    """Take and complete a job and start an instance."""
    take = "select t.wid, t.job_id, t.claim from wedsql.take('every', '{act_mark}') t"
    changes = psycopg.types.json.Jsonb({"a": "marked"})
    call = "select ok from wedsql.complete_many('every', %s, %s, %s, %s)"
    with db.transaction():
        wid, job, claim = db.execute(take).fetchone() or (0, 0, 0)
        assert db.execute(call, [[wid], [job], [claim], [changes]]).fetchone() == (True,)
    assert statuses(db)[wid] == "F"
    assert db.execute("select wedsql.start('every', '{\"kind\": \"wait\"}') > 0").fetchone() == (True,)
    assert sound(db)
