"""`manage.py loaddemo`: define the demo's three flows."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from flows import api
from flows.errors import UnknownFlow, WedError
from flows.loading import LoadError, load_sql
from workers.demo.loading import FLOWS, LABELS, script


class Command(BaseCommand):
    help = "Defines the demo flows fig2, counter and orders; a flow that exists is left as it is."

    def handle(self, *args: Any, **options: Any) -> None:
        for name in FLOWS:
            if _exists(name):
                self._echo(options, f"{name}: there already")
                continue
            try:
                with transaction.atomic():
                    api.create_flow(name, label=LABELS[name])
                    load_sql(name, script(name), "loaddemo")
            except (LoadError, WedError) as error:
                raise CommandError(f"{name}: {error}") from error
            self._echo(options, f"{name}: defined")

    def _echo(self, options: dict[str, Any], line: str) -> None:
        if options["verbosity"]:
            self.stdout.write(line)


def _exists(name: str) -> bool:
    try:
        with transaction.atomic():
            api.definition(name)
    except UnknownFlow:
        return False
    return True
