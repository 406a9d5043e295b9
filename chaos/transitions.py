"""The handlers of the harness's workers: each adds a line to the ledger, then returns a result.

The ledger is an append-only file outside the database: one line per call, synced before the handler returns.
Compared with the history it shows which work was done twice, and which was applied twice.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from chaos.rng import rng
from workers import Changes, Context, transition

State = Mapping[str, Any]
FLOW = "chaos"
POISON = "poison"
SIDE = "side"
TIMED = "timed"
OFFICE = "office"
HANG = 3.0
TEN_MEGABYTES = 10_000_000


def note(ctx: Context) -> None:
    """Append a line, synced to disk: this job's handler has run."""
    line = f"{ctx.job_id},{ctx.wid},{ctx.transition},{os.getpid()}\n".encode()
    handle = os.open(os.environ["CHAOS_LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line)
        os.fsync(handle)
    finally:
        os.close(handle)


def _pace(ctx: Context, most: float = 0.03) -> None:
    time.sleep(rng("pace", ctx.job_id, ctx.attempt).uniform(0, most))


@transition("tr_left", flow=FLOW)
def left(state: State, ctx: Context) -> Changes:
    note(ctx)
    _pace(ctx)
    return {"left_done": "1"}


@transition("tr_right", flow=FLOW)
def right(state: State, ctx: Context) -> Changes:
    note(ctx)
    _pace(ctx)
    return "right_done = '1'"


@transition("tr_turn", flow=FLOW)
def turn(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"turn": int(state["turn"]) + 1}


@transition("tr_slow", flow=FLOW, batch=1)
def slow(state: State, ctx: Context) -> Changes:
    """Exceed the timeout in one of twelve jobs, at the first attempt."""
    note(ctx)
    if ctx.attempt == 1 and rng("slow", ctx.job_id).random() < 1 / 12:
        time.sleep(HANG)
    return {"slow": "1"}


@transition("tr_lease", flow=FLOW, mode="lease")
def leased(state: State, ctx: Context) -> Changes:
    note(ctx)
    _pace(ctx, 0.1)
    return {"leased": "1"}


@transition("tr_note", flow=OFFICE)
def noted(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"noted": "1"}


@transition("tr_bill", flow=OFFICE)
def billed(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"billed": "1"}


@transition("tr_hoard", flow=SIDE, mode="lease")
def hoarded(state: State, ctx: Context) -> Changes:
    return {"hoard": "1"}


@transition("tr_later", flow=TIMED)
def later(state: State, ctx: Context) -> Changes:
    return {"later": "1"}


@transition("tr_much_later", flow=TIMED)
def much_later(state: State, ctx: Context) -> Changes:
    return {"much_later": "1"}


@transition("tr_then", flow=TIMED)
def moment(state: State, ctx: Context) -> Changes:
    return {"at_due": "1"}


@transition("tr_abort", flow=POISON, batch=1)
def dies(state: State, ctx: Context) -> Changes:
    """Abort the whole process."""
    os.abort()


@transition("tr_huge", flow=POISON)
def huge(state: State, ctx: Context) -> Changes:
    return {"text": "x" * TEN_MEGABYTES}


@transition("tr_nonsense", flow=POISON)
def nonsense(state: State, ctx: Context) -> Changes:
    return {"text": object(), "no_such_attribute": 1}


@transition("tr_never", flow=POISON, batch=1)
def never(state: State, ctx: Context) -> Changes:
    """Never return."""
    while True:
        time.sleep(3600)
