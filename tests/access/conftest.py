"""A flow with entries in every list, and an account for each role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import Group, Permission, User
from django.db import connections
from django.db.models import Model
from django.test import Client
from django.utils import timezone
from django_q.models import Schedule, Task

from flows import api
from flows.capabilities.bulk.api import BulkRequest
from monitor.tests.conftest import PARCELS, Parcels

MINE = " in the matrix"
DESIGN = [
    f"{action}_{model}"
    for action in ("view", "add", "change", "delete")
    for model in ("flow", "attribute", "trigger")
]
# The roles that have one right in one flow.
OWN = {"own designer": "design", "own approver": "approve", "own clerk": "handle"}
# What is asked of a webhook and of a case; of an alert: to be silenced.
VERBS = {
    "devices": "activate",
    "tasks": "release",
    "webhooks": "test",
    "cases": "claim",
    "proposals": "approve",
}
# An open case gets a file; the HTTP API reads another than pages remove.
FILE = """select wedsql.attach_case_file(min(number), 'a', 'x',
  '{"size": 9, "of_case": 9, "of_flow": 9}', 'x') ->> 'id'
  from wedsql.repair_case where flow_id = %(flow)s"""
# Each query selects one row of a table that only the kernel writes.
KERNEL = {
    "flows/job": "select min(id) from wedsql.job_pool where wid = %(wid)s",
    "flows/joblog": "select min(id) from wedsql.job_log where flow_id = %(flow)s",
    "flows/conditionerror": "select min(tgid) from wedsql.condition_error where flow_id = %(flow)s",
    "alert": "select wedsql.save_alert_rule(%(name)s,"
    """ '{"name": "x", "kind": "count", "sign": ">", "threshold": 1}', 'x') ->> 'id'""",
    "webhook": "select wedsql.save_webhook(%(name)s,"
    """ '{"url": "https://example.org/", "secret": "s", "events": ["final"]}', 'x') ->> 'id'""",
    "error": """with made as (
      insert into wedsql.failure (kind, message) values ('Down', %(name)s) returning id)
    insert into wedsql.failure_flow (failure_id, flow_id, trname, n, first_at, last_at)
    select id, %(flow)s, 'tr_pack', 1, now(), now() from made returning failure_id""",
    "case": "select min(number) from wedsql.repair_case where flow_id = %(flow)s",
    "device": "select wedsql.device_seen(%(name)s, 'phone-of-a-technician') ->> 'device'",
    "move": """with own as (
      insert into wedsql.installation (id, name, public_key, private_key, created_at)
      values (gen_random_uuid(), 'here', sha256('1'), sha256('2'), now()) on conflict (one) do nothing)
    insert into wedsql.move (id, direction, flow, peer_id, origin, origin_wid, counter, state, document,
                             actor, reason, begun_at, expires_at)
    values (gen_random_uuid(), 'O', %(name)s, gen_random_uuid(), gen_random_uuid(), 1, 1, 'offered', '{}',
            'x', 'x', now(), now()) returning id""",
    "task": "select min(job_id) from wedsql.task where flow_id = %(flow)s",
    "file": FILE,
    "api file": FILE,
    "proposal": "with rule as materialized (select count(*) as n from wedsql.save_approval_rules(%(name)s,"
    """ '[{"approvals": 1, "operations": ["branch"]}]', 'x'))"""
    """ select wedsql.propose_repair(%(wid)s, 'branch', '{"seq": 1}', 'x', 'x') ->> 'number' from rule"""
    " where rule.n = 1",
    "flows/workerprocess": "select min(id) from wedsql.worker where name = %(name)s",
}


@dataclass(frozen=True)
class SampleData:
    """A flow with an instance, and a row of every model that the admin shows, by `app/model`."""

    parcels: Parcels
    wid: int
    rows: dict[str, Any]
    bulk: int = 0

    def values(self, route: str) -> dict[str, str]:
        """Return the values of the parameters of a route."""
        key = next((str(pk) for model, pk in self.rows.items() if route.startswith(f"admin/{model}/")), "1")
        return {
            "name": self.parcels.flow,
            "example": "order",
            "operation": "suspend",
            "ending": "xes" if "history." in route else "csv",
            "saved_view": "1",
            "bulk": str(self.bulk),
            "rule": str(self.rows["alert"]),
            "hook": str(self.rows["webhook"]),
            "number": str(self.rows["error"]),
            "case": str(self.rows["case"]),
            "task": str(self.rows["task"]),
            "device": str(self.rows["device"]),
            "move": str(self.rows["move"]),
            "file": str(self.rows["api file" if route.startswith("api/") else "file"]),
            "proposal": str(self.rows["proposal"]),
            "verb": VERBS.get("proposals" if "proposals/" in route else route.partition("/")[0], "silence"),
            "flow_id": str(self.parcels.flow_id),
            "wid": str(self.wid),
            "person": str(self.rows["auth/user"]),
            "object_id": key,
            "id": key,
        }

    def user(self, role: str) -> User:
        """Create the account of this role."""
        admin = {"is_staff": role in ("staff", "designer", "superuser"), "is_superuser": role == "superuser"}
        user = User.objects.create_user(role + MINE, **admin)
        if role in ("viewer", "operator"):
            user.groups.add(self.rows["auth/group"])
        elif role in OWN:
            user.groups.add(Group.objects.get_or_create(name=f"flow:{self.parcels.flow}:{OWN[role]}")[0])
        rights = {"operator": ["change_instance", "change_job"], "designer": DESIGN}.get(role, [])
        user.user_permissions.set(
            Permission.objects.filter(content_type__app_label="flows", codename__in=rights)
        )
        return user

    def client(self, role: str) -> Callable[[], Client]:
        """Return a function that creates a test client of this role, which returns errors as responses."""
        user = None if role == "anonymous" else self.user(role)

        def browser() -> Client:
            client = Client(raise_request_exception=False)
            if user:
                client.force_login(user)
            return client

        return browser


@pytest.fixture
def sample(
    loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]], django_db_blocker: Any
) -> Iterator[SampleData]:
    """A sample committed outside of a transaction, so that pages see it; it is deleted afterwards."""
    parcels = Parcels(loaded(PARCELS), connect())
    parcels.connection.execute(
        f"insert into {parcels.flow}.wed_trig (trname, cpred, performer, role)"
        " values ('tr_look', $$pieces = 77$$, 'person', 'Looker')"
    )
    with django_db_blocker.unblock():
        made = _site_rows(parcels.flow)
        try:
            wid = parcels.start()
            rows = {name: row.pk for name, row in made.items()} | _kernel_rows(parcels, wid)
            request = BulkRequest("suspend", "The reaper does not run here.")
            bulk = api.bulk.request(request, [wid], expected=1, conn=parcels.connection)
            yield SampleData(parcels, wid, rows, bulk.id)
        finally:
            parcels.connection.execute("delete from wedsql.bulk")
            parcels.connection.execute("delete from wedsql.worker where name = %s", [parcels.flow])
            parcels.connection.execute("delete from wedsql.job_log where flow_id = %s", [parcels.flow_id])
            for row in made.values():
                row.delete()
            User.objects.filter(username__endswith=MINE).delete()
            Group.objects.filter(name__startswith=f"flow:{parcels.flow}:").delete()
            connections.close_all()


def _site_rows(name: str) -> dict[str, Model]:
    now = timezone.now()
    ended = {"func": "f", "name": name, "started": now, "stopped": now}
    task = name.replace("_", "")  # the admin reads an underscore before two digits as a quoted character
    return {
        "auth/group": Group.objects.create(name=f"flow:{name}"),
        "auth/user": User.objects.create_user("object" + MINE),
        "axes/accessattempt": AccessAttempt.objects.create(username=name, failures_since_start=1),
        "axes/accesslog": AccessLog.objects.create(username=name),
        "axes/accessfailurelog": AccessFailureLog.objects.create(username=name),
        "django_q/schedule": Schedule.objects.create(func="f", name=name),
        "django_q/success": Task.objects.create(id=f"{task}+", success=True, **ended),
        "django_q/failure": Task.objects.create(id=f"{task}-", success=False, **ended),
    }


def _kernel_rows(parcels: Parcels, wid: int) -> dict[str, Any]:
    names = {"wid": wid, "flow": parcels.flow_id, "name": parcels.flow}
    parcels.make_exception(parcels.start())
    parcels.start(pieces=77)  # a task
    parcels.connection.execute("select wedsql.register_worker('cluster', %(name)s, 'host', 1, '{}')", names)
    parcels.connection.execute(
        "insert into wedsql.condition_error_sum (tgid, flow_id, last_at, sqlstate, message, wid)"
        " select min(tgid), %(flow)s, now(), '22012', 'division by zero', %(wid)s"
        " from wedsql.trig where flow_id = %(flow)s",
        names,
    )
    parcels.connection.execute(
        "insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome)"
        " values (1, %(wid)s, 1, %(flow)s, 'tr_label', now(), 'failed')",
        names,
    )
    found = {name: parcels.connection.execute(query, names).fetchone() for name, query in KERNEL.items()}
    rows = {name: row[0] for name, row in found.items() if row}
    return rows | {"flows/flow": parcels.flow_id, "flows/instance": wid, "flows/traceentry": f"{wid}.1"}
