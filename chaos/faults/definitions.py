"""Definition changes under load: the running flow is published several times per second."""

from __future__ import annotations

import time

from chaos.load import Designer
from chaos.run import Row, Run


def definitions(run: Run, row: Row) -> None:
    """Publish under load: work continues, each trigger fires once, every acknowledged version is kept."""
    with run.world(row, designer=0) as world:
        designer = Designer("hasty", lambda: world.connect("web", name="people"), world.load.record, 0.3)
        designer.start()
        until = time.monotonic() + run.seconds(60)
        while time.monotonic() < until:
            row.injection(world.moves_again, "work beside a publish")
            time.sleep(0.5)
        designer.stop()
        row.injected = row.recovered = len(world.load.record.published)
        row.notes.append(f"{designer.turn} publishes tried, {len(world.load.record.published)} done")
