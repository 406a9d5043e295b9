"""manage.py wsql [FLOW] [-f FILE | -c TEXT]: runs WSQL from a file, an argument, a pipe or a shell."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from flows.languages.wsql import Outcome, Session, WsqlError, source
from flows.languages.wsql.shell import Shell, said, use_readline
from flows.management.base import FlowCommand, Rejected, Usage, get_flow
from flows.management.files import read_text


class Command(FlowCommand):
    help = (
        "Runs statements of WSQL, which define flows, start instances, and list both. Each block from BEGIN"
        " to COMMIT, and else the whole text, is one transaction. In a terminal it opens a shell."
    )
    records_actor = True
    takes_tasks = True
    tries: ClassVar[Mapping[str, str]] = {"dry_run": "file command held"}

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", nargs="?", default="", help="the flow to which the statements apply")
        parser.add_argument("-f", "--file", type=Path, help="run the statements of a file")
        parser.add_argument("-c", "--command", help="run these statements")
        parser.add_argument("--dry-run", action="store_true", help="run the statements and keep nothing")

    def run(self, **options: Any) -> None:
        if options["file"] and options["command"] is not None:
            raise Usage("Give a file or a text, not both.")
        if options["flow"]:
            get_flow(options["flow"])
        session = Session(options["flow"], options["actor"])
        text = options["command"]
        if text is None and not options["file"] and sys.stdin.isatty() and not options["json"]:
            if options["dry_run"]:
                raise Usage("--dry-run is for statements of a file, an argument or a pipe, not the shell.")
            return self._shell(session)
        if options["file"]:
            session.reason = f"loaded from {options['file'].name}"
            text = read_text(options["file"])
        return self._run(session, _standard_input() if text is None else text, options)

    def _shell(self, session: Session) -> None:
        use_readline(session)
        Shell(session, input, self.stdout.write, self._print).loop()

    def _run(self, session: Session, text: str, options: dict[str, Any]) -> None:
        done: list[Outcome] = []
        try:
            for outcomes in session.run(text, dry_run=options["dry_run"]):
                done += outcomes
                if not options["json"]:
                    self._print(outcomes)
        except WsqlError as error:
            if options["json"]:
                self.write_json({"flow": session.flow, "done": _facts(text, done), "error": _error(error)})
            raise Rejected("\n".join(said(each) for each in (error, *error.others))) from error
        if options["json"]:
            self.write_json({"flow": session.flow, "done": _facts(text, done)})
        elif options["dry_run"]:
            self.stdout.write("Nothing was kept.")

    def _print(self, outcomes: list[Outcome]) -> None:
        for each in outcomes:
            if each.listed:
                self.write_table(each.listed.columns, each.listed.rows, "No rows.")
                if each.listed.more:
                    self.stdout.write(f"Only the first {len(each.listed.rows)} rows are shown.")
            else:
                self.stdout.write("\n".join([each.line] if each.line else each.sql))


def _standard_input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise Usage(f"Standard input is not text in UTF-8 (byte {error.start}).") from error


def _error(error: WsqlError) -> dict[str, Any]:
    facts = {"code": error.code, "message": error.message, "hint": error.hint}
    place = {"line": error.line, "column": error.column}
    return facts | place | ({"others": [_error(each) for each in error.others]} if error.others else {})


def _facts(text: str, done: list[Outcome]) -> list[dict[str, Any]]:
    return [_fact(text, each) for each in done]


def _fact(text: str, outcome: Outcome) -> dict[str, Any]:
    """Return an outcome with what it has."""
    fact: dict[str, Any] = dict(outcome.facts)
    if outcome.statement:
        fact["statement"] = source(text, outcome.statement)
    if outcome.listed:
        fact |= {"rows": [dict(zip(outcome.listed.columns, row, strict=True)) for row in outcome.listed.rows]}
        fact["more"] = outcome.listed.more
    if outcome.sql:
        fact["sql"] = list(outcome.sql)
    return fact
