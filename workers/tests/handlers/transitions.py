"""Normal, slow, hanging and fatal handlers; each first records its call in a file."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


def note(ctx: Context) -> None:
    """Append a line to a file shared by several processes: job, instance, transition, process."""
    line = f"{ctx.job_id} {ctx.wid} {ctx.transition} {os.getpid()}\n"
    handle = os.open(os.environ["WEDSQL_TEST_LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


@transition("act_mark")
def mark(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"a": "marked"}


@transition("act_log")
def log_and_fail(state: State, ctx: Context) -> Changes:
    """Log a line and fail with a value of the state."""
    ctx.logger.info("about to fail")
    raise ValueError(f"cannot read {state['kind']}")


@transition("act_again")
def again(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"n": int(state["n"]) + 1}


@transition("act_slow", batch=1)
def slow(state: State, ctx: Context) -> Changes:
    """Wait for a file, so that a test decides when the handler ends."""
    note(ctx)
    go = f"{os.environ['WEDSQL_TEST_LEDGER']}.go"
    while not os.path.exists(go):
        time.sleep(0.02)
    return {"a": "slow"}


class TimeoutException(Exception):
    """An exception of a handler's library with the same name as Django-Q's."""


@transition("act_driver", batch=1)
def drive(state: State, ctx: Context) -> Changes:
    note(ctx)
    raise TimeoutException("the page did not load")


@transition("act_poison", batch=1)
def poison(state: State, ctx: Context) -> Changes:
    note(ctx)
    os.abort()


@transition("act_kill", batch=1)
def kill(state: State, ctx: Context) -> Changes:
    note(ctx)
    os.kill(os.getpid(), signal.SIGKILL)
    return None


@transition("act_hang", batch=1)
def hang(state: State, ctx: Context) -> Changes:
    """Hang in a loop that ignores SIGALRM and SIGTERM."""
    note(ctx)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


@transition("act_exit", batch=1)
def leave(state: State, ctx: Context) -> Changes:
    note(ctx)
    os._exit(0)


@transition("act_close", batch=1)
def close(state: State, ctx: Context) -> Changes:
    """Close all descriptors, as a daemon does."""
    note(ctx)
    os.closerange(3, 1024)
    return {"a": "closed"}


@transition("act_stop", batch=1)
def stop(state: State, ctx: Context) -> Changes:
    """Stop the process itself: only SIGKILL and SIGCONT have an effect."""
    note(ctx)
    os.kill(os.getpid(), signal.SIGSTOP)
    return {"a": "stopped"}


@transition("act_swallow", batch=1)
def swallow(state: State, ctx: Context) -> Changes:
    """Swallow the timeout again and again."""
    note(ctx)
    while True:
        try:
            time.sleep(60)
        except BaseException:  # noqa: BLE001, S110  # as careless handlers do
            pass


@transition("gerar_ordem_pagamento")
def bill(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"ordem_pagamento": {"name": f"bill of {state['ordem_servico']['name']}"}}


@transition("armazenar_debito_cliente")
def book(state: State, ctx: Context) -> Changes:
    note(ctx)
    return {"debitos_clientes": state["ordem_pagamento"]}
