"""`manage.py removefactor NAME`: remove the second factor of an account without phone and backup codes."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from wedsql_site.second_factor import devices
from wedsql_site.second_factor.setup import record


class Command(BaseCommand):
    help = "Removes the second factor of an account and ends its sessions; the password stays."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="user name of the account")

    def handle(self, *_args: Any, name: str, **_options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"there is no user {name!r}")
        if not devices.remove(user):
            raise CommandError(f"the user {name!r} has no second factor")
        record(user, user, "Second factor removed by manage.py removefactor.")
        self.stdout.write(f"The second factor of {name!r} is removed; the password alone logs in.")
