"""The bench's work for the paper's client: ``python -m bench.work.paper --dsn D --transition T``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from psycopg.conninfo import make_conninfo

from BaseWorker import BaseClass
from bench.work.definition import FLOW, SETS


class Worker(BaseClass):
    """A worker as in figure 3 of the paper: it returns a SET clause."""

    def wed_trans(self, payload: Mapping[str, Any]) -> str:
        """Return the SET clause of this transition."""
        return SETS[self._server.trname]


def main() -> None:
    """Serve one transition until the process is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--transition", choices=sorted(SETS), required=True)
    options = parser.parse_args()
    Worker(options.transition, f"{make_conninfo(options.dsn, user='wed_worker')} flow={FLOW}").run()


if __name__ == "__main__":
    main()
