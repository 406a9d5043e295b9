"""manage.py workerkey create|rotate|revoke|list: keys with which workers log in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.keys.api import WorkerKey
from flows.management.base import FlowCommand, Usage
from flows.management.values import number

MOST_DAYS = 3660


class Command(FlowCommand):
    any_flow = True
    help = "Creates, rotates, revokes and lists the keys of workers. A secret is printed once."
    records_actor = True
    reads = {
        "create": "flow role days",
        "rotate": "grace",
        "revoke": "reason",
        "list": "all after limit",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=("create", "rotate", "revoke", "list"))
        parser.add_argument("name", nargs="?", default="", help="the name of the key")
        parser.add_argument(
            "--flow",
            action="append",
            default=[],
            metavar="FLOW[:TRANSITION]",
            help="create: a flow of the key, or one transition of it; repeatable",
        )
        parser.add_argument(
            "--role", default="", help="create: of flows without a transition, only those of this role"
        )
        parser.add_argument("--days", type=int, help="create: how long it is valid (default: without end)")
        parser.add_argument("--grace", type=float, default=24, help="rotate: hours (24) for the old secret")
        parser.add_argument("--reason", default="", help="revoke: why, for the list of keys")
        parser.add_argument("--all", action="store_true", help="list: also revoked and expired keys")
        parser.add_argument("--after", default="", help="list: the keys after this name")
        parser.add_argument(
            "--limit", type=number(1, 200), default=50, help="list so many (default: 50, at most 200)"
        )

    def run(self, **options: Any) -> None:
        verb, name = options["verb"], options["name"]
        if bool(name) == (verb == "list"):
            raise Usage("“list” takes no name." if name else f"“{verb}” needs the name of a key.")
        getattr(self, f"_{verb}")(name, options)

    def _create(self, name: str, options: dict[str, Any]) -> None:
        expires = None
        if options["days"] is not None:
            if not 1 <= options["days"] <= MOST_DAYS:
                raise Usage(f"--days is a number from 1 to {MOST_DAYS:,}.")
            expires = datetime.now(UTC) + timedelta(days=options["days"])
        allowed: Mapping[str, Sequence[str]] = scope(options["flow"])
        if options["role"]:
            if all(allowed.values()):
                raise Usage("--role is for each --flow that names no transition.")
            allowed = api.workers.scope_of_role(allowed, options["role"])
        key = api.workers.create_key(name, allowed, options["actor"], expires=expires)
        self._show(name, key, options)

    def _rotate(self, name: str, options: dict[str, Any]) -> None:
        if not 0 <= options["grace"] <= 720:
            raise Usage("--grace is a number of hours from 0 to 720.")
        grace = timedelta(hours=options["grace"])
        self._show(name, api.workers.rotate_key(name, options["actor"], grace=grace), options)

    def _show(self, name: str, key: str, options: dict[str, Any]) -> None:
        if options["json"]:
            return self.write_json({"name": name, "key": key})
        self.stdout.write(key)
        self.stderr.write("This is shown once. Keep it where the worker reads it, and nowhere else.")

    def _revoke(self, name: str, options: dict[str, Any]) -> None:
        ended = api.workers.revoke_key(name, options["reason"], options["actor"])
        if options["json"]:
            return self.write_json({"revoked": name, "leases": ended})
        self.stdout.write(f"The worker key {name} is revoked. Leases released: {ended}.")

    def _list(self, _name: str, options: dict[str, Any]) -> None:
        found = api.workers.list_keys(all=options["all"], after=options["after"], limit=options["limit"])
        if options["json"]:
            return self.write_json(
                [{field: getattr(key, field) for field in WorkerKey.__dataclass_fields__} for key in found]
            )
        headers = ("key", "flows", "created", "by", "rotated", "expires", "last used", "revoked")
        self.write_table(headers, map(_row, found), "There are no worker keys.")


def scope(words: list[str]) -> dict[str, list[str]]:
    """Return the scope of words such as orders:tr_pack; a flow without a transition has all of them."""
    found: dict[str, list[str]] = {}
    for word in words:
        flow, colon, transition = word.partition(":")
        whole_flow = not colon
        if (colon and not transition) or (flow in found and (whole_flow or not found[flow])):
            raise Usage("--flow is FLOW for all transitions of a flow, or FLOW:TRANSITION for each of some.")
        found.setdefault(flow, []).extend([transition] if colon else [])
    return found


def _row(key: WorkerKey) -> tuple[Any, ...]:
    flows = " ".join(
        f"{flow}:{name}" if name else flow
        for flow, names in sorted(key.scope.items())
        for name in (names or [""])
    )
    revoked = key.revoked_at and f"{key.revoked_at:%Y-%m-%d} {key.revoked_for}"
    times = (key.rotated_at, key.expires_at, key.used_at)
    return key.name, flows, key.created_at, key.created_by, *times, revoked
