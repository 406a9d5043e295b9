"""manage.py flow VERB: what there is to do with the definition of a flow."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from flows.management import verbs
from flows.management.base import Usage


class Command(BaseCommand):
    help = "Lists, shows, edits, checks, publishes, imports, exports and deletes definitions of flows."
    requires_system_checks: tuple[str, ...] = ()

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the command of the verb as if it were called by a name of its own."""
        found = verbs.find(argv[2:])
        if found is None:
            super().run_from_argv(argv)
            return
        verb, rest = found
        verbs.command(verb).run_from_argv([argv[0], f"{argv[1]} {verb}", *rest])

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        lines = [f"  {verb.ljust(16)}{verbs.command(verb).help}" for verb in verbs.VERBS]
        parser.epilog = "\n".join(["verbs (VERB --help shows the options of one):", *lines])
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="VERB", help="one of those below")

    def handle(self, *args: Any, **options: Any) -> None:
        words = options.pop("words")
        found = verbs.find(words)
        if found is None:
            given = " ".join(words[:2]) or "Nothing"
            raise Usage(f"“{given}” is not a verb of “flow”, which are: {', '.join(verbs.VERBS)}.")
        verb, rest = found
        command = verbs.command(verb)
        parsed = vars(command.create_parser("manage.py", f"flow {verb}").parse_args(rest))
        streams = {name: options[name] for name in ("stdout", "stderr") if options.get(name)}
        command.execute(*parsed.pop("args", ()), **parsed, **streams)
