"""The doors by which an operation on an instance is performed, and what each restriction lets pass by which.

A door opens (a page is read, an operation on many is requested) and is passed through (the form is sent, the
reaper performs). A restriction that comes between is seen as one that was there before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.core.management import CommandError
from django.db import connection, transaction
from django.test import Client
from psycopg.pq import TransactionStatus

from flows import api
from flows.capabilities.bulk.api import BulkRequest
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.errors import WedError
from flows.management.commands.operate import CHOICES as OPERATE
from flows.management.commands.operate import of_many
from flows.tests.commands import run
from flows.tests.pages import Form
from monitor.bulk.choices import ALL
from monitor.operations import OPERATIONS
from monitor.recovery.choices import CHOICES
from monitor.tests.api.test_registry import ADDRESS
from monitor.tests.server.programs import Program

INERROR = TransactionStatus.INERROR
REASON = "Why."
Pass = Callable[[], Any]


@dataclass
class Case:
    """An instance on which an operation is possible, what the operation is about, and who asks."""

    flow: str
    wid: int
    operation: str
    given: Mapping[str, Any]
    user: User
    pages: Client
    program: Program
    seq: int = 0
    fields: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.seq = api.reasons.explain_instance(self.wid).seq

    @property
    def job(self) -> int | None:
        return self.given.get("job")


Door = Callable[[Case], Pass]


def _sent(case: Case, address: str, typed: Mapping[str, Any]) -> Pass:
    """Read a form; return a function that sends it."""
    about = {name: case.given[name] for name in ("job", "late") if name in case.given}
    found = Form(case.pages.get(address, about).content.decode()).fields
    fields = {name: value for name, value in found.items() if name != "next"}
    return lambda: case.pages.post(address, fields | about | dict(typed))


def page(case: Case) -> Pass:
    """Perform it by its page."""
    place, name = f"/instances/{case.wid}", case.operation
    if name in CHOICES:
        return _by_repair_page(case)
    if name == "rematch":
        return lambda: case.pages.post(f"{place}/rematch/")
    if name == "undo":
        return lambda: case.pages.post(f"{place}/undo/", {"seq": case.seq})
    if name == "hand_over":
        return _sent(case, f"{place}/hand-over/", {"reason": REASON, "peer": "there", "hours": 9})
    address = f"{place}/cancel/" if name == "cancel" else f"{place}/operate/{name}/"
    return _sent(case, address, {"reason": REASON, "priority": 3, "time": "60", "to": "press"})


def _by_repair_page(case: Case) -> Pass:
    address = f"/instances/{case.wid}/repair/"
    changes = {f"value-{name}": value for name, value in case.given.get("changes", {}).items()}
    about = {name: case.given[name] for name in ("job", "late") if name in case.given}
    step = {"step": case.given["seq"]} if "seq" in case.given else {}
    asked = {"operation": case.operation, **about, **step}
    seen = Form(case.pages.get(address, asked).content.decode()).fields
    sent = {**seen, **asked, **changes, "do": "preview"}
    sent.pop("next", None)
    found = Form(case.pages.post(address, sent).content.decode()).fields
    found.pop("next", None)
    return lambda: case.pages.post(address, {**found, "do": "apply", "reason": REASON})


def http_repair(case: Case) -> Pass:
    body = {"operation": case.operation, "arguments": dict(case.given), "reason": REASON, "seq": case.seq}
    return lambda: case.program.post(f"/instances/{case.wid}/repair", body)


def http_address(case: Case) -> Pass:
    more: dict[str, dict[str, Any]] = {
        "priority": {"priority": 3}, "extend": {"seconds": 60}, "reassign": {"to": "press"},
    }  # fmt: skip
    body = {"reason": REASON, **more.get(case.operation, {})}
    address = ADDRESS[case.operation].format(job=case.job)
    return lambda: case.program.post(f"/instances/{case.wid}/{address}", body)


def _run(*line: str) -> Pass:
    return lambda: run(*line)


def _words(case: Case) -> list[str]:
    changes = [f"{name}={value}" for name, value in case.given.get("changes", {}).items()]
    return [*(f"{name}={value}" for name, value in case.given.items() if name != "changes"), *changes]


def command_repair(case: Case) -> Pass:
    line = ["repair", str(case.wid), case.operation, *_words(case), "--reason", REASON]
    return _run(*line, "--expect", str(case.seq), "--actor", case.user.username)


def command_operate(case: Case) -> Pass:
    more = {"priority": ["--to", "3"], "extend": ["--by", "60"], "reassign": ["--to", "press"]}
    line = ["operate", case.operation, str(case.wid), "--reason", REASON, *more.get(case.operation, [])]
    return _run(*line, *(["--job", str(case.job)] if case.job else []), "--actor", case.user.username)


def command_moves(case: Case) -> Pass:
    return _run("moves", "send", str(case.wid), "--to", "there", "--reason", REASON)


def _request(case: Case) -> BulkRequest:
    more: dict[str, Any] = {"priority": {"priority": 3}, "reassign": {"assignee": "press"}}
    given: dict[str, Any] = {"rollback": {"steps": 1}}.get(case.operation, {})
    if "changes" in case.given:
        given = {"changes": case.given["changes"]}
    transition = "tr_work" if case.operation in ("complete", "skip") else ""
    return BulkRequest(
        case.operation, REASON, transition=transition, arguments=given, **more.get(case.operation, {})
    )


def tried(call: Pass) -> Any:
    """Return what a call returns or raises; the transaction goes on, as another would outside of a test."""
    place = transaction.savepoint()
    try:
        return call()
    except (WedError, CommandError) as error:
        return error
    finally:
        if connection.needs_rollback or connection.connection.info.transaction_status == INERROR:
            connection.needs_rollback = False
            transaction.savepoint_rollback(place)


def many(case: Case) -> Pass:
    """Request it for many instances, one of them this one, and have the reaper perform it."""

    def passed() -> None:
        tried(lambda: api.bulk.request(_request(case), [case.wid], expected=1, actor=case.user.username))
        api.bulk.continue_bulk()

    return passed


def reaper(case: Case) -> Pass:
    """Have the reaper perform what was requested for many."""
    api.bulk.request(_request(case), [case.wid], expected=1, actor=case.user.username)
    return api.bulk.continue_bulk


def http_many(case: Case) -> Pass:
    asked = _request(case)
    body = {
        "operation": case.operation, "q": f"id:{case.wid}", "arguments": dict(asked.arguments),
        "transition": asked.transition,
    }  # fmt: skip
    place = f"/flows/{case.flow}/repairs"
    answer = case.program.post(f"{place}/preview", body)
    assert answer.status_code == 200, (case.operation, answer.content)
    seen = json.loads(answer.content)
    body |= {"reason": REASON, "expected": seen["total"], "digest": seen["digest"]}

    def passed() -> None:
        tried(lambda: case.program.post(place, body))
        api.bulk.continue_bulk()

    return passed


def command_many(case: Case) -> Pass:
    more = {"priority": ["--to", "3"], "reassign": ["--to", "press"]}.get(case.operation, [])
    line = ["operate", case.operation, "--filter", f"id:{case.wid}", "--flow", case.flow, *more]
    called = _run(*line, "--reason", REASON, "--actor", case.user.username)

    def passed() -> None:
        tried(called)
        api.bulk.continue_bulk()

    return passed


def policy(case: Case) -> Pass:
    given = {name: value for name, value in case.given.items() if name not in ("job", "seq")}
    api.repairs.save_policies(case.flow, [RecoveryPolicy("p", case.operation, given)], "dora")
    return api.repairs.run_policies


def doors_of(operation: str) -> dict[str, Door]:
    """Return the doors by which an operation of the kernel's table is performed."""
    one = api.operations.table()[operation]
    found: dict[str, Door] = {"http repair": http_repair, "command repair": command_repair, "page": page}
    if operation in ADDRESS:
        found["http address"] = http_address
    if operation in OPERATE:
        found["command operate"] = command_operate
    if operation == "hand_over":
        found["command moves"] = command_moves
    if one.many is not None:
        found |= {"many": many, "reaper": reaper}
    if one.many is not None and one.form == "repair":
        found["http many"] = http_many
    if operation in of_many():
        found["command many"] = command_many
    if one.in_policies and "E" in one.statuses and operation not in ("replay", "rollback"):
        found["policy"] = policy
    return found


PAGES = {*OPERATIONS, *CHOICES, *ALL, "cancel", "rematch", "undo", "hand_over"}
