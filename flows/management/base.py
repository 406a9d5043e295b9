"""Base classes of the management commands: their output and their errors."""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from flows import json_text
from flows.database_errors import translated
from flows.errors import DatabaseGone, UnknownFlow, WedError
from flows.languages.graph import BadGraph
from flows.loading import LoadError
from flows.management.values import number, register, short
from flows.management.verbs import deprecated_by
from flows.models import Flow
from flows.operations import FlowMigrationError
from flows.queries.definitions import names
from flows.replication import UNCONFIRMED, unconfirmed
from flows.users.authors import named
from flows.users.groups import create_groups_of
from flows.users.holdings import confirmed

_ALWAYS = ("json", "actor")
HELD = "how many tasks and cases other persons may lose by this (default: none)"


class Rejected(CommandError):
    """The command line is valid, but the command failed; exit code 1."""

    def __init__(self, message: str) -> None:
        super().__init__(short(message))


class Usage(CommandError):
    """The command line is not valid; exit code 2."""

    def __init__(self, message: str) -> None:
        super().__init__(short(message), returncode=2)


class FlowCommand(BaseCommand):
    """A command that prints a table or JSON, and turns every WedError into a CommandError of one sentence."""

    requires_system_checks: tuple[str, ...] = ()
    records_actor = False
    # Whether --flow may name a flow that is not there, new or dropped, or the command checks it itself.
    any_flow = False
    # Whether it publishes or drops a flow, which may take tasks and cases from persons.
    takes_tasks = False
    # For each mode of a command that has several: the options that it reads, besides --json and --actor.
    reads: ClassVar[Mapping[str, str]] = {}
    # Of a command that can only try what it would do, the name of that option and the options read with it.
    tries: ClassVar[Mapping[str, str]] = {}
    _parser: CommandParser
    _of_django: frozenset[str] = frozenset()

    def add_arguments(self, parser: CommandParser) -> None:
        self._parser = parser
        register(parser)
        self._of_django = frozenset(argument.dest for argument in parser._actions)
        parser.add_argument("--json", action="store_true", help="print JSON")
        if self.records_actor:
            parser.add_argument(
                "--actor", default=_user(), help="name recorded in the history (default: yours)"
            )
        if self.takes_tasks:
            parser.add_argument("--held", type=number(0), default=0, metavar="NUMBER", help=HELD)
        self.arguments(parser)

    def arguments(self, parser: CommandParser) -> None:
        """Add the command's own arguments."""

    def handle(self, *args: Any, **options: Any) -> None:
        if verb := deprecated_by(self):
            old = type(self).__module__.rpartition(".")[2]
            self.stderr.write(f"“manage.py {old}” is deprecated: use “manage.py flow {verb}”.")
        try:
            with translated(), named(lambda: options.get("actor") or _user()), self._confirmed():
                self._refuse_unread(options)
                self._check_flow(options)
                with self._groups_of_new_flows(), confirmed(options.get("held") or 0):
                    self.run(**options)
        except LoadError as refused:
            self._report_failure(
                refused, options, f"line {refused.line}: ", refused.excerpt, line=refused.line
            )
        except FlowMigrationError as refused:
            self._report_failure(WedError(str(refused)), options)
        except WedError as refused:
            self._report_failure(refused, options)

    @contextmanager
    def _groups_of_new_flows(self) -> Iterator[None]:
        """Create the groups of flows that the command defines, so that rights can be given to people."""
        before = names() if self.records_actor else frozenset()
        yield
        for flow in sorted(names() - before) if self.records_actor else ():
            create_groups_of(flow)

    def mode(self, options: Mapping[str, Any]) -> str:
        """Return which of the modes was chosen: the verb."""
        return str(options["verb"])

    def _refuse_unread(self, options: Mapping[str, Any]) -> None:
        """Raise Usage if an option was given that the mode does not read, or not where it only tries."""
        if self.reads:
            mode = self.mode(options)
            known = {name for names in self.reads.values() for name in names.split()}
            self._refuse(options, known - {*self.reads[mode].split(), *_ALWAYS}, mode)
        own = {argument.dest for argument in self._parser._actions if argument.option_strings}
        for name in (each for each in self.tries if options.get(each)):
            read = {name, *self.tries[name].split(), *_ALWAYS}
            self._refuse(options, own - self._of_django - read, f"--{name.replace('_', '-')}")

    def _check_flow(self, options: Mapping[str, Any]) -> None:
        """Raise UnknownFlow if --flow names a flow that does not exist, where it has to."""
        known = any(each.dest == "flow" and each.option_strings for each in self._parser._actions)
        given = options.get("flow") if known and not self.any_flow else None
        for name in [given] if isinstance(given, str) else given or ():
            if name:
                get_flow(name.partition(":")[0])

    def _refuse(self, options: Mapping[str, Any], unread: AbstractSet[str], mode: str) -> None:
        for argument in self._parser._actions:
            name = argument.dest
            if name in unread and options.get(name, argument.default) != argument.default:
                said = argument.option_strings[0] if argument.option_strings else f"{name.upper()} argument"
                raise Usage(f"“{mode}” does not read {said}.")

    @contextmanager
    def _confirmed(self) -> Iterator[None]:
        """Print a warning after the block if one of its commits was not confirmed by a standby."""
        with unconfirmed() as found:
            try:
                yield
            finally:
                if found:
                    self.stderr.write(str(UNCONFIRMED))

    def run(self, **options: Any) -> None:
        """Perform the command and print the result; raises WedError."""
        raise NotImplementedError

    def _report_failure(
        self, error: WedError, options: dict[str, Any], before: str = "", excerpt: str = "", **more: Any
    ) -> None:
        if options["json"]:
            facts = {"code": error.code, "message": error.message, "hint": error.hint, "where": error.where}
            self.write_json({"error": facts | more})
        said = f"{before}{error.sentence}"
        lines = said.splitlines() if isinstance(error, BadGraph) else [said]  # a line per problem
        sentence = "\n".join(" ".join(line.split()) for line in lines)
        if isinstance(error, DatabaseGone):
            sentence += " Check that the server runs and that DATABASE_URL is correct."
        raise Rejected("\n".join([sentence, *([excerpt] if excerpt else [])])) from error

    def write_json(self, value: Any) -> None:
        self.stdout.write(json_text.encode(value, str, indent=2))

    def write_table(self, headers: Sequence[str], rows: Iterable[Sequence[Any]], empty: str) -> None:
        """Print rows in aligned columns, with numbers to the right; print `empty` if there are no rows."""
        texts = [[cell(value) for value in row] for row in rows]
        if not texts:
            self.stdout.write(empty)
            return
        widths = [max(map(len, column)) for column in zip(headers, *texts, strict=True)]
        numeric = [
            all(text.isdigit() or text == "-" for text in column) for column in zip(*texts, strict=True)
        ]
        for line in (headers, ["-" * width for width in widths], *texts):
            aligned = (
                text.rjust(width) if number else text.ljust(width)
                for text, width, number in zip(line, widths, numeric, strict=True)
            )
            self.stdout.write("  ".join(aligned).rstrip())


def cell(value: Any, width: int = 80) -> str:
    """Return a value as one line of text, cut to `width` characters."""
    if value is None or value == "" or value == []:
        return "-"
    if isinstance(value, (list, tuple)):
        text = ", ".join(map(str, value))
    elif hasattr(value, "isoformat"):
        text = value.isoformat(sep=" ", timespec="milliseconds")
    else:
        text = value if isinstance(value, str) else json_text.encode(value, str)
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def name_and_value(text: str) -> tuple[str, Any]:
    """Parse an argument name=value, or name:=json, into name and value; raises Usage."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip(":"):
        raise Usage(f"“{text[:80]}” is not attribute=value.")
    if not name.endswith(":"):
        return name, value
    try:
        return name[:-1], json_text.decode(value)
    except ValueError as error:
        raise Usage(f"“{value[:80]}” is not JSON: {error}.") from error


def get_flow(name: str) -> Flow:
    """Return the flow of that name; raises UnknownFlow."""
    found = Flow.objects.filter(name=name).first()
    if found is None:
        raise UnknownFlow(
            f"There is no flow {name}.", hint="“manage.py flow list” lists those that there are."
        )
    return found


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
