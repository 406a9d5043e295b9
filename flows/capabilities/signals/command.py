"""manage.py signal FLOW NAME key=... [attribute=value ...]: sends a signal, or lists those that were sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.management.base import FlowCommand, Usage, name_and_value
from flows.management.values import number

WORDS = {
    "delivered": "delivered to instance {wid}, step {seq}",
    "started": "instance {wid} is started",
    "kept": "kept until an instance waits for it",
    "expired": "was kept for its whole time; no instance waited for it",
    "ignored": "without effect: instance {wid} does not wait for it",
}


class Command(FlowCommand):
    help = (
        "Sends a signal to the instance that key=... or wid=... names: the attributes are the result of the"
        " job that waits for it. Without a name, lists the signals of the flow."
    )
    records_actor = True
    reads = {
        "a signal": "token",
        "the list": "before limit",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument("name", nargs="?", help="the name of the signal: that of the transition")
        parser.add_argument(
            "words",
            nargs="*",
            metavar="name=value",
            help="key=KEY or wid=NUMBER first, then attributes with values; name:=json for JSON or null",
        )
        parser.add_argument("--token", help="your own name of the signal: sending it again does nothing more")
        parser.add_argument("--before", type=number(1, 2**63 - 1), help="list the signals before this number")
        parser.add_argument(
            "--limit", type=number(1, 500), default=50, help="list so many (default: 50, at most 500)"
        )

    def mode(self, options: Mapping[str, Any]) -> str:
        """Return whether a signal is sent, which has a name."""
        return "the list" if options["name"] is None else "a signal"

    def run(self, **options: Any) -> None:
        if options["name"] is None:
            return self._list(options)
        words = [name_and_value(word) for word in options["words"]]
        target = {name: value for name, value in words[:1] if name in ("key", "wid")}
        wid = str(target.get("wid", "0"))
        if not (wid.isascii() and wid.isdigit() and len(wid) <= 10 and int(wid) < 2**31):
            raise Usage("wid= has the number of an instance.")
        sent = api.signals.send(
            options["flow"],
            options["name"],
            dict(words[len(target) :]),
            to=int(target["wid"]) if "wid" in target else target.get("key"),
            token=options["token"],
            actor=options["actor"],
        )
        if options["json"]:
            return self.write_json(asdict(sent))
        again = " (sent before)" if sent.repeated else ""
        self.stdout.write(
            f"Signal {sent.id}: {WORDS[sent.outcome].format(wid=sent.wid, seq=sent.seq)}{again}."
        )

    def _list(self, options: dict[str, Any]) -> None:
        found = api.signals.list(options["flow"], before=options["before"], limit=options["limit"])
        if options["json"]:
            return self.write_json([asdict(each) for each in found])
        self.write_table(
            ["signal", "name", "instance", "key", "outcome", "by", "sent"],
            [[s.id, s.name, s.wid, s.key, s.outcome, s.actor, s.sent_at] for s in found],
            "The flow has got no signals.",
        )
