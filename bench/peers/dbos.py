"""DBOS's worker: one workflow of three steps, as many at once as there are threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from dbos import DBOS, DBOSConfig

from bench.peers.gate import arguments, wait_for_go

APPLICATION = "bench"
VERSION = "bench"


def configure(dsn: str, pool: int) -> DBOSConfig:
    """Return the configuration shared by the preparing and the working processes."""
    return DBOSConfig(
        name=APPLICATION,
        system_database_url=dsn,
        application_version=VERSION,
        sys_db_pool_size=pool,
        log_level="ERROR",
    )


@DBOS.step()
def tr_a2() -> str:
    """Run the first parallel step."""
    return "done"


@DBOS.step()
def tr_a3() -> str:
    """Run the second parallel step."""
    return "done"


@DBOS.step()
def tr_final() -> str:
    """Run the last step."""
    return "final"


@DBOS.workflow()
def advance(number: int) -> dict[str, str]:
    """Run the three steps; each result is committed before the next begins."""
    state = {"a1": "ready", "a2": tr_a2(), "a3": tr_a3()}
    state["a1"] = tr_final()
    return state


def main() -> None:
    """Run all workflows; the race ends the process."""
    options = arguments()
    DBOS(config=configure(options.dsn, options.concurrency + 4))
    DBOS.launch()
    wait_for_go()
    with ThreadPoolExecutor(options.concurrency) as pool:
        list(pool.map(advance, range(int(os.environ["BENCH_INSTANCES"]))))
    DBOS.destroy()


if __name__ == "__main__":
    main()
