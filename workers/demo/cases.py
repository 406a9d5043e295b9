"""Open and repaired cases of the demo shop: its orders go through the kernel as workers would take them."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from flows import api
from flows.models import Instance
from flows.types import ClaimedJob, Completion
from flows.types import Failure as Failed
from workers.demo import exceptions
from workers.demo.exceptions import Failure

FLOW = "orders"
SHOP, COURIER = "worker@shop", "courier@shop"
CLERK, SENIOR = "clerk", "senior"
_MOST = 500
_DAYS = {exceptions.LAST_YEAR: -365, exceptions.TOMORROW: 1}
# The transitions of an order, in an order in which they can happen.
_STEPS = ("tr_charge", "tr_reserve", "tr_invoice", "tr_ship", "tr_deliver")
_AFTER_A_REPAIR = Failure(0, {}, {"tr_invoice": "", "tr_ship": "", "tr_deliver": ""})

Orders = Mapping[int, Failure]


@transaction.atomic
def open_cases() -> int:
    """Make orders that are exceptions, repair some of them, and return how many cases are open.

    Does nothing if there are orders.
    """
    if Instance.objects.filter(flow__name=FLOW).exists():
        return 0
    api.cases.save_rules(FLOW, exceptions.RULES, SENIOR)
    api.approvals.save_rules(FLOW, exceptions.APPROVALS, SENIOR)
    made = exceptions.first_states(random.Random("shop"), timezone.localdate())  # noqa: S311
    started = api.instances.start_many(FLOW, [one.state for one in made], actor=SHOP)
    orders = {begun.wid: one for begun, one in zip(started, made, strict=True) if begun.wid}
    happens = {wid: one.failure for wid, one in orders.items()}
    _work(happens)
    _abort(happens)
    _fail(happens)
    _deliver_late(happens)
    _repair({wid: one.failure for wid, one in orders.items() if one.is_repaired})
    api.cases.sign()
    _divide()
    return sum(one.open for one in api.cases.groups([FLOW]))


def _work(orders: Orders) -> None:
    """Perform the steps of the orders that succeed."""
    for name in _STEPS:
        able = {wid for wid, one in orders.items() if name in one.results}
        done = [Completion(job, _result(job, orders[job.wid].results[name])) for job in _held(name, able)]
        api.jobs.complete_many(FLOW, done, actor=SHOP)


def _held(name: str, wids: Collection[int]) -> list[ClaimedJob]:
    """Return the jobs of a transition in these orders, held by the shop for as long as all this may take."""
    numbers = [one.id for one in api.jobs.offer(FLOW, [name], _MOST, actor=SHOP) if one.wid in wids]
    return api.jobs.lease_many(FLOW, [name], _MOST, SHOP, duration=timedelta(hours=1), job_ids=numbers)


def _result(job: ClaimedJob, text: str) -> dict[str, Any]:
    """Return the changes that the shop writes for a job; `text` is the result if there can be several."""
    today = timezone.localdate()
    results: dict[str, Callable[[], dict[str, Any]]] = {
        "tr_charge": lambda: {"payment": text},
        "tr_reserve": lambda: {"stock": text},
        "tr_invoice": lambda: {"invoice": f"{today}-{job.wid:06d}"},
        "tr_ship": lambda: {"parcel": f"{job.state['country']}{job.id:09d}"},
        "tr_deliver": lambda: {"delivered_on": (today + timedelta(days=_DAYS.get(text, 0))).isoformat()},
    }
    return results[job.transition]()


def _abort(orders: Orders) -> None:
    for wid, one in orders.items():
        if one.aborted:
            api.compensations.abort(wid, one.aborted, actor=SENIOR)


def _fail(orders: Orders) -> None:
    """Let jobs fail until their attempts are used up; the demo's transitions are repeated at once."""
    for name, error in {(one.fails, one.error) for one in orders.values() if one.fails}:
        wids = {wid for wid, one in orders.items() if (one.fails, one.error) == (name, error)}
        while held := _held(name, wids):
            api.jobs.fail_many(FLOW, [Failed(job, error) for job in held], actor=SHOP)


def _deliver_late(orders: Orders) -> None:
    """Let workers deliver results after others have performed the same jobs with another result."""
    for late in {one.late for one in orders.values() if one.late}:
        name, first, second = late
        wids = {wid for wid, one in orders.items() if one.late == late}
        held = _held(name, wids)
        for job in held:
            api.operations.release_job(job.wid, job.id, "The worker does not report.", actor=SENIOR)
        for jobs, text in ((_held(name, wids), first), (held, second)):
            done = [Completion(job, _result(job, text)) for job in jobs]
            api.jobs.complete_many(FLOW, done, actor=COURIER if name == "tr_deliver" else SHOP)
    api.repairs.decide_late()


def _repair(orders: Orders) -> None:
    """Repair these exceptions as a clerk, and let the shop finish their orders."""
    numbers = {one.wid: one.number for one in api.cases.list([FLOW], limit=_MOST)}
    for wid, one in orders.items():
        api.cases.claim(numbers[wid], CLERK)
        api.repairs.repair(wid, *one.repair, one.why, actor=CLERK)
        api.cases.change(numbers[wid], {"reason_code": one.code}, CLERK)
    _work(dict.fromkeys(orders, _AFTER_A_REPAIR))


def _divide() -> None:
    """Claim some of the open cases, and put others aside: the last ones, as people open the first ones."""
    cards = api.cases.list([FLOW], {"queue": "cards"}, limit=_MOST)[-9:]
    for one in cards[:3]:
        api.cases.claim(one.number, SENIOR, minutes=240)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    for one in cards[3:]:
        api.cases.comment(one.number, CLERK, "I have asked the customer for another card.")
        api.cases.wait(one.number, tomorrow, CLERK, "The customer answers.")
