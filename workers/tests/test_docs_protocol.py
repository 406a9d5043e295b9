"""The statements of docs/protocol.md for the paper's clients, run unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
PAPER = PAGE.split("## The paper's protocol, unchanged")[1].split("\n## ")[0]
LOOK, TAKE, WRITE = re.findall(r" +```sql\n(.*?) +```", PAPER, re.DOTALL)
FLOW = """
insert into wed_attr (aname, adv) values ('payment', null);
insert into wed_trig (tgname, trname, cpred, timeout, max_attempts, backoff)
values ('c', 'tr_charge', $$ payment is null $$, '1 minute', 2, '1 hour');
insert into wed_trig (cpred, cfinal) values ($$ payment is not null $$, true);
"""
Db = psycopg.Connection[Any]


@pytest.fixture
def client(loaded: Callable[[str], str], connect: Callable[..., Db]) -> Db:
    """A client as in the paper, on a flow with the page's transition."""
    name = loaded(FLOW)
    session = connect()
    session.execute("select set_config('search_path', %s, false)", [name])
    return session


def name_of(client: Db) -> str:
    return str(client.execute("select current_schema()").fetchone()[0])  # type: ignore[index]


def run(client: Db, text: str, **values: int) -> list[Any]:
    """Return the result of each statement of a block; `:name` stands for a value, as in psql."""
    answers = []
    for statement in re.sub(r":(\w+)", lambda found: str(values[found[1]]), text).split(";"):
        if statement.strip():
            cursor = client.execute(statement)
            answers.append(cursor.fetchall() if cursor.description else None)
    return answers


def test_the_steps_of_the_page_finish_a_job(client: Db) -> None:
    wid = api.instances.start(name_of(client), {}, conn=client)
    (((found, tgid, payload),),) = run(client, LOOK)
    assert (found, payload) == (wid, {"payment": None})
    assert run(client, TAKE, wid=wid, tgid=tgid) == [None, [(True,)], [({"payment": None},)]]
    run(client, WRITE, wid=wid)
    assert client.execute("select status from st_status where wid = %s", [wid]).fetchone() == ("F",)
    assert run(client, LOOK) == [[]]


@pytest.mark.parametrize("state", ["waiting", "parked", "leased"])
def test_a_client_sees_only_what_it_may_take(client: Db, connect: Callable[..., Db], state: str) -> None:
    flow = name_of(client)
    wid = api.instances.start(flow, {}, conn=client)
    ((_wid, tgid, _payload),) = run(client, LOOK)[0]
    if state == "leased":
        api.jobs.lease_many(flow, ["tr_charge"], 1, "another", conn=client)
    for _ in range({"leased": 0, "waiting": 1, "parked": 2}[state]):
        job = client.execute("select id from job_pool where wid = %s and tgid > 0", [wid]).fetchone()
        client.execute("begin")
        client.execute("select pg_try_advisory_xact_lock(%s, %s)", [wid, tgid])
        client.execute(
            "select * from wedsql.fail_many(%s, array[%s]::int[], array[%s]::bigint[], array[null]::bigint[],"
            " array['no'], array[''])",
            [flow, wid, job[0]],  # type: ignore[index]
        )
        client.execute("commit")
    assert run(client, LOOK) == [[]]
    assert run(client, TAKE, wid=wid, tgid=tgid) == [None, [(True,)], []]
    if state != "waiting":
        expected_text = {"parked": "is parked", "leased": "leased by another"}[state]
        with pytest.raises(psycopg.Error, match=expected_text) as refused:
            run(client, WRITE, wid=wid)
        assert refused.value.sqlstate == "WD203"
    client.execute("rollback")
