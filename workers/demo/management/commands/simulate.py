"""`manage.py simulate`: start instances of the demo flows at a steady rate."""

from __future__ import annotations

import logging
import random
import signal
import time
from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.utils import timezone

from flows import api
from flows.errors import DatabaseGone, UnknownFlow, WedError
from workers.demo.random_states import counter, order
from workers.logs import summarize
from workers.process.stop import Stop

log = logging.getLogger("wedsql.simulate")
_LONGEST_PAUSE = 5.0


class Command(BaseCommand):
    requires_system_checks: tuple[str, ...] = ()  # they were run by what starts the demo
    help = "Starts instances of the demo flows at a steady rate until SIGTERM or Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rate", type=float, default=0.5, help="instances per second (default 0.5)")
        parser.add_argument("--for", type=float, dest="seconds", help="seconds after which it ends")
        parser.add_argument("--seed", type=int, default=None, help="the same seed gives the same instances")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rate"] <= 0:
            raise CommandError("--rate must be greater than 0.")
        over = Stop()
        over.on(signal.SIGTERM, signal.SIGINT)
        chance = random.Random(options["seed"])  # noqa: S311  # a simulation, not a secret
        log.info("Starting %g instances per second.", options["rate"])
        started = self._start_steadily(chance, options["rate"], options["seconds"], over)
        log.info("Started %d instances.", started)

    def _start_steadily(self, chance: random.Random, rate: float, seconds: float | None, over: Stop) -> int:
        begun = time.monotonic()
        started = failures = 0
        while not over.is_set() and (seconds is None or time.monotonic() - begun < seconds):
            try:
                start_one(chance, timezone.localdate())
            except UnknownFlow as error:
                raise CommandError(f"{error} Define the demo flows with: manage.py loaddemo") from error
            except (DatabaseGone, OperationalError, WedError) as error:
                log.warning("Not started: %s", summarize(error))
                connection.close()
                failures = min(failures + 1, 6)
            else:
                started, failures = started + 1, 0
            over.wait(chance.expovariate(rate) if not failures else min(_LONGEST_PAUSE, 0.1 * 2**failures))
        return started


def start_one(chance: random.Random, today: date) -> int:
    """Start one instance of a random demo flow and return its number. Raises WedError."""
    name = chance.choices(("orders", "fig2", "counter"), (6, 2, 2))[0]
    states: dict[str, dict[str, Any]] = {
        "orders": order(chance, today),
        "counter": counter(chance),
        "fig2": {},
    }
    return api.instances.start(name, states[name], actor="simulate")
