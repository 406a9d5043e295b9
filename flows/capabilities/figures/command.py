"""manage.py flow export log NAME: writes the histories of a flow for process mining, as XES or OCEL 2.0."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.capabilities.figures.histories import MOST_CASES, Children, Wanted, count
from flows.capabilities.figures.logs import FORMATS
from flows.management.base import FlowCommand, Rejected, Usage, get_flow
from flows.management.files import write_pieces
from flows.management.values import moment, past
from flows.queries.base import now

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


class Command(FlowCommand):
    help = "Writes what the instances of a flow did, for process mining: XES (IEEE 1849-2023) or OCEL 2.0."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", metavar="NAME", help="name of the flow")
        parser.add_argument("--format", choices=[*FORMATS], default="xes", help="default: xes")
        for name, what, of in (("since", "from", past), ("until", "before", moment)):
            help_ = f"instances that started {what} this time (UTC)"
            parser.add_argument(f"--{name}", type=of, metavar="TIME", help=help_)
        parser.add_argument(
            "--final", action="store_true", help="those that became final then, as the analysis has them"
        )
        parser.add_argument("--output", type=Path, metavar="FILE", help="write to a file instead")

    def run(self, **options: Any) -> None:
        flow, at = get_flow(options["flow"]), now()
        since, until = options["since"] or _FIRST, options["until"] or at
        if until.replace(tzinfo=until.tzinfo or UTC) <= since:
            raise Usage("--until has to be after --since, and after 1970.")
        times = [each if each.tzinfo else each.replace(tzinfo=UTC) for each in (since, until)]
        wanted = Wanted(flow.pk, times[0], min(times[1], at), options["final"])
        number = count(wanted)
        if number > MOST_CASES:
            raise Rejected(
                f"More than {MOST_CASES:,} instances: choose a shorter time with --since, --until."
            )
        _kind, write = FORMATS[options["format"]]
        pieces = write(flow.name, wanted, at, Children())
        if options["output"] is None:
            if options["json"]:
                raise Usage("--json is read with --output only: the log is the output otherwise.")
            for piece in pieces:
                self.stdout.write(piece.decode(), ending="")
            return
        write_pieces(options["output"], pieces)
        if options["json"]:
            self.write_json({"flow": flow.name, "format": options["format"], "instances": number})
        else:
            self.stdout.write(f"{options['output']}: {number} instances of flow {flow.name}.")
