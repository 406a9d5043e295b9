"""manage.py startinstance FLOW a=1 b='two words' | --csv FILE: starts one instance, or one per row."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from flows import api
from flows import starts as starting
from flows.management.base import FlowCommand, Rejected, Usage, name_and_value
from flows.models import Status, TraceEntry

# The command has no page that waits for it.
SECONDS = 3600.0
OF_FILE = ("check", "together", "again")


class Command(FlowCommand):
    help = (
        "Starts an instance of a flow; attributes that are not given have their initial values."
        " With --csv, starts one per row; a row that was started from a file before starts nothing."
    )
    records_actor = True
    tries: ClassVar[Mapping[str, str]] = {"check": "csv again"}

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument(
            "values",
            nargs="*",
            metavar="attribute=value",
            help="a text that the database reads as the attribute's type; attribute:=json for JSON or null",
        )
        parser.add_argument("--key", help="a repeated key returns the instance that it started")
        parser.add_argument("--csv", metavar="FILE", help="start the rows; the first has the attributes")
        parser.add_argument("--check", action="store_true", help="with --csv: only check the rows")
        parser.add_argument("--together", action="store_true", help="with --csv: start all rows or none")
        parser.add_argument(
            "--again", default="", help="with --csv: a text, to start the same rows once more"
        )

    def run(self, **options: Any) -> None:
        if options["csv"]:
            if options["values"] or options["key"]:
                raise Usage("With --csv, the values and keys are those of the file.")
            return self._file(Path(options["csv"]), options)
        if any(options[each] for each in OF_FILE):
            raise Usage("--check, --together and --again need --csv.")
        state = dict(name_and_value(text) for text in options["values"])
        wid = api.instances.start(options["flow"], state, actor=options["actor"], key=options["key"])
        first = TraceEntry.objects.get(wid=wid, seq=_first(wid))
        status = Status(first.status)
        if options["json"]:
            self.write_json(
                {"wid": wid, "flow": options["flow"], "status": status.value, "fired": first.fired}
            )
            return None
        fired = f", fired {', '.join(first.fired)}" if first.fired else ""
        self.stdout.write(f"Instance {wid} of flow {options['flow']} started: {status.name.lower()}{fired}.")
        return None

    def _file(self, path: Path, options: dict[str, Any]) -> None:
        """Start the rows of a file, or check them, and print what is refused."""
        flow, actor = options["flow"], options["actor"]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise Usage(f"{path}: {error.strerror}.") from error
        upload = starting.read(data, api.flows.definition(flow))
        if upload.fault:
            at = f"line {upload.fault.line}: " if upload.fault.line else ""
            column = f"{upload.fault.column}: " if upload.fault.column else ""
            raise Rejected(f"{at}{column}{upload.fault.message}")
        if options["together"] and upload.problems and not options["check"]:
            found = []
        else:
            source = hashlib.sha256(f"{flow}\n{options['again']}".encode()).hexdigest()[:16]
            rows = starting.as_rows(upload.rows, source)
            found = (
                starting.check(flow, rows, actor=actor, seconds=SECONDS)
                if options["check"]
                else starting.start(flow, rows, actor=actor, together=options["together"], seconds=SECONDS)
            )
        self._print(upload, found, options)

    def _print(self, upload: starting.Upload, found: list[starting.Result], options: dict[str, Any]) -> None:
        problems = [*upload.problems, *(each.problem for each in found if each.wid is None)]
        problems.sort(key=lambda each: each.line or 0)
        counts = {code: sum(each.code == code for each in found) for code in ("started", "known")}
        refused = len({each.line for each in problems})
        other = [each.problem for each in found if each.known and each.message]
        if options["json"]:
            wids = [] if options["check"] else [{"line": r.line, "wid": r.wid} for r in found if r.wid]
            wrong = [{"line": p.line, "column": p.column, "message": p.message} for p in problems]
            differing = [{"line": p.line, "message": p.message} for p in other]
            self.write_json(
                counts | {"refused": refused, "instances": wids, "problems": wrong, "differing": differing}
            )
        else:
            if shown := sorted([*problems, *other], key=lambda each: each.line or 0):
                self.write_table(
                    ("line", "column", "problem"), ((p.line, p.column, p.message) for p in shown), ""
                )
            verb = "can be started" if options["check"] else "started"
            known = f", {counts['known']} started before" if counts["known"] else ""
            self.stdout.write(f"{counts['started']} {verb}{known}, {refused} refused.")
        if refused:
            raise Rejected("Rows are refused.")


def _first(wid: int) -> int:
    return TraceEntry.objects.filter(wid=wid).order_by("seq").values_list("seq", flat=True)[0]
