"""More readers than the web process can serve: the pages that are answered, the live pages that open."""

from __future__ import annotations

import asyncio

import psycopg

from bench.probes.base import Stage
from bench.probes.site.browser import session_cookie
from bench.probes.site.web import web
from bench.targets import Measure
from bench.work.definition import FLOW
from tests.page_load import Load

_SOCKETS = 50
_INSTANCES = 200
_START = "select count(*) from wedsql.start_many(%s, array_fill('{}'::jsonb, array[%s]), 'bench')"


def measure(stage: Stage) -> list[Measure]:
    """Measure at once, twice and four times the rate at which eight readers in turn are answered."""
    database = "probe"
    with psycopg.connect(stage.database(database), autocommit=True) as conn:
        conn.execute(_START, [FLOW, _INSTANCES])
    session = session_cookie(stage, database).partition("=")[2]
    paths = ["/", f"/flows/{FLOW}/", "/instances/", f"/flows/{FLOW}/jobs/", "/exceptions/"]
    found: list[Measure] = []
    # All readers have one address.
    with web(stage, database, WEDSQL_CONNECTIONS_PER_ADDRESS="0") as server:
        rate = asyncio.run(_rate(Load(server.port, session, paths)))
        for times in (1, 2, 4):
            load = Load(server.port, session, paths)
            opened = asyncio.run(_overload(load, times * rate, 5 if stage.quick else 10))
            found += _measures(times, load, opened, f"{times * rate:.1f} pages/s asked for")
    return found


async def _rate(load: Load) -> float:
    async with load.readers(8):
        await load.answered(20)
        begun = asyncio.get_running_loop().time()
        await load.answered(100)
        return 80 / (asyncio.get_running_loop().time() - begun)


async def _overload(load: Load, rate: float, seconds: int) -> int:
    """Ask for pages at this rate; after two thirds of the time open live pages; return how many opened."""
    pages = asyncio.create_task(load.at_rate(rate, seconds))
    await asyncio.sleep(seconds * 2 / 3)
    opened = await load.open_sockets(_SOCKETS)
    await pages
    return opened


def _measures(times: int, load: Load, opened: int, detail: str) -> list[Measure]:
    share = 100 * load.answers[200] / load.answers.total()
    name = f"at {times} times the load that is carried"
    return [
        Measure(f"overload-{times}-pages", f"pages answered {name}", share, "%", detail),
        Measure(
            f"overload-{times}-sockets", f"live pages opened {name}", 100 * opened / _SOCKETS, "%", detail
        ),
    ]
