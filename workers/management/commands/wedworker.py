"""`manage.py wedworker`: performs transitions in a pool of processes of its own."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from workers.connect import journal_dir
from workers.pool import Pool
from workers.process import WorkerProcess
from workers.registry import autodiscover

BATCH = 100


class Command(BaseCommand):
    help = "Performs the transitions that the installed apps register, until SIGTERM or Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--flow", action="append", default=[], help="serve this flow only (repeatable)")
        parser.add_argument("--processes", type=int, default=1, help="worker processes (default 1)")
        parser.add_argument(
            "--mode", choices=["step", "batch"], default="step", help="a commit for each job, or for several"
        )
        parser.add_argument(
            "--batch", type=int, default=BATCH, help=f"jobs a commit in batch mode (default {BATCH})"
        )
        parser.add_argument("--once", action="store_true", help="end when no work is ready")
        parser.add_argument(
            "--grace", type=float, default=30.0, help="seconds a running handler gets at the end (default 30)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["processes"] < 1 or options["batch"] < 1:
            raise CommandError("--processes and --batch are at least 1.")
        registry = autodiscover()
        if not len(registry):
            raise CommandError(
                "No transition is registered: write @transition functions in an app's transitions.py."
            )
        connections.close_all()  # forked processes must not share one
        size = options["batch"] if options["mode"] == "batch" else 1
        worker = WorkerProcess(registry, tuple(options["flow"]), size, options["once"])
        Pool(worker, options["processes"], journal_dir(), options["grace"], options["once"]).run()
