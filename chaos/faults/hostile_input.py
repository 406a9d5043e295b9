"""Ten thousand hostile inputs: through the API, SQL, the pages, the designer's form, the live line."""

from __future__ import annotations

import time
from collections import Counter

from chaos.dashboard import Browser
from chaos.dice import dice
from chaos.doors import FLOW, Doors
from chaos.run import Row, Run
from chaos.world import World
from flows import api

SHARES = {"start": 2500, "complete": 1500, "publish": 1200, "predicate": 2000, "sql": 1500, "pages": 900,
          "admin": 300, "live": 100}  # fmt: skip


def inputs(run: Run, row: Row) -> None:
    """Nothing answers with a failure of its own, and nothing is half written."""
    with run.world(row, rate=2.0, designer=0) as world:
        browser = Browser(world.port)
        browser.log_in()
        with world.connect("web") as conn:
            doors = Doors(conn, browser, dice("hostile"))
            doors.open()
            for door, share in SHARES.items():
                begun = time.monotonic()
                for _ in range(run.number(share, least=5)):
                    doors.attack(door)
                    row.injected += 1
                row.notes.append(f"{door}: {_summary(doors, door)}, {time.monotonic() - begun:.0f} s")
            doors.restore()
            row.recovery.append(world.moves_again())
            row.recovered = row.injected - len(doors.wrong)
            _whole(world, row, doors)
    for sentence in doors.wrong:
        row.fail(sentence)


def _summary(doors: Doors, door: str) -> str:
    found = [
        (name.split(" ", 1)[1], n) for name, n in doors.answers.most_common() if name.startswith(f"{door} ")
    ]
    return ", ".join(f"{name} {n}" for name, n in found[:6])


def _whole(world: World, row: Row, doors: Doors) -> None:
    """Columns are what the definition says, an instance is there for each accepted start and no other."""
    columns = {name for (name,) in world.rows(
        "select column_name from information_schema.columns"
        " where table_schema = 'doors' and table_name = 'wed_flow'"
    )}  # fmt: skip
    named = {a["name"] for a in api.definition(FLOW, conn=doors.conn)["attributes"]} | {"wid"}
    if columns != named:
        row.fail(f"columns {columns ^ named} and definition disagree")
    if world.one("select count(*) from wedsql.trig where canonical is null"):
        row.fail("a trigger has no checked predicate")
    there = world.one(
        "select count(*) from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where f.name = 'doors'"
    )
    if there != doors.accepted:
        row.fail(f"{there} instances of {doors.accepted} accepted starts")
    if not api.start(FLOW, {}, conn=doors.conn):
        row.fail("the flow does not start any more")
    failures = _failures((world.state / "web.log").read_text(errors="replace"))
    for sentence, times in failures.items():
        row.fail(f"the web process failed {times} times: {sentence}")


def _failures(log: str) -> Counter[str]:
    """What the tracebacks in a log end with: the line that is not indented any more."""
    found: Counter[str] = Counter()
    for trace in log.split("Traceback (most recent call last):\n")[1:]:
        found[next((line for line in trace.splitlines() if not line.startswith(" ")), "")[:200]] += 1
    return found
