"""A flow with an attribute of every type, users with different rights, and `Parcels`, which runs the flow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from flows import api
from flows.tests.pages import unique
from pages.live import listener

HERE = " in monitor"
_SAMPLE = re.compile(r'^[a-z_]+(\{([a-z]+="(\\.|[^"\\\n])*",?)*\})? -?(\d+(\.\d+)?(e[+-]?\d+)?)$')
PARCELS = """
insert into wed_attr (aname, adv, type, options, label) values
  ('customer', null, 'text', null, 'Customer'), ('weight', null, 'numeric', null, ''),
  ('pieces', '1', 'integer', null, ''), ('fragile', 'false', 'boolean', null, ''),
  ('due', null, 'date', null, ''), ('seen', null, 'timestamptz', null, ''),
  ('wait', null, 'interval', null, ''), ('extra', null, 'jsonb', null, ''),
  ('stage', 'new', 'enum', '{new,packed,sent,lost}', 'Stage');
insert into wed_trig (tgname, trname, cname, cpred, label) values
  ('g_pack', 'tr_pack', 'c_new', $$stage = 'new'$$, 'Pack it'),
  ('g_label', 'tr_label', 'c_unlabelled', $$stage = 'new' and extra is null$$, ''),
  ('g_send', 'tr_send', 'c_packed', $$stage = 'packed' and extra is not null$$, '');
insert into wed_trig (cpred, cfinal) values ($$stage = 'sent'$$, true);
"""


@dataclass
class Parcels:
    """Starts instances of one flow and performs its transitions, as a worker would."""

    flow: str
    connection: psycopg.Connection[Any]
    wids: list[int] = field(default_factory=list)

    def start(self, **state: Any) -> int:
        wid = self._one("select wedsql.start(%s, %s, 'shop')", self.flow, json.dumps(state))
        self.wids.append(wid)
        return int(wid)

    def start_many(self, count: int, **state: Any) -> list[int]:
        states = [json.dumps(state)] * count
        found = self.connection.execute(
            "select wid from wedsql.start_many(%s, %s::jsonb[], 'shop') order by ord", [self.flow, states]
        )
        return [wid for (wid,) in found]

    def do(self, transition: str, wid: int, **changes: Any) -> None:
        """Take the job of this instance and complete it."""
        with self.connection.transaction():
            job = self._one("select id from wedsql.job_pool where wid = %s and trname = %s", wid, transition)
            self._one(
                "select count(*) from wedsql.take(%s, %s, 1, 'worker', %s)", self.flow, [transition], [job]
            )
            result = self.connection.execute(
                "select ok, message"
                " from wedsql.complete_many(%s, %s, %s, %s::bigint[], %s::jsonb[], 'worker')",
                [self.flow, [wid], [job], [None], [json.dumps(changes)]],
            ).fetchone()
            assert result is not None and result[0], result

    def send(self, wid: int) -> None:
        """Perform all three steps, so that the instance ends."""
        self.do("tr_label", wid, extra={"label": 1})
        self.do("tr_pack", wid, stage="packed")
        self.do("tr_send", wid, stage="sent")

    def make_exception(self, wid: int) -> None:
        """Make the instance an exception: no condition holds."""
        self.do("tr_label", wid, extra={})
        self.do("tr_pack", wid, stage="lost")

    def park(self, transition: str, wid: int, why: str) -> None:
        """Fail a job of the transition, which gets one attempt from now on."""
        self.connection.execute(
            "update wedsql.trig set max_attempts = 1 where flow_id = %s and trname = %s",
            [self.flow_id, transition],
        )
        with self.connection.transaction():
            job = self._one("select job_id from wedsql.take(%s, %s)", self.flow, [transition])
            self._one(
                "select count(*) from wedsql.fail_many(%s, %s, %s, '{null}', %s, '{}', 'failed', 'bob')",
                *(self.flow, [wid], [job], [why]),
            )

    @property
    def flow_id(self) -> int:
        return int(self._one("select id from wedsql.flow where name = %s", self.flow))

    def _one(self, statement: str, *params: Any) -> Any:
        found = self.connection.execute(statement, params).fetchone()
        return found[0] if found else None


@pytest.fixture
def parcels(loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]]) -> Parcels:
    """Parcels on a new flow of parcels."""
    return Parcels(loaded(PARCELS), connect())


@pytest.fixture
def site(dsn: str, django_db_blocker: Any) -> Iterator[None]:
    """Django's connection as the pages have it, without a transaction around the test.

    A test's own transaction would hold a lock on the flow, and the fixture `flow` could not drop it.
    """
    with django_db_blocker.unblock():
        before = list(Group.objects.values_list("pk", flat=True))
        yield
        User.objects.filter(username__endswith=HERE).delete()
        Group.objects.exclude(pk__in=before).delete()


@pytest.fixture
def payments(site: None) -> Iterator[str]:
    """The name of a flow that waits for a payment, is started by orders and has a masked attribute."""
    name = unique()
    api.flows.create(name)
    attributes = [{"name": "paid"}, {"name": "card", "visibility": "masked"}]
    triggers = [
        {"transition": "payment", "predicate": "paid is null", "signal": True},
        {"predicate": "paid is not null", "final": True},
    ]
    api.flows.publish(name, {"attributes": attributes, "triggers": triggers, "start_by": ["placed"]})
    yield name
    api.flows.drop(name, force=True)


def person(name: str, *groups: str, staff: bool = False, permission: str = "") -> User:
    user = User.objects.create_user(name + HERE, is_staff=staff)  # without a password, as hashing is slow
    user.groups.set([Group.objects.get_or_create(name=group)[0] for group in groups])
    if permission:
        user.user_permissions.add(Permission.objects.get(codename=permission))
    return user


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def alice(site: None) -> Client:
    """A designer: staff, sees every flow."""
    return client_of(person("alice", staff=True))


@pytest.fixture
def carol(parcels: Parcels, site: None) -> Client:
    """A user who sees the parcels only."""
    return client_of(person("carol", f"flow:{parcels.flow}"))


@pytest.fixture
def mallory(site: None) -> Client:
    """A user without rights."""
    return client_of(person("mallory", "flow:", "flow:%", "flow:parcels"))


@pytest.fixture
def line(dsn: str, settings: Any, site: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """Point the listener at the test's database, as the read-only role; it ends with the last watcher."""
    own = "wed" if conninfo_to_dict(dsn).get("user") == "wed" else None
    settings.MONITOR_DATABASE_URL = make_conninfo(dsn, user="wed_monitor") if own else dsn
    monkeypatch.setattr(listener, "LINGER_SECONDS", 0.0)
    monkeypatch.setattr(listener, "POLL_SECONDS", 0.2)
    return settings.MONITOR_DATABASE_URL


def get(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, response.status_code
    return response.content.decode()


def text_of(html: bytes | str) -> str:
    """Return the visible text, with single spaces."""
    page = html.decode() if isinstance(html, bytes) else html
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def numbers_of(metrics: str) -> dict[str, float]:
    """Return the samples of a page of metrics; a line that is not in Prometheus' format fails the test."""
    samples = [line for line in metrics.splitlines() if not line.startswith("#")]
    assert all(_SAMPLE.match(line) for line in samples), [line for line in samples if not _SAMPLE.match(line)]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in samples)}
