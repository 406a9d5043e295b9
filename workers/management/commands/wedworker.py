"""`manage.py wedworker`: perform transitions in a pool of worker processes."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from workers.checks import CLUSTER
from workers.discovery import autodiscover, log_problems
from workers.jobs.handler_calls import HELD
from workers.process.pool import Pool
from workers.process.worker import WorkerProcess
from workers.recovery.journal import journal_dir

BATCH = 200


class Command(BaseCommand):
    requires_system_checks = (CLUSTER,)  # those of pages import all pages
    help = "Performs the transitions that the installed apps register, until SIGTERM or Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--flow", action="append", default=[], help="serve this flow only (repeatable)")
        parser.add_argument("--processes", type=int, default=1, help="worker processes (default 1)")
        parser.add_argument(
            "--mode",
            choices=["auto", "step", "batch"],
            default="auto",
            help="one commit per job, one per several jobs, or several while many wait (default auto)",
        )
        parser.add_argument(
            "--batch",
            type=int,
            default=BATCH,
            help=f"most jobs per commit, except in step mode (default {BATCH})",
        )
        parser.add_argument(
            "--hold",
            type=int,
            default=HELD,
            help=f"quick jobs a process has in hand at a time, except in batch mode (default {HELD})",
        )
        parser.add_argument("--once", action="store_true", help="end when no work is ready")
        parser.add_argument(
            "--grace",
            type=float,
            default=float(settings.STOP_GRACE),
            help="seconds a running handler gets at the end (default: WEDSQL_STOP_GRACE, 30)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if min(options["processes"], options["batch"], options["hold"]) < 1:
            raise CommandError("--processes, --batch and --hold are at least 1.")
        registry = autodiscover()
        log_problems()
        if not len(registry):
            raise CommandError(
                "No transition is registered: write @transition functions in an app's transitions.py."
            )
        connections.close_all()  # forked processes must not share connections
        mode = options["mode"]
        size = 1 if mode == "step" else options["batch"]
        flows = tuple(options["flow"])
        worker = WorkerProcess(registry, flows, size, options["once"], options["hold"], mode == "auto")
        Pool(worker, options["processes"], journal_dir(), options["grace"], options["once"]).run()
