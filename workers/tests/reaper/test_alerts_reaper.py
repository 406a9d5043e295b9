"""A real reaper starts and ends alerts, and notifies receivers of which some do not answer."""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api
from flows.capabilities.alerts.api import AlertRule
from testkit.processes import Processes
from testkit.waiting import until
from workers.tests.conftest import Shop
from workers.tests.reaper.receiver import Receiver, receiving

Db = psycopg.Connection[Any]


class Installation:
    """A flow, the rules of its alerts, and reapers that allow webhooks inside the network of this machine."""

    def __init__(self, shop: Shop, processes: Processes, mails: Path) -> None:
        self.shop, self.processes, self.mails = shop, processes, mails
        mails.mkdir()

    def start_reaper(self) -> None:
        self.processes.manage(
            "qcluster",
            Q_CLUSTER_NAME="reaper",
            WEDSQL_PROCESS="reaper",
            DATABASE_URL=self.processes.reaper_uri,
            WEDSQL_WEBHOOK_HTTP="1",
            WEDSQL_WEBHOOK_INTERNAL="1",
            WEDSQL_EMAIL_HOST="mail.example",
            WEDSQL_TEST_MAILS=str(self.mails),
        )

    def rule(self, name: str, **more: Any) -> int:
        rule = AlertRule(name, "count", ">", 0, "status:running n>=5", secret="quiet", **more)
        return api.alerts.save_rule(self.shop.flow, rule, "olga", conn=self.shop.db).id

    def history(self, rule: int) -> list[dict[str, Any]]:
        return api.alerts.history(rule, conn=self.shop.db)[::-1]

    def events(self, rule: int) -> list[str]:
        return [each["event"] for each in self.history(rule)]

    def delivery(self, rule: int, event: str = "started") -> dict[str, Any]:
        return next(e["deliveries"][0] for e in self.history(rule) if e["event"] == event)

    def wait(self, condition: Callable[[], Any]) -> None:
        until(condition, 60, self.processes.output)

    def measure_until(self, condition: Callable[[], Any]) -> None:
        """Let the reaper measure without waiting for the interval between measurements."""
        due = "update wedsql.alert_rule set next_at = wedsql.now() where next_at > wedsql.now()"
        until(lambda: (self.shop.db.execute(due), condition())[1], 60, self.processes.output, pause=0.2)

    def send_again(self, rule: int, condition: Callable[[dict[str, Any]], Any]) -> None:
        """Let the reaper send again what waits, until its delivery meets a condition."""
        due = "update wedsql.delivery set next_at = wedsql.now() where status = 'waiting'"
        until(
            lambda: (self.shop.db.execute(due), condition(self.delivery(rule)))[1],
            60,
            self.processes.output,
            pause=0.2,
        )

    def subjects(self) -> list[str]:
        files = sorted(self.mails.iterdir())
        texts = [each.read_text() for each in files if each.read_text().rstrip().endswith("-" * 79)]
        return [str(email.message_from_string(t, policy=email.policy.default)["Subject"]) for t in texts]


@pytest.fixture
def here(shop: Shop, processes: Processes, tmp_path: Path, settings: Any) -> Iterator[Installation]:
    settings.WEDSQL_WEBHOOK_HTTP = settings.WEDSQL_WEBHOOK_INTERNAL = True
    yield Installation(shop, processes, tmp_path / "mails")
    shop.db.execute("delete from wedsql.alert_rule")


def messages(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(body) for _headers, body in receiver.got]


def test_an_alert_starts_and_ends_and_its_receivers_are_notified(here: Installation) -> None:
    with receiving() as receiver:
        rule = here.rule("large orders", mail=["ana@example.org"], url=receiver.url)
        here.start_reaper()
        (wid,) = here.shop.start(n=7)
        here.measure_until(lambda: "started" in here.events(rule))
        here.wait(lambda: receiver.got and here.subjects())
        api.instances.cancel(wid, "x", conn=here.shop.db)
        here.measure_until(lambda: "ended" in here.events(rule))
        here.wait(lambda: len(receiver.got) == 2 and len(here.subjects()) == 2)
    assert [(m["event"], m["name"], m["value"]) for m in messages(receiver)] == [
        ("started", "large orders", 1),
        ("ended", "large orders", 0),
    ]
    started, ended = messages(receiver)
    assert started["alert"] == ended["alert"] and started["id"] != ended["id"]
    assert datetime.fromisoformat(started["started_at"]) < datetime.fromisoformat(ended["ended_at"])
    said = [each.removeprefix(f"[WED-SQL] {here.shop.flow}: large orders: ") for each in here.subjects()]
    assert sorted(said) == ["the alert ended", "the alert started"]
    assert here.events(rule) == ["defined", "started", "ended"]


def test_a_receiver_that_does_not_answer_and_a_killed_reaper_delay_and_lose_nothing(
    here: Installation,
) -> None:
    with receiving(answers=False) as receiver:
        rule = here.rule("silent", url=receiver.url)
        here.start_reaper()
        here.shop.start(n=7)
        here.measure_until(lambda: receiver.got)
        # While the message hangs: another rule is measured, its mail is sent, and overdue work is ended.
        other = here.rule("other", mail=["ana@example.org"])
        here.measure_until(here.subjects)
        assert here.delivery(rule)["status"] == "waiting" and here.delivery(other)["status"] == "sent"
        lease = "select wid from wedsql.lease(%s, array['tr_one'], 1, 'w', '1 millisecond')"
        assert here.shop.db.execute(lease, [here.shop.flow]).fetchall()
        expired = "select 1 from wedsql.job_log where flow_id = (select id from wedsql.flow where name = %s)"
        here.wait(lambda: here.shop.one(expired, here.shop.flow))
        before = len(receiver.got)
        here.send_again(rule, lambda _found: len(receiver.got) > before)
        here.processes.kill()
        receiver.status = 503
        receiver.answers.set()
        here.start_reaper()
        here.send_again(rule, lambda found: found["error"] == "The receiver answered 503.")
        assert here.delivery(rule)["status"] == "waiting"
        receiver.status = 200
        here.send_again(rule, lambda found: found["status"] == "sent")
    assert here.events(rule) == ["defined", "started"] and len(here.subjects()) == 1
    assert {each["id"] for each in messages(receiver)} == {here.delivery(rule)["key"]}
    assert here.delivery(rule)["attempts"] >= len(receiver.got) > 2
