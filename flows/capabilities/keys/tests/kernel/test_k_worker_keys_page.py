"""The example of docs/worker-keys.md, run as written, by the role of the flow where it is a worker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from flows import api
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel
PAGE = Path(__file__).resolve().parents[5] / "docs" / "worker-keys.md"
BLOCKS = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def orders(connect: Callable[..., Connection]) -> Iterator[Kit]:
    """The flow of the page with its role and two orders."""
    admin = connect()
    api.flows.create("orders", conn=admin)
    kit = Kit("orders", connect)
    kit.attr("payment", "open")
    for transition in ("tr_charge", "tr_pack"):
        kit.trig(transition, "payment = 'open'")
    kit.policy(worker_keys=True)
    kit.one("select wedsql.open_flow_role('orders')")
    api.workers.create_key("billing", {"orders": []}, "ann", conn=admin)
    kit.start()
    kit.start()
    yield kit
    kit.one("select wedsql.close_flow_role('orders')")
    api.flows.drop("orders", force=True, conn=admin)


def perform(session: Connection, block: str, secret: str) -> Any:
    """Run the statements of a block, those with the code of an error as rejected; return the last value."""
    value = None
    for statement, code in re.findall(r"(select[^;]*|begin|commit);(?:[^\n]*?-- (WD\d+))?[^\n]*\n", block):
        if code:
            with refused(code):
                session.execute(statement.replace("wedkey_...", secret))
            continue
        cursor = session.execute(statement.replace("wedkey_...", secret))
        value = (cursor.fetchone() or (None,))[0] if cursor.description else value
    return value


def test_the_page(orders: Kit, dsn: str) -> None:
    create, work, wrong, rotate, revoke, pooled = BLOCKS
    secret = perform(orders.conn, create, "")
    own = make_conninfo(dsn, user="orders", options="")
    with closing(psycopg.connect(own, autocommit=True)) as session:
        assert perform(session, work, secret) is not None
        leased = orders.one("select lckid from wedsql.job_pool where state = 'L'")
        assert leased == "packing/ship-1"
        perform(session, wrong, secret)
        assert secret != perform(orders.conn, rotate, "")
        assert perform(session, pooled, secret) is not None
        assert perform(orders.conn, revoke, "") == 1
        with refused("WD571"):
            perform(session, work, secret)
