"""The functions generated for figure 2 equal a file, whose diff shows what a change of the generator does.

Rewrite the file with:  WEDSQL_WRITE_SCHEMA=1 python -m pytest flows/tests/test_generated_source.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

GOLDEN = Path(__file__).with_name("generated_fig2.sql")


@pytest.fixture
def flow(connect: Callable[[], Any], flow: str) -> Iterator[str]:
    """Yield a flow whose numbers occur nowhere else in the source, so that they can be replaced."""
    conn = connect()
    conn.execute("select wedsql.drop_flow(%s)", [flow])
    flows = conn.execute("select pg_get_serial_sequence('wedsql.flow', 'id')").fetchone()[0]
    sequences = [flows, "wedsql.tgid_seq", "wedsql.aid_seq"]
    last = [conn.execute(f"select last_value from {name}").fetchone()[0] for name in sequences]
    for number, name in enumerate(sequences, start=1):
        conn.execute("select setval(%s, %s)", [name, 900_000 + 100 * number])
    conn.execute("select wedsql.create_flow(%s)", [flow])
    yield flow
    for name, value in zip(sequences, last, strict=True):
        conn.execute("select setval(%s, %s)", [name, value])


def source(conn: psycopg.Connection[Any], flow: str) -> str:
    """Return every function of the flow, ordered by name, with the flow's name and numbers replaced."""
    functions = conn.execute(
        """select pg_get_functiondef(p.oid) from pg_proc p
            where p.pronamespace = %s::regnamespace
               or p.oid = (select to_regprocedure(format('wed_match.f_%%s(%%I.wed_flow)', f.id, f.name))
                             from wedsql.flow f where f.name = %s)
            order by p.proname, p.oid::regprocedure::text""",
        [flow, flow],
    ).fetchall()
    text = "\n\n".join(definition.strip() + ";" for (definition,) in functions)
    numbers = conn.execute(
        """select f.id::text, '<flow>' from wedsql.flow f where f.name = %(flow)s
           union all select t.tgid::text, '<' || t.trname || '>' from wedsql.trig t
            join wedsql.flow f on f.id = t.flow_id where f.name = %(flow)s""",
        {"flow": flow},
    ).fetchall()
    for number, name in numbers:
        text = re.sub(rf"(?<!\d){number}(?!\d)", name, text)
    return text.replace(flow, "fig2") + "\n"


def test_the_source_is_the_recorded_one(
    connect: Callable[[], Any], flow: str, loaded: Callable[[str], str]
) -> None:
    found = source(connect(), loaded("fig2"))
    assert "9000" not in found and "9001" not in found
    if os.environ.get("WEDSQL_WRITE_SCHEMA"):
        GOLDEN.write_text(found)
    recorded = GOLDEN.read_text().splitlines()
    assert found.splitlines() == recorded, "as intended? WEDSQL_WRITE_SCHEMA=1 rewrites it"
