"""manage.py webhooks list|add|remove|test|resume."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.webhooks import subscriptions
from flows.capabilities.webhooks.api import EVENTS, SavedWebhook, Webhook
from flows.errors import UnknownFlow
from flows.management.base import FlowCommand, Usage
from flows.queries.definitions import flow_by_name


class Command(FlowCommand):
    help = "Lists, adds, removes, tests and resumes webhooks of flows."
    records_actor = True
    reads = {
        "list": "flow",
        "add": "flow url event query attribute",
        "remove": "",
        "test": "",
        "resume": "skip",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=("list", "add", "remove", "test", "resume"))
        parser.add_argument(
            "webhook", type=int, nargs="?", help="number of the webhook, as `webhooks list` shows it"
        )
        parser.add_argument("--flow", help="the flow of a new webhook, or of those to list")
        parser.add_argument("--url", default="", help="the https address of a new webhook")
        parser.add_argument(
            "--event", action="append", choices=EVENTS, help="an event to send (default: all of them)"
        )
        parser.add_argument("--query", default="", help="filter over the state at the step")
        parser.add_argument(
            "--attribute", action="append", default=[], help="an attribute whose value is sent"
        )
        parser.add_argument(
            "--skip", action="store_true", help="resume without what happened while it was paused"
        )

    def run(self, **options: Any) -> None:
        verb, hook = options["verb"], options["webhook"]
        if (hook is None) != (verb in ("list", "add")):
            wanted = "needs the number of a webhook" if hook is None else "takes no number"
            raise Usage(f"“{verb}” {wanted}.")
        getattr(self, f"_{verb}")(hook, options)

    def _list(self, _hook: None, options: dict[str, Any]) -> None:
        found = api.webhooks.list([options["flow"]] if options["flow"] else None)
        if options["json"]:
            self.write_json([vars(each) for each in found])
            return
        headers = ("webhook", "flow", "address", "events", "filter", "state", "waiting", "problem")
        self.write_table(headers, map(_row, found), "There are no webhooks.")

    def _add(self, _hook: None, options: dict[str, Any]) -> None:
        flow = flow_by_name(options["flow"] or "")
        if flow is None:
            raise UnknownFlow(f"There is no flow {options['flow']}.", hint="Give --flow.")
        if not options["url"]:
            raise Usage("A new webhook needs --url.")
        events = options["event"] or EVENTS
        hook = Webhook(options["url"], events, options["query"], options["attribute"])
        saved, secret = subscriptions.save(flow, hook, options["actor"])
        if options["json"]:
            self.write_json({"webhook": saved.id, "secret": secret})
            return
        self.stdout.write(f"Webhook {saved.id} is saved.")
        self.stdout.write(f"Its secret, shown only now: {secret}")

    def _remove(self, hook: int, options: dict[str, Any]) -> None:
        api.webhooks.delete(hook, options["actor"])
        self._done(hook, "removed", options)

    def _test(self, hook: int, options: dict[str, Any]) -> None:
        api.webhooks.send_test_message(hook)
        self._done(hook, "a test is queued", options)

    def _resume(self, hook: int, options: dict[str, Any]) -> None:
        api.webhooks.resume(hook, options["actor"], skip=options["skip"])
        self._done(hook, "resumed", options)

    def _done(self, hook: int, done: str, options: dict[str, Any]) -> None:
        if options["json"]:
            self.write_json({"webhook": hook, "done": done})
        else:
            self.stdout.write(f"Webhook {hook}: {done}.")


def _row(hook: SavedWebhook) -> tuple[Any, ...]:
    state = "paused" if hook.paused_at else "on" if hook.enabled else "off"
    events = " ".join(each for each in EVENTS if each in hook.events)
    return hook.id, hook.flow, hook.url, events, hook.query, state, hook.waiting, hook.problem
