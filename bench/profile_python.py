"""Run one worker process under cProfile until no work is left; print its functions by their own time."""

from __future__ import annotations

import cProfile
import pstats
import sys

import django


def main() -> None:
    """Serve once, with as many jobs per commit as the first argument says."""
    django.setup()
    from workers.discovery import autodiscover
    from workers.process.worker import WorkerProcess

    worker = WorkerProcess(autodiscover(), size=int(sys.argv[1]), once=True)
    profiler = cProfile.Profile()
    profiler.runcall(worker, 1)
    stats = pstats.Stats(profiler, stream=sys.stdout)
    stats.strip_dirs().sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
