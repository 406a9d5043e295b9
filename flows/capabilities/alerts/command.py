"""manage.py alerts list|add|remove|acknowledge|silence|test: the rules of alerts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.alerts import rules
from flows.capabilities.alerts.api import AlertRule, SavedAlertRule
from flows.errors import UnknownFlow
from flows.management.base import FlowCommand, Usage
from flows.management.values import span
from flows.moments import later
from flows.queries.definitions import flow_by_name

KINDS = ("count", "exception_age", "queue_age", "workers")


class Command(FlowCommand):
    help = "Lists, adds, removes, acknowledges and silences rules of alerts, and tests their receivers."
    records_actor = True
    reads = {
        "list": "flow",
        "add": "flow name kind query transition above below lasting mail webhook",
        "remove": "",
        "acknowledge": "note",
        "silence": "minutes note",
        "test": "",
    }

    def arguments(self, parser: CommandParser) -> None:
        verbs = ("list", "add", "remove", "acknowledge", "silence", "test")
        parser.add_argument("verb", choices=verbs)
        parser.add_argument("rule", type=int, nargs="?", help="number of the rule, as `alerts list` shows it")
        parser.add_argument("--flow", help="the flow of a new rule, or of those to list")
        parser.add_argument("--name", help="of a new rule")
        parser.add_argument("--kind", choices=KINDS, default="count", help="what a new rule compares")
        parser.add_argument("--query", default="", help="filter whose instances a rule counts")
        parser.add_argument("--transition", default="", help="of queue_age and workers")
        limits = parser.add_mutually_exclusive_group()
        limits.add_argument("--above", type=float, help="it holds above this number (ages in seconds)")
        limits.add_argument("--below", type=float, help="it holds below this number")
        parser.add_argument("--lasting", type=span, default=0, help="seconds that it must hold (default: 0)")
        parser.add_argument("--mail", action="append", default=[], help="a mail address to notify")
        parser.add_argument("--webhook", default="", help="an https address to notify")
        parser.add_argument("--minutes", type=span, help="how long to silence; 0: end the silence")
        parser.add_argument("--note", default="", help="kept in the history")

    def run(self, **options: Any) -> None:
        verb, rule = options["verb"], options["rule"]
        if (rule is None) != (verb in ("list", "add")):
            raise Usage(f"“{verb}” {'needs the number of a rule' if rule is None else 'takes no number'}.")
        getattr(self, f"_{verb}")(rule, options)

    def _list(self, _rule: None, options: dict[str, Any]) -> None:
        found = api.alerts.list_rules([options["flow"]] if options["flow"] else None)
        if options["json"]:
            self.write_json([_plain(each) for each in found])
            return
        headers = ("rule", "flow", "name", "condition", "value", "state", "since")
        self.write_table(headers, map(_row, found), "There are no rules of alerts.")

    def _add(self, _rule: None, options: dict[str, Any]) -> None:
        flow = flow_by_name(options["flow"] or "")
        limit = options["above"] if options["above"] is not None else options["below"]
        if flow is None:
            raise UnknownFlow(f"There is no flow {options['flow']}.", hint="Give --flow.")
        if limit is None or not options["name"]:
            raise Usage("A new rule needs --name, and --above or --below.")
        rule = AlertRule(
            options["name"], options["kind"], ">" if options["above"] is not None else "<", limit,
            options["query"], options["transition"], options["lasting"], True, options["mail"],
            options["webhook"],
        )  # fmt: skip
        saved, secret = rules.save(flow, rule, options["actor"])
        if options["json"]:
            self.write_json({"rule": saved.id, "secret": secret})
            return
        self.stdout.write(f"Rule {saved.id} is saved.")
        if secret:
            self.stdout.write(f"The secret of its webhook, shown only now: {secret}")

    def _remove(self, rule: int, options: dict[str, Any]) -> None:
        api.alerts.delete_rule(rule, options["actor"])
        self._done(rule, "removed", options)

    def _acknowledge(self, rule: int, options: dict[str, Any]) -> None:
        api.alerts.acknowledge(rule, options["actor"], options["note"])
        self._done(rule, "acknowledged", options)

    def _silence(self, rule: int, options: dict[str, Any]) -> None:
        minutes = options["minutes"]
        if minutes is None:
            raise Usage("“silence” needs --minutes; 0 ends the silence.")
        until = later(60 * minutes) if minutes else None
        api.alerts.silence(rule, until, options["actor"], options["note"])
        self._done(rule, "silenced" if until else "no longer silenced", options)

    def _test(self, rule: int, options: dict[str, Any]) -> None:
        receivers = api.alerts.send_test(rule, options["actor"])
        self._done(rule, f"queued for {receivers} receivers", options)

    def _done(self, rule: int, done: str, options: dict[str, Any]) -> None:
        if options["json"]:
            self.write_json({"rule": rule, "done": done})
        else:
            self.stdout.write(f"Rule {rule}: {done}.")


def _plain(rule: SavedAlertRule) -> dict[str, Any]:
    return vars(rule) | {"active": vars(rule.active) if rule.active else None}


def _row(rule: SavedAlertRule) -> tuple[Any, ...]:
    about = rule.query or rule.trname
    condition = " ".join(f"{rule.kind} {about} {rule.sign} {rule.threshold:.15g}".split())
    state = "off" if not rule.enabled else "fails" if rule.error else _state(rule)
    since = rule.active.started_at if rule.active else None
    return rule.id, rule.flow, rule.name, condition, rule.value, state, since


def _state(rule: SavedAlertRule) -> str:
    """Return the state of a rule that is evaluated."""
    return "active" if rule.active else "pending" if rule.held_since_at else "normal"
