"""manage.py apitoken create|list|revoke USER: tokens with which programs use the HTTP API for a user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandParser

from flows.management.base import FlowCommand, Rejected
from monitor.api import tokens

COLUMNS = ("prefix", "name", "flows", "rights", "expires_at", "last_used_at")


class Command(FlowCommand):
    help = "Creates, lists or revokes the tokens of a user for the HTTP API."
    reads = {
        "create": "name days flow right",
        "list": "",
        "revoke": "prefix",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["create", "list", "revoke"])
        parser.add_argument("user", help="name of the account")
        parser.add_argument("--name", default="", help="create: what the token is for")
        parser.add_argument("--days", type=int, default=90, help="create: how long it is valid (default 90)")
        parser.add_argument("--flow", action="append", default=[], help="create: only this flow; repeatable")
        parser.add_argument("--right", action="append", default=[], choices=tokens.RIGHTS,
                            help="create: more than reading; repeatable")  # fmt: skip
        parser.add_argument("--prefix", default="", help="revoke: the beginning of the token, as listed")

    def mode(self, options: Mapping[str, Any]) -> str:
        """Return the action."""
        return str(options["action"])

    def run(self, **options: Any) -> None:
        model = get_user_model()
        user = model.objects.filter(**{model.USERNAME_FIELD: options["user"]}).first()
        if user is None:
            raise Rejected(f"There is no account {options['user']}.")
        getattr(self, f"_{options['action']}")(user, options)

    def _create(self, user: Any, options: dict[str, Any]) -> None:
        try:
            token, secret = tokens.create(
                user, options["name"], options["days"], options["flow"], options["right"]
            )
        except tokens.BadToken as error:
            raise Rejected(str(error)) from error
        if options["json"]:
            self.write_json({"prefix": token.prefix, "token": secret, "expires_at": token.expires_at})
        else:
            self.stdout.write(secret)
            self.stderr.write("This is shown once. Keep it where the program reads it, and nowhere else.")

    def _list(self, user: Any, options: dict[str, Any]) -> None:
        found = list(tokens.usable(user).values(*COLUMNS))
        if options["json"]:
            self.write_json(found)
        else:
            rows = [[each[name] for name in COLUMNS] for each in found]
            self.write_table(COLUMNS, rows, f"{user.get_username()} has no tokens.")

    def _revoke(self, user: Any, options: dict[str, Any]) -> None:
        if not tokens.revoke(user, options["prefix"]):
            raise Rejected("There is no such token; “apitoken list” shows those that are valid.")
        if options["json"]:
            self.write_json({"revoked": options["prefix"]})
        else:
            self.stdout.write(f"The token {options['prefix']} is revoked.")
