"""Rules are evaluated with the rights of the reaper, and real receivers are notified."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.core import mail
from django.db import connection

from flows import api
from flows.capabilities.alerts import reaper, receivers, rules
from flows.capabilities.alerts.api import AlertRule, SavedAlertRule
from flows.capabilities.alerts.receivers import Allowed, NotTaken, check_url, is_internal, post, resolve
from flows.errors import BadAlert
from flows.queries.definitions import flow_by_name
from workers.alerts import beside
from workers.alerts import deliveries as delivering
from workers.tests.reaper.receiver import Receiver, receiving

pytestmark = pytest.mark.django_db

HERE = Allowed(http=True, internal=True)
DEFINITION = {
    "attributes": [{"name": "payment", "default": "open"}, {"name": "n", "type": "integer"}],
    "triggers": [{"transition": "tr_pay", "predicate": "payment = 'open'"}],
}


@pytest.fixture
def shop() -> str:
    api.flows.create("alerting_shop")
    api.flows.publish("alerting_shop", DEFINITION)
    return "alerting_shop"


def as_reaper(act: Callable[[], object]) -> None:
    """Act with the rights of the reaper's role."""
    with connection.cursor() as cursor:
        cursor.execute("set local role wed_reaper")
    act()
    with connection.cursor() as cursor:
        cursor.execute("reset role")


def saved(shop: str, rule: AlertRule) -> SavedAlertRule:
    flow = flow_by_name(shop)
    assert flow is not None
    return rules.save(flow, rule, "olga")[0]


def evaluate() -> None:
    with connection.cursor() as cursor:
        cursor.execute("update wedsql.alert_rule set next_at = wedsql.now() - interval '1 second'")
    as_reaper(lambda: reaper.beside_rounds())


def test_what_ended_long_ago_is_removed(shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = saved(shop, AlertRule("old", "workers", "<", 1, trname="tr_pay"))
    assert api.alerts.history(rule.id)
    with connection.cursor() as cursor:
        cursor.execute("update wedsql.alert_event set at = wedsql.now() - interval '2 years'")
    monkeypatch.setattr(reaper, "_removed", -reaper._REMOVE_EVERY)
    as_reaper(lambda: reaper.beside_rounds(budget=0))
    assert api.alerts.history(rule.id) == []


def test_the_count_of_a_filter_starts_and_ends_an_alert(shop: str) -> None:
    rule = saved(
        shop, AlertRule("waiting", "count", ">", 2, "status:running n>=5 where:\"payment = 'open'\"")
    )
    api.instances.start_many(shop, [{"n": 5}, {"n": 6}, {"n": 4}])
    evaluate()
    assert (api.alerts.read_rule(rule.id).value, api.alerts.read_rule(rule.id).active) == (2, None)
    wid = api.instances.start(shop, {"n": 9})
    evaluate()
    found = api.alerts.read_rule(rule.id)
    assert found.active and found.value == found.active.value == 3
    api.instances.cancel(wid, "x")
    evaluate()
    assert api.alerts.read_rule(rule.id).active is None


def test_a_rule_counts_only_its_own_flow(shop: str) -> None:
    api.flows.create("alerting_other")
    api.flows.publish("alerting_other", DEFINITION)
    api.instances.start_many("alerting_other", [{"n": 5}] * 3)
    api.instances.start(shop, {"n": 5})
    for name, query in enumerate(["flow:alerting_other", "flow:alerting_other or status:running", ""]):
        saved(shop, AlertRule(str(name), "count", ">", 0, query))
    evaluate()
    assert [each.value for each in sorted(api.alerts.list_rules([shop]), key=lambda r: r.name)] == [0, 1, 1]


def test_a_rule_that_fails_says_so_and_stops_no_other(shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = saved(shop, AlertRule("a", "count", ">", 0, "n>1"))
    slow = saved(shop, AlertRule("b", "count", ">", 0, "n>2"))
    good = saved(shop, AlertRule("c", "queue_age", ">", 1e6, trname="tr_pay"))
    api.instances.start(shop)
    with connection.cursor() as cursor:
        cursor.execute("update wedsql.alert_rule set query = 'none_such>1' where id = %s", [bad.id])
    matching = reaper.matching

    def slowly(*given: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("select pg_sleep(60)")
        return matching(*given)

    monkeypatch.setattr(reaper, "matching", slowly)
    monkeypatch.setattr(reaper, "LIMIT_MS", 50)
    evaluate()
    assert "none_such" in (api.alerts.read_rule(bad.id).error or "")
    assert "longer than 0.05 seconds" in (api.alerts.read_rule(slow.id).error or "")
    found = api.alerts.read_rule(good.id)
    assert found.error is None and found.value is not None


def test_a_round_that_fails_is_followed_by_another(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> int:
        raise OSError("no")

    closed = connection.close
    try:
        connection.close = lambda: None  # type: ignore[method-assign]
        beside.run(fail)
    finally:
        connection.close = closed  # type: ignore[method-assign]
    assert "failed" in caplog.text


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@pytest.fixture
def hooked(shop: str, receiver: Receiver, settings: Any) -> SavedAlertRule:
    settings.WEDSQL_WEBHOOK_HTTP = settings.WEDSQL_WEBHOOK_INTERNAL = True
    return saved(shop, AlertRule("waiting", "count", ">", 0, url=receiver.url, secret="quiet"))


def delivery(rule: SavedAlertRule) -> dict[str, Any]:
    return dict(api.alerts.history(rule.id)[0]["deliveries"][0])


def test_a_webhook_gets_a_signed_message(hooked: SavedAlertRule, receiver: Receiver) -> None:
    api.alerts.send_test(hooked.id, "olga")
    as_reaper(lambda: delivering.deliver_due())
    ((headers, body),) = receiver.got
    parts = dict(each.split("=") for each in headers["X-WEDSQL-Signature"].split(","))
    expected = hmac.new(b"quiet", f"{parts['t']}.".encode() + body, hashlib.sha256).hexdigest()
    message = json.loads(body)
    assert parts["v1"] == expected and message["event"] == "tested" and message["name"] == "waiting"
    assert headers["X-WEDSQL-Delivery"] == message["id"]
    assert delivery(hooked)["status"] == "sent"


def test_a_redirect_is_not_followed_and_a_failure_is_seen(hooked: SavedAlertRule, receiver: Receiver) -> None:
    receiver.status = 302
    api.alerts.send_test(hooked.id, "olga")
    delivering.deliver_due()
    found = delivery(hooked)
    assert (found["status"], found["error"]) == ("waiting", "The receiver answered 302.")
    assert len(receiver.got) == 1


def test_a_receiver_without_end_is_left(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    receiver.drip = True
    monkeypatch.setattr(receivers, "LIMIT", 0.5)
    with pytest.raises(NotTaken):
        post(receiver.url, b"{}", {}, HERE)


def test_a_handshake_of_tls_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receivers, "LIMIT", 0.5)
    left = threading.Event()

    def drip(server: socket.socket) -> None:
        """Send a record of TLS that never ends, each byte in time."""
        taken, _address = server.accept()
        with taken, suppress(OSError):
            taken.sendall(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")
            while True:
                taken.sendall(b"\x00")
                time.sleep(0.05)
        left.set()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=drip, args=(server,), daemon=True).start()
        with pytest.raises(NotTaken):
            post(f"https://127.0.0.1:{server.getsockname()[1]}/", b"{}", {}, HERE)
        assert left.wait(60)


def test_a_receiver_that_does_not_answer_delays_no_other(hooked: SavedAlertRule, shop: str) -> None:
    """The one that is silent answers only after the other has its message."""
    with receiving(answers=False) as silent:
        other = AlertRule("other", "count", ">", 0, url=silent.url, secret="quiet")
        api.alerts.send_test(saved(shop, other).id, "olga")
        api.alerts.send_test(hooked.id, "olga")
        settle = api.alerts.settle_delivery

        def settled(*given: Any, **options: Any) -> None:
            settle(*given, **options)
            silent.answers.set()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(api.alerts, "settle_delivery", settled)
            assert delivering.deliver_due() == 2
    assert delivery(hooked)["status"] == "sent"
    assert [each["deliveries"][0]["status"] for each in api.alerts.history(other_rule(shop))[:1]] == ["sent"]


def other_rule(shop: str) -> int:
    return next(each.id for each in api.alerts.list_rules([shop]) if each.name == "other")


def test_a_message_that_cannot_be_made_stops_no_other(
    hooked: SavedAlertRule, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.alerts.send_test(hooked.id, "olga")
    monkeypatch.setattr(delivering, "signature", lambda *_given: 1 / 0)
    assert delivering.deliver_due() == 1
    found = delivery(hooked)
    assert (found["status"], found["error"]) == ("waiting", "The message was not sent: ZeroDivisionError.")


def test_nothing_inside_the_network_gets_a_message(receiver: Receiver) -> None:
    for allowed, error in ((Allowed(), "https"), (Allowed(http=True), "inside the network")):
        with pytest.raises(BadAlert, match=error):
            post(receiver.url, b"{}", {}, allowed)
    with pytest.raises(BadAlert, match="inside the network"):
        post(receiver.url.replace("127.0.0.1", "localhost"), b"{}", {}, Allowed(http=True))
    assert receiver.got == []


def test_a_name_that_later_has_another_address_does_not_help(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["8.8.8.8", "127.0.0.1"])
    reached = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: [(2, 1, 6, "", (next(answers), 80))])

    def connect(address: tuple[str, int], *_given: Any) -> Any:
        reached.append(address[0])
        raise OSError("unreachable")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(NotTaken):
        post("http://changes.example/", b"{}", {}, Allowed(http=True))
    assert reached == ["8.8.8.8"]


def test_one_internal_address_of_several_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(2, 1, 6, "", ("8.8.8.8", 80)), (2, 1, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: both)
    with pytest.raises(BadAlert):
        resolve("both.example", 80, Allowed())


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "localhost",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "::",
    ],
)  # fmt: skip
def test_no_way_of_writing_an_internal_address_is_accepted(host: str) -> None:
    with pytest.raises((BadAlert, NotTaken)):
        resolve(host, 443, Allowed())
    written = f"[{host}]" if ":" in host else host
    with pytest.raises((BadAlert, NotTaken)):
        post(f"https://{written}/", b"{}", {}, Allowed())


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "0.0.0.0",  # noqa: S104
        "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "240.0.0.1", "::1", "::", "fe80::1", "fc00::1", "fec0::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "2002:a00:1::", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "2001:db8::1", "::7f00:1", "64:ff9b:1::7f00:1", "2001:0:7f00:1::",
        "2001:0:808:808::80ff:fffe", "fd00::1", "100::1", "192.0.0.1", "198.18.0.1", "203.0.113.1",
        "192.0.0.9", "192.0.0.171", "192.88.99.1", "3fff::1", "5f00::1", "4000::1", "2001:20::1",
        "::ffff:192.0.0.9",
    ],
)  # fmt: skip
def test_an_internal_address_is_recognized(address: str) -> None:
    assert is_internal(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is_recognized(address: str) -> None:
    assert not is_internal(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/", "ftp://example.org/", "https:///x", "https://user:pass@example.org/",
        "https://example.org:0/", "https://example.org:99999/", "https://[::1", "https://example.org/a b",
        "https://example.org/\r\nX: y", "https://example.org:-1/", "https://example.org\\@127.0.0.1/",
        "https://example.org/ã", "javascript:alert(1)", "//example.org/",
    ],
)  # fmt: skip
def test_an_address_that_may_not_be_used_is_rejected(url: str) -> None:
    with pytest.raises(BadAlert):
        check_url(url, Allowed())


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "localhost",
     "LOCALHOST.", "a.localhost"],
)  # fmt: skip
def test_a_host_that_is_never_sent_to_is_rejected_when_it_is_saved(host: str) -> None:
    with pytest.raises(BadAlert):
        check_url(f"https://{host}/", Allowed())
    assert check_url(f"https://{host}/", Allowed(internal=True)).path == "/"


def test_a_mail_is_sent_once_per_receiver(shop: str, settings: Any) -> None:
    rule = saved(shop, AlertRule("many\nopen", "count", ">", 0, mail=["ana@example.org", "bob@example.org"]))
    api.alerts.send_test(rule.id, "olga")
    settings.EMAIL_HOST = ""
    delivering.deliver_due()
    assert "WEDSQL_EMAIL_HOST" in delivery(rule)["error"] and mail.outbox == []
    settings.EMAIL_HOST = "mail.example"
    api.alerts.send_test(rule.id, "olga")
    assert delivering.deliver_due() == 2
    assert sorted(each.to for each in mail.outbox) == [["ana@example.org"], ["bob@example.org"]]
    assert mail.outbox[0].subject == f"[WED-SQL] {shop}: many open: a test"
    keys = {each.extra_headers["Message-ID"] for each in mail.outbox}
    assert len(keys) == 2


def test_another_address_gets_another_secret(shop: str) -> None:
    flow = flow_by_name(shop)
    assert flow is not None
    rule = AlertRule("x", "count", ">", 1, url="https://example.org/")
    first, secret = rules.save(flow, rule, "olga")
    assert len(secret) > 30 and rules.save(flow, rule, "olga", first)[1] == ""
    moved = AlertRule("x", "count", ">", 1, url="https://other.example/")
    assert rules.save(flow, moved, "olga", first)[1] not in ("", secret)
