"""Ten thousand hostile inputs: to the API, SQL, the pages, the designer's form, the live connection."""

from __future__ import annotations

import time
from collections import Counter

import psycopg
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from chaos import hostile
from chaos.interfaces import FLOW, InterfaceAttacks
from chaos.interfaces.catalog import changes, fingerprint
from chaos.interfaces.psql import open_role
from chaos.prepare import NAME, PASSWORD
from chaos.run import Row, Run
from chaos.system import System
from flows import api
from testkit.browser import Browser

SHARES = {"start": 2000, "complete": 1400, "publish": 1200, "predicate": 1600, "calls": 1200, "sql": 1300,
          "pages": 700, "posts": 200, "admin": 300, "live": 100}  # fmt: skip
_HALF = """
    with f as (select id from wedsql.flow where name = 'attacked')
    select count(*) from attacked.wed_flow w
    full join (select wid from wedsql.instance where flow_id = (select id from f)) i using (wid)
    full join (select wid from wedsql.wed_trace where flow_id = (select id from f) and seq = 1) t using (wid)
    where w.wid is null or i.wid is null or t.wid is null
"""
_FLOWS = "select name from wedsql.flow"


def inputs(run: Run, row: Row) -> None:
    """Send hostile input: no internal error is returned, nothing is half written, no catalog changes."""
    with run.system(row, rate=2.0, designer=0) as system:
        browser = Browser(system.port)
        browser.log_in(NAME, PASSWORD)
        with system.connect("web") as conn, system.connect() as admin:
            conn.execute("select wedsql.create_flow(%s)", (FLOW,))
            open_role(admin)
            with psycopg.connect(system.server.cluster.dsn(user=FLOW), autocommit=True) as psql:
                attacks = InterfaceAttacks(conn, psql, browser)
                attacks.target.open()
                before, flows = fingerprint(admin), {name for (name,) in conn.execute(_FLOWS)}
                _attack(run, row, attacks)
            _restore(attacks, flows)
            row.recovery.append(system.moves_again())
            for change in changes(before, fingerprint(admin)):
                row.fail(f"a catalog was changed: {change}")
            _check_consistency(system, row, attacks)
        row.recovered = row.injected - attacks.findings
    for sentence in attacks.wrong:
        row.fail(sentence)


def _attack(run: Run, row: Row, attacks: InterfaceAttacks) -> None:
    for interface, share in SHARES.items():
        begun = time.monotonic()
        _send(run, row, attacks, interface, run.number(share, least=5))
        row.notes.append(f"{interface}: {_summary(attacks, interface)}, {time.monotonic() - begun:.0f} s")


def _send(run: Run, row: Row, attacks: InterfaceAttacks, interface: str, number: int) -> None:
    """Send inputs that Hypothesis generates from the run's seed."""

    @seed(run.seed)
    @settings(max_examples=number, phases=[Phase.generate], database=None, deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.data())
    def send(data: st.DataObject) -> None:
        attacks.attack(interface, data.draw)
        row.injected += 1

    send()


def _restore(attacks: InterfaceAttacks, flows: set[str]) -> None:
    """Restore the definition, and drop flows that were created because a text was a valid name."""
    attacks.target.restore()
    for (name,) in attacks.target.conn.execute(_FLOWS).fetchall():
        if name not in flows:
            api.flows.drop(str(name), force=True, conn=attacks.target.conn)


def _summary(attacks: InterfaceAttacks, interface: str) -> str:
    found = [
        (name.split(" ", 1)[1], n)
        for name, n in attacks.answers.most_common()
        if name.startswith(f"{interface} ")
    ]
    return ", ".join(f"{name} {n}" for name, n in found)


def _check_consistency(system: System, row: Row, attacks: InterfaceAttacks) -> None:
    """Check that the columns match the definition, and that each accepted start has exactly one instance."""
    columns = {name for (name,) in system.rows(
        "select column_name from information_schema.columns"
        " where table_schema = 'attacked' and table_name = 'wed_flow'"
    )}  # fmt: skip
    named = {a["name"] for a in api.flows.definition(FLOW, conn=attacks.target.conn)["attributes"]} | {"wid"}
    if columns != named:
        row.fail(f"columns {columns ^ named} and definition disagree")
    if system.one("select count(*) from wedsql.trig where canonical is null"):
        row.fail("a trigger has no checked predicate")
    half = system.one(_HALF)
    if half:
        row.fail(f"{half} instances are half written")
    there = system.one("select count(*) from attacked.wed_flow")
    if there != attacks.target.accepted:
        row.fail(f"{there} instances of {attacks.target.accepted} accepted starts")
    if not api.instances.start(FLOW, {}, conn=attacks.target.conn):
        row.fail("the flow does not start any more")
    for log in sorted(system.state.glob("*.log")):
        _read(row, log.name, log.read_text(errors="replace"))


def _read(row: Row, name: str, log: str) -> None:
    """Check that the log has no traceback and no value of a state."""
    for sentence, times in _failures(log).items():
        row.fail(f"{name}: failed {times} times: {sentence}")
    if hostile.CANARY in log:
        row.fail(f"{name} has a value of a state")


def _failures(log: str) -> Counter[str]:
    """Return the last lines of the tracebacks in a log: the first line that is not indented."""
    found: Counter[str] = Counter()
    for trace in log.split("Traceback (most recent call last):\n")[1:]:
        found[next((line for line in trace.splitlines() if not line.startswith(" ")), "")[:200]] += 1
    return found
