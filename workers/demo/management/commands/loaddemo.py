"""`manage.py loaddemo`: define the demo's flows, open cases in its shop, and tasks in its office."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from flows import api
from flows.errors import UnknownFlow, WedError
from flows.loading import LoadError, load_sql
from workers.demo.cases import open_cases
from workers.demo.definitions import FLOWS, LABELS, script
from workers.demo.expenses import open_tasks


class Command(BaseCommand):
    requires_system_checks: tuple[str, ...] = ()  # they were run by what starts the demo
    help = "Defines the demo flows fig2, counter, orders and expenses; one that exists is left as it is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        text = "make orders that are exceptions, open and repaired ones, and expenses that wait for people"
        parser.add_argument("--cases", action="store_true", help=text)

    def handle(self, *args: Any, **options: Any) -> None:
        for name in FLOWS:
            if _exists(name):
                self._echo(options, f"{name}: there already")
                continue
            try:
                with transaction.atomic():
                    api.flows.create(name, label=LABELS[name])
                    load_sql(name, script(name), "loaddemo")
            except (LoadError, WedError) as error:
                raise CommandError(f"{name}: {error}") from error
            self._echo(options, f"{name}: defined")
        if options["cases"]:
            self._echo(options, f"orders: {open_cases()} cases opened")
            self._echo(options, f"expenses: {open_tasks()} tasks opened")

    def _echo(self, options: dict[str, Any], line: str) -> None:
        if options["verbosity"]:
            self.stdout.write(line)


def _exists(name: str) -> bool:
    try:
        with transaction.atomic():
            api.flows.definition(name)
    except UnknownFlow:
        return False
    return True
