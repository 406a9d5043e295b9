"""The tour of the README, command by command."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import flow_apps
from testkit.web import environ_for
from workers.demo.definitions import script

CHECKOUT = Path(__file__).resolve().parents[2]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the tour's blocks of one language, without their indentation."""
    found = re.findall(rf"\n   ```{language}\n(.*?)\n   ```", README, re.DOTALL)
    return [re.sub(r"(?m)^   ", "", block) for block in found]


@pytest.fixture
def typed(dsn: str, connect: Any, tmp_path: Path) -> Iterator[Any]:
    """`typed(command, stdin)`: the output of a command of the README in a separate installation."""
    environ = environ_for(dsn) | {flow_apps.VARIABLE: str(tmp_path / "flow_migrations")}
    session: psycopg.Connection[Any] = connect()
    drop = "select wedsql.drop_flow(name, true) from wedsql.flow where name in ('counter', 'trip')"
    session.execute(drop)  # other tests load the demo into the same database
    session.execute("select wedsql.create_flow('counter')")
    session.execute("set search_path = counter, wedsql")
    session.execute(script("counter"))

    def run(command: str, stdin: str = "") -> str:
        assert command.startswith("python manage.py ")
        arguments = [sys.executable, *command.split()[1:]]
        done = subprocess.run(
            arguments, cwd=CHECKOUT, env=environ, input=stdin, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "ERROR" not in done.stderr, done.stderr
        return done.stdout

    run.environ = environ  # type: ignore[attr-defined]
    yield run
    session.execute(drop)
    session.execute("delete from django_migrations where app = 'flow_trip'")


def until_booked(session: psycopg.Connection[Any]) -> None:
    deadline = time.monotonic() + 90
    while session.execute("select a2 from trip.wed_flow").fetchone() != ("booked",):
        assert time.monotonic() < deadline, "no worker performed the handler of the tour"
        time.sleep(0.1)


def test_the_tour_does_what_it_says(typed: Any, connect: Any, tmp_path: Path) -> None:
    start, design = blocks("sh")
    assert "running, fired tr_count" in typed(start)

    (sql,) = blocks("sql")
    assert "`python manage.py wedsql psql`" in README
    answer = typed("python manage.py wedsql psql", sql)
    assert "tr_a2" in answer and "tr_a3" in answer and '"a1": "ready"' in answer

    assert "transitions.py" in typed(design)
    file = tmp_path / "flow_migrations/trip/transitions.py"
    stubs = file.read_text()
    assert re.findall(r"^# @transition\(\"(\w+)\"", stubs, re.MULTILINE) == ["tr_a2", "tr_a3", "tr_final"]
    (handler,) = blocks("python")
    written = stubs.replace("# @transition", "@transition", 1).replace("{}", '{"a2": "booked"}', 1)
    assert handler in written
    file.write_text(written)

    worker = subprocess.Popen(
        [sys.executable, "manage.py", "wedworker"], cwd=CHECKOUT, env=typed.environ,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until_booked(connect())
    finally:
        worker.terminate()
        worker.wait()
    left = connect().execute("select trname, attempts from job_pool where state = 'P'").fetchall()
    assert ("tr_a3", 0) in left  # a job without a handler waits, and does not fail


def test_a_file_that_is_there_is_not_touched(typed: Any, tmp_path: Path) -> None:
    typed("python manage.py wedsql psql", blocks("sql")[0])
    typed("python manage.py flow makemigrations trip")
    file = tmp_path / "flow_migrations/trip/transitions.py"
    mine = 'from workers import transition\n\n\n@transition("tr_a2")\ndef f(state, ctx):\n    return {}\n'
    file.write_text(mine)
    assert "does not mention: tr_a3, tr_final" in typed("python manage.py flow makemigrations trip")
    assert file.read_text() == mine


def test_stubs_of_odd_names_are_python(tmp_path: Path) -> None:
    from flows.operations import stubs

    transitions = {"import": ['a > 0\nand b = $$"""$$ -- \\'], "tr x": ["x"], "tr_ok": ["a" * 300, "b"]}
    written = stubs.text("odd", transitions)
    names: dict[str, Any] = {}
    exec(compile(written, "transitions.py", "exec"), names)  # noqa: S102 - the subject of the test
    assert {"transition_1", "transition_2", "tr_ok"} <= names.keys()
