"""Expenses of the demo's office that wait for people: some are to be checked, some to be decided about."""

from __future__ import annotations

import random
from datetime import timedelta
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from flows import api
from flows.models import Instance
from workers.demo.random_states import name

FLOW = "expenses"
CLERK = "clerk"
STARTED, CHECKED = 14, 5
_PURPOSES = (
    ("Train to Campinas", "48.60"),
    ("Dinner with a customer", "132.40"),
    ("Conference, two nights", "418.00"),
    ("Paper and toner", "86.90"),
    ("Taxi to the airport", "37.50"),
    ("Tools for the workshop", "264.00"),
)


@transaction.atomic
def open_tasks() -> int:
    """Start expenses, check the receipts of some, and return how many tasks are open.

    Does nothing if there are expenses.
    """
    if Instance.objects.filter(flow__name=FLOW).exists():
        return 0
    chance = random.Random("office")  # noqa: S311
    for number in range(STARTED):
        purpose, amount = _PURPOSES[number % len(_PURPOSES)]
        spent_on = timezone.localdate() - timedelta(days=chance.randrange(2, 20))
        state = {
            "employee": name(chance),
            "purpose": purpose,
            "amount": Decimal(amount),
            "spent_on": spent_on,
        }
        api.instances.start(FLOW, state, actor="office")
    for one in api.tasks.of_flow(FLOW, limit=CHECKED):
        api.tasks.take(one.job_id, CLERK, ["r:Clerk"])
        account = chance.choice(("travel", "meals", "material"))
        api.tasks.complete(one.job_id, CLERK, {"account": account}, "Receipts are complete")
    return len(api.tasks.of_flow(FLOW))
