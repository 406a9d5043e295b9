"""Proofs for the guards of starts: what starts nothing, and what starts once."""

from __future__ import annotations

import threading

from chaos.guarded import FLOW, Bench, must, refused, until_waiting
from flows import api

NOTHING = {"a": "1", "b": "1"}
LAST_NUMBER = "select last_value from wedsql.wid_seq"


def first_state(b: Bench) -> None:
    """A first state that matches nothing starts nothing, by the function or by the paper's INSERT."""
    with refused("WD101"):
        api.start(FLOW, NOTHING, conn=b.conn)
    with refused("WD101"):
        b.sql("insert into wed_flow (a, b) values ('1', '1')")


def number_of_a_refused_start(b: Bench) -> None:
    """A first state that matches nothing uses no number: numbers come to an end."""
    b.start()  # before the first one, the sequence says the same as after it
    before = b.sql(LAST_NUMBER)
    with refused("WD101"):
        api.start(FLOW, NOTHING, conn=b.conn)
    must(b.sql(LAST_NUMBER) == before, "a number is gone")


def number_of_a_known_key(b: Bench) -> None:
    """A start whose key is known uses no number."""
    wid = b.start(key="k")
    before = b.sql(LAST_NUMBER)
    must(b.start(key="k") == wid and b.sql(LAST_NUMBER) == before, "a number is gone")


def key_once(b: Bench) -> None:
    """Two starts with one key are one start, also when neither sees the other."""
    must(b.start(key="k") == b.start(key="k"), "the key started two instances")
    first, second = b.session(), b.session()
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(api.start(FLOW, {}, key="both", conn=second)))
    with first.transaction():
        wid = api.start(FLOW, {}, key="both", conn=first)
        thread.start()
        until_waiting(b, second)
    thread.join(10)
    must(found == [wid], "the key started two instances")


def little_room(b: Bench) -> None:
    """Nothing is started on a disk that is nearly full; what runs goes on."""
    b.start()
    b.sql("select wedsql.report_disk(4, 100)")
    api.complete(b.lease("tr_a"), {"a": "1"}, conn=b.conn)
    with refused("WD905"):
        b.start()
