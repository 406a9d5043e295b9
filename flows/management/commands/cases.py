"""manage.py cases VERB [NUMBER]: cases of exceptions, what people do with them, approvals, and rules."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows.capabilities.approvals import verbs
from flows.capabilities.cases.command import CaseVerbs
from flows.capabilities.recovery.verbs import PolicyVerbs
from flows.management.base import Usage

NUMBERED = ("show", "suggestions", "rule", "claim", "release", "comment", "wait", "set", *verbs.NUMBERED)
OTHERS = ("list", "groups", "next", "report", "rules", "policies", *verbs.OTHERS)


class Command(CaseVerbs, PolicyVerbs, verbs.ApprovalVerbs):
    help = (
        "Lists cases, claims and changes them, decides about proposed repairs, and reads and saves the rules"
        " of queues and approvals, and recovery policies."
    )
    records_actor = True
    reads = {
        "list": "flow queue cause signature owner state severity closed after limit",
        "groups": "flow limit",
        "next": "flow queue minutes",
        "report": "flow by days limit",
        "rules": "flow file",
        "policies": "flow file",
        "proposals": "flow closed after limit",
        "approvals": "flow file propose",
        "delegate": "flow to until begin",
        "delegations": "flow",
        "show": "flow",
        "suggestions": "flow",
        "rule": "flow draft",
        "claim": "minutes take_over",
        "release": "",
        "comment": "flow text",
        "wait": "until condition text",
        "set": "queue severity priority due reason_code",
        "approve": "text administrator",
        "reject": "text",
        "withdraw": "",
        "end-delegation": "",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=(*OTHERS, *NUMBERED))
        parser.add_argument("number", type=int, nargs="?", help="of the case, or of the proposal")
        parser.add_argument("text", nargs="?", default="", help="of “comment”; why it waits or is rejected")
        super().arguments(parser)

    def run(self, **options: Any) -> None:
        verb, number = options["verb"], options["number"]
        if (number is not None) != (verb in NUMBERED):
            raise Usage(f"“{verb}” {'needs a number' if number is None else 'takes no number'}.")
        if verb in ("rules", "policies", *verbs.NEEDING_FLOW) and not options["flow"]:
            raise Usage(f"“{verb}” needs --flow.")
        getattr(self, f"_{verb.replace('-', '_')}")(options)
