"""Definition changes under load: the running flow is published several times per second."""

from __future__ import annotations

import time

from chaos.load import Designer
from chaos.run import Row, Run


def definitions(run: Run, row: Row) -> None:
    """Publish under load: work continues, each trigger fires once, every acknowledged version is kept."""
    with run.system(row, designer=0) as system:
        designer = Designer("hasty", lambda: system.connect("web", name="people"), system.load.record, 0.3)
        designer.start()
        until = time.monotonic() + run.seconds(60)
        while time.monotonic() < until:
            row.injection(system.moves_again, "work beside a publish")
            time.sleep(0.5)
        designer.stop()
        row.injected = row.recovered = len(system.load.record.published)
        row.notes.append(f"{designer.turn} publishes tried, {len(system.load.record.published)} done")
