"""One rule at every door: what each operation does by each door under each restriction.

The operations are those of the kernel's table and the doors follow from it, so a new one is walked at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import connection, transaction
from django.test import Client

from flows import api
from flows.access import PERMISSIONS
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.moves.api import Peer
from flows.errors import WedError
from flows.tests.pages import unique
from flows.tests.statuses import PUBLIC_KEY
from monitor.tests.api.test_registry import ADDRESS
from monitor.tests.server.programs import program
from testkit.cases import pairs
from tests.access import matrix
from tests.access.changing import DOORS, ELSEWHERE, known
from tests.access.command_matrix import commands
from tests.access.doors import PAGES, Case, Door, doors_of, tried

pytestmark = pytest.mark.django_db
DEFINITION: dict[str, Any] = {
    "attributes": [{"name": each} for each in ("a", "b", "c", "d")],
    "triggers": [
        {"transition": "tr_do", "predicate": "a is null", "compensation": "transition",
         "compensated_by": "tr_undo"},
        {"transition": "tr_work", "predicate": "a = 'x' and b is null", "max_attempts": 1,
         "timeout": "1 hour"},
        {"predicate": "b = 'end'", "final": True},
        {"name": "never", "predicate": "d is null or d <> 'no'", "integrity": "always"},
    ],
    "final_when_pending": "cancel",
}  # fmt: skip
GIVEN: dict[str, dict[str, Any]] = {
    "patch": {"changes": {"c": "y"}}, "complete": {"changes": {"c": "y"}}, "rollback": {"seq": 1},
    "replay": {"seq": 1}, "branch": {"seq": 1}, "compensate": {"seq": 2}, "extend": {"seconds": 60},
    "priority": {"priority": 3}, "reassign": {"worker": "press"}, "hand_over": {"peer": "there"},
}  # fmt: skip
FACTS = """
select jsonb_build_object(
  'instance', (select to_jsonb(i) - 'changed_at' from wedsql.instance i where i.wid = %(wid)s),
  'steps', (select count(*) from wedsql.wed_trace t where t.wid = %(wid)s),
  'jobs', (select jsonb_agg(to_jsonb(j) order by j.id) from wedsql.job_pool j where j.wid = %(wid)s),
  'late', (select jsonb_agg(to_jsonb(l) order by l.id) from wedsql.late_result l where l.wid = %(wid)s),
  'instances', (select count(*) from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                where f.name = %(flow)s))::text
"""


class Shop:
    """A flow, a user who may do everything in it, and instances on which an operation is possible."""

    def __init__(self) -> None:
        self.flow = unique()
        api.flows.create(self.flow)
        api.flows.publish(self.flow, DEFINITION)
        self.user = User.objects.create_user(f"ann_{self.flow}")
        groups = [f"flow:{self.flow}:{each}" for each in PERMISSIONS if each != "see"]
        self.user.groups.set([Group.objects.get_or_create(name=each)[0] for each in groups])
        self.pages = Client()
        self.pages.force_login(self.user)
        self.program = program(self.user, "operate", "handle", "repair", "move")
        api.moves.create_identity("here", replace=True)
        api.moves.save_peer(Peer("51cd1084-945b-42fc-9bfd-8fca5d9dc300", "there", PUBLIC_KEY), "ana")

    def step(self, wid: int, transition: str, **changes: Any) -> None:
        api.jobs.complete(self.lease(wid, transition), changes)

    def lease(self, wid: int, transition: str = "tr_work") -> Any:
        (job,) = (each for each in api.reasons.explain_jobs(wid) if each.transition == transition)
        (leased,) = api.jobs.lease_many(self.flow, [transition], 1, "w", job_ids=[job.id])
        return leased

    def running(self) -> int:
        wid = api.instances.start(self.flow)
        self.step(wid, "tr_do", a="x")
        return wid

    def prepared(self, operation: str, door: str = "") -> Case:
        """Return an instance on which the operation is possible by a door, with its arguments."""
        wid = self.running()
        (job,) = api.reasons.explain_jobs(wid)
        given: dict[str, Any] = (
            {"job": job.id} if "job" in api.operations.table()[operation].arguments else {}
        )
        if operation == "rematch":
            api.operations.withdraw_job(wid, job.id, "Again.")
        elif operation in ("retry", "patch", "accept", "undo") or door == "policy":
            api.jobs.fail(self.lease(wid), "no")
        elif operation in ("release", "extend"):
            self.lease(wid)
        elif operation == "resume":
            api.operations.suspend(wid, "Later.")
        elif operation == "skip_compensation":
            api.compensations.abort(wid, "No.")
        elif operation in ("merge_late", "discard_late"):
            given = {"late": self.late(wid)}
        if operation == "undo":
            api.repairs.repair(wid, "patch", {"changes": {"c": "y"}}, "Why.", actor=self.user.username)
        given |= GIVEN.get(operation, {})
        return Case(self.flow, wid, operation, given, self.user, self.pages, self.program)

    def late(self, wid: int) -> int:
        """Return the number of a result that came after that of another worker, so that a person decides."""
        held = self.lease(wid)
        api.operations.release_job(wid, held.id, "Slow.")
        self.step(wid, "tr_work", c="other")
        with pytest.raises(WedError):
            api.jobs.complete(held, {"c": "late"})
        api.repairs.decide_late()
        (found,) = api.repairs.late_results(wid)
        return int(found.id)


def approvals(case: Case) -> None:
    api.approvals.save_rules(case.flow, [ApprovalRule(1)], actor="x")


def away(case: Case) -> None:
    _set("update wedsql.instance set status = 'M' where wid = %s", case.wid)


def moved(case: Case) -> None:
    _set("update wedsql.instance set seq = seq + 1 where wid = %s", case.wid)


def claimed(case: Case) -> None:
    """Let another person have the open case of the instance."""
    for found in api.cases.list([case.flow], {"wid": case.wid}):
        api.cases.claim(found.number, "zoe")


def without_rights(case: Case) -> None:
    case.user.groups.set(Group.objects.filter(name=f"flow:{case.flow}:look"))


def deactivated(case: Case) -> None:
    case.user.is_active = False
    case.user.save()


def broken(case: Case) -> None:
    """Let the operation write a state that an integrity condition forbids."""
    assert "changes" in case.given
    case.given = {**case.given, "changes": {"d": "no"}}


def _set(text: str, *params: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(text, params)


# When each restriction comes: after the form, preview or request was made, so that it is older; the
# values that are typed, before it.
BEFORE: dict[str, Callable[[Case], None]] = {"integrity": broken}
AFTER: dict[str, Callable[[Case], None]] = {
    "approvals": approvals, "away": away, "moved": moved, "claimed": claimed, "rights": without_rights,
    "deactivated": deactivated,
}  # fmt: skip
NO_STEP = "it names no step"
BY_PROGRAMS = "its person has no session; flows.users.requesters ends what waits (test_lost_rights)"
NOT_ASKED = "a claim reserves a case for a person, and prevents nothing; it is shown"
# What passes, by restriction: by a door, an operation, or the operations of a form by a door.
PASSES: dict[str, dict[str, str]] = {
    "approvals": {"priority": "the order of jobs changes no state"},
    "away": {},
    "moved": {
        **dict.fromkeys(
            ("command operate", "command moves", "http address", "policy", "command many"), NO_STEP
        ),
        "many": "it is requested after the step",
        "page: operation": f"{NO_STEP}; what it does depends on no value that was seen",
        "reaper: operation": "the status that was confirmed is compared, what it does depends on no value",
    },
    "claimed": {"rematch": "conditions are evaluated, and the case stays with its person"}
    | dict.fromkeys(("command repair", "command operate", "command many", "reaper", "many"), NOT_ASKED),
    "rights": dict.fromkeys(
        ("command repair", "command operate", "command moves", "command many", "reaper", "many", "policy"),
        BY_PROGRAMS,
    ),
    "integrity": {},
}
PASSES["deactivated"] = PASSES["rights"]


@pytest.fixture
def shop(db: None) -> Shop:
    return Shop()


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def facts(case: Case) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(FACTS, {"wid": case.wid, "flow": case.flow})
        return json.loads(cursor.fetchone()[0])


def changes(case: Case, door: Door, restriction: str) -> bool:
    """Return whether the instance is another one after it was performed."""
    if restriction in BEFORE:
        BEFORE[restriction](case)
    passed = tried(lambda: door(case))
    if restriction in AFTER:
        AFTER[restriction](case)
    before = facts(case)
    tried(passed)
    return bool(facts(case) != before)


def applies(case: Case, restriction: str) -> bool:
    if restriction == "integrity":
        return "changes" in case.given
    return restriction != "claimed" or bool(api.cases.list([case.flow], {"wid": case.wid}))


def test_each_operation_at_each_door_under_each_restriction(shop: Shop) -> None:
    wrong, seen = [], count()
    for operation in api.operations.table():
        for restriction, (door, call) in pairs(["", *BEFORE, *AFTER], doors_of(operation).items(), 6):
            with undone():
                case = shop.prepared(operation, door)
                if not applies(case, restriction):
                    continue
                next(seen)
                found = changes(case, call, restriction)
                passes = PASSES.get(restriction, {})
                form = api.operations.table()[operation].form
                expected = not restriction or bool({door, operation, f"{door}: {form}"} & set(passes))
                if found != expected:
                    wrong.append((operation, door, restriction, found))
    assert not wrong, "\n".join(map(str, wrong))
    assert next(seen) > 120


def changing() -> set[str]:
    """Return the addresses that take a POST, those of the admin aside, and the commands that change."""
    routes = {route for route, (_get, post) in matrix.urls().items() if set(post) != {"-"}}
    return {route for route in routes if not route.startswith("admin/")} | set(commands())


def test_each_address_and_command_that_changes_something_is_known() -> None:
    """A new one is a door of an operation, is walked over by another test, or changes no instance."""
    assert changing() == set(known()), "write it into one of the groups of tests/access/changing.py"
    for place in ELSEWHERE:
        assert (Path(settings.BASE_DIR) / place).is_file(), place


def test_each_operation_has_a_page_and_the_walk_has_all_of_its_addresses(shop: Shop) -> None:
    assert set(api.operations.table()) == PAGES
    addresses = {
        f"api/v1/instances/<int:wid>/{each}".replace("{job}", "<int:job>") for each in ADDRESS.values()
    }
    assert addresses <= DOORS
