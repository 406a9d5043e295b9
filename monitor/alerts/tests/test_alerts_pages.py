"""The pages of alerts: what each user sees, and what who operates a flow does."""

from __future__ import annotations

import html
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from flows import api
from flows.capabilities.alerts.api import AlertRule, SavedAlertRule, TakenAlertRule
from monitor.alerts import week
from monitor.alerts.forms import EXAMPLES
from monitor.tests.conftest import Parcels, text_of

FORM = {
    "name": "Many", "kind": "count", "query": "status:running", "sign": ">", "threshold": "2", "lasting": "0",
    "mail": "ana@example.org, bob@example.org", "url": "", "enabled": "on",
}  # fmt: skip


def shown(client: Client, address: str) -> str:
    return text_of(client.get(address).content)


def only_rule(parcels: Parcels) -> SavedAlertRule:
    (rule,) = api.alerts.list_rules([parcels.flow], conn=parcels.connection)
    return rule


def start(parcels: Parcels, rule: SavedAlertRule) -> None:
    taken = TakenAlertRule(rule, datetime.now(UTC))
    assert api.alerts.settle_rule(taken, 7, conn=parcels.connection)


@pytest.fixture
def many(root: Client, parcels: Parcels) -> SavedAlertRule:
    answer = root.post(f"/flows/{parcels.flow}/alerts/new/", FORM)
    assert answer.status_code == 302, text_of(answer.content)
    return only_rule(parcels)


@pytest.fixture
def root(site: None) -> Client:
    from django.contrib.auth.models import User

    from monitor.tests.conftest import HERE

    client = Client()
    client.force_login(User.objects.create_superuser("root" + HERE))
    return client


def test_an_active_alert_is_in_the_header_for_who_sees_the_flow(
    root: Client, carol: Client, many: SavedAlertRule, parcels: Parcels
) -> None:
    assert "active alert" not in shown(root, "/flows/" + parcels.flow + "/")
    start(parcels, many)
    for client in (root, carol):
        assert "1 active alert" in " ".join(shown(client, "/workers/").split())
        assert "Many" in shown(client, "/alerts/")
    page = " ".join(shown(root, f"/alerts/{many.id}/").split())
    assert "started" in page and "ana@example.org" in page
    assert "ana@example.org" not in shown(carol, f"/alerts/{many.id}/")
    for address in (
        f"/alerts/{many.id}/remove/",
        f"/alerts/{many.id}/change/",
        f"/flows/{parcels.flow}/alerts/new/",
    ):
        assert carol.post(address, FORM).status_code == 403
    assert only_rule(parcels).threshold == 2


def test_an_alert_is_acknowledged_silenced_tested_changed_and_removed(
    root: Client, many: SavedAlertRule, parcels: Parcels
) -> None:
    start(parcels, many)
    address = f"/alerts/{many.id}/"
    root.post(address + "acknowledge/", {"note": "I look."})
    root.post(address + "silence/", {"minutes": "60"})
    root.post(address + "test/")
    found = only_rule(parcels)
    assert found.active and found.active.note == "I look." and found.silenced_until_at
    events = [each["event"] for each in api.alerts.history(many.id, conn=parcels.connection)]
    assert events == ["tested", "silenced", "acknowledged", "started", "defined"]
    assert "acknowledged" in shown(root, "/alerts/")
    root.post(address + "change/", FORM | {"threshold": "9.5", "enabled": ""})
    changed = only_rule(parcels)
    assert (changed.threshold, changed.enabled, changed.active) == (9.5, False, None)
    root.post(address + "remove/")
    assert root.get(address).status_code == 404


def test_the_secret_of_a_webhook_is_shown_once(root: Client, parcels: Parcels) -> None:
    form = FORM | {"url": "https://example.org/hook"}
    page = root.post(f"/flows/{parcels.flow}/alerts/new/", form, follow=True).content.decode()
    secret = html.unescape(page).partition("shown only now: ")[2].split("<")[0].strip()
    assert len(secret) > 30
    rule = only_rule(parcels)
    assert secret not in root.get(f"/alerts/{rule.id}/").content.decode()
    assert secret not in root.get(f"/alerts/{rule.id}/change/").content.decode()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("query", "none_such>1", "none_such"),
        ("query", "status:", "no value"),
        ("threshold", "many", "no number"),
        ("threshold", "1e400", "no number"),
        ("lasting", "-1", "no number"),
        ("mail", "ana", "cannot be used"),
        ("url", "http://example.org/", "https://"),
        ("url", "https://u:p@example.org/", "password"),
        ("name", "x\x00" * 90, "1 to 80"),
        ("kind", "other", "kind"),
    ],
)
def test_a_form_that_cannot_be_saved_says_why(
    root: Client, parcels: Parcels, field: str, value: str, said: str
) -> None:
    answer = root.post(f"/flows/{parcels.flow}/alerts/new/", FORM | {field: value})
    assert answer.status_code == 200 and said in text_of(answer.content)
    assert api.alerts.list_rules([parcels.flow], conn=parcels.connection) == []


def test_who_does_not_see_the_flow_does_not_see_its_alerts(
    site: None, many: SavedAlertRule, parcels: Parcels
) -> None:
    from django.contrib.auth.models import User

    from monitor.tests.conftest import HERE

    client = Client()
    client.force_login(User.objects.create_user("stranger" + HERE))
    start(parcels, many)
    assert "Many" not in shown(client, "/alerts/") and "active alert" not in shown(client, "/alerts/")
    assert client.get(f"/alerts/{many.id}/").status_code == 404
    assert client.post(f"/alerts/{many.id}/remove/").status_code == 404
    assert only_rule(parcels)


def test_a_rule_that_fails_is_in_the_header(root: Client, many: SavedAlertRule, parcels: Parcels) -> None:
    taken = TakenAlertRule(many, datetime.now(UTC))
    api.alerts.settle_rule(taken, None, "Its evaluation took longer than 2 seconds.", conn=parcels.connection)
    assert "Alert fails" in shown(root, "/workers/")
    assert "longer than 2 seconds" in shown(root, f"/alerts/{many.id}/")


def test_a_new_rule_takes_the_filter_of_the_list(root: Client, parcels: Parcels) -> None:
    page = root.get(f"/flows/{parcels.flow}/alerts/new/?q=weight:1").content.decode()
    assert 'value="weight:1"' in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": "count", "query": "status:running", "threshold": "2"}, "Now: 3. The alert starts"),
        ({"kind": "count", "query": "status:running", "threshold": "3"}, "Now: 3. The alert does not start."),
        ({"kind": "count", "query": "", "sign": "<", "threshold": "4"}, "Now: 3. The alert starts"),
        ({"kind": "exception_age", "threshold": "5m"}, "Now: nothing of this kind waits."),
        ({"kind": "queue_age", "trname": "tr_pack", "threshold": "1d"}, "The alert does not start."),
        ({"kind": "workers", "trname": "tr_pack", "sign": "<", "threshold": "1"}, "Now: 0. The alert starts"),
        ({"kind": "count", "query": "none_such>1"}, "none_such"),
    ],
)
def test_the_form_says_what_is_measured_now(
    root: Client, parcels: Parcels, fields: dict[str, str], said: str
) -> None:
    """What was typed stays, and nothing is saved."""
    for _n in range(3):
        parcels.start()
    form = FORM | fields | {"do": "measure", "name": "Typed <once>"}
    page = root.post(f"/flows/{parcels.flow}/alerts/new/", form)
    assert said in text_of(page.content), text_of(page.content)[-900:]
    assert "Typed &lt;once&gt;" in page.content.decode()
    assert api.alerts.list_rules([parcels.flow], conn=parcels.connection) == []


@pytest.fixture
def week_of_parcels(parcels: Parcels, monkeypatch: pytest.MonkeyPatch) -> Parcels:
    """It is four days later: three parcels have waited since, and another has been an exception."""
    for _n in range(3):
        parcels.start(customer="Ana")
    parcels.make_exception(parcels.start(customer="Bea"))
    later = datetime.now(UTC) + timedelta(days=4)
    monkeypatch.setattr(week, "_now", lambda: later)
    return parcels


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"query": "status:running", "threshold": "2"}, "it would have started 1 time "),
        ({"query": "status:running", "threshold": "3"}, "it would have started 0 times "),
        ({"query": "status:running", "threshold": "2", "lasting": "5d"}, "it would have started 0 times "),
        ({"query": "status:running", "threshold": "1", "sign": "<"}, "it would have started 1 time "),
        ({"query": "status:running", "threshold": "2"}, "values from 0 to 3"),
        ({"query": "status:exception customer:Bea", "threshold": "0"}, "it would have started 1 time "),
        ({"kind": "exception_age", "threshold": "1d"}, "it would have started 1 time "),
        ({"kind": "exception_age", "threshold": "5d"}, "it would have started 0 times "),
        ({"kind": "workers", "trname": "tr_pack", "threshold": "1"}, "the history has no waiting"),
        ({"query": "is:late", "threshold": "1"}, "in the last week is not known."),
    ],
)
def test_the_form_says_what_the_alert_would_have_done_in_the_last_week(
    root: Client, week_of_parcels: Parcels, fields: dict[str, str], said: str
) -> None:
    form = FORM | fields | {"do": "measure"}
    page = text_of(root.post(f"/flows/{week_of_parcels.flow}/alerts/new/", form).content)
    assert said in page, page[page.find("Now:") :][:500]
    assert api.alerts.list_rules([week_of_parcels.flow], conn=week_of_parcels.connection) == []


def test_little_time_is_enough_for_fewer_moments(
    root: Client, week_of_parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = FORM | {"query": "status:running", "do": "measure"}
    address = f"/flows/{week_of_parcels.flow}/alerts/new/"
    assert "every 3 hours" in text_of(root.post(address, form).content)
    monkeypatch.setattr(week, "BUDGET_SECONDS", -1.0)
    assert "takes too long to find out" in text_of(root.post(address, form).content)


def test_each_example_of_a_filter_can_be_used(root: Client, parcels: Parcels) -> None:
    page = root.get(f"/flows/{parcels.flow}/alerts/new/").content.decode()
    for query in EXAMPLES:
        assert html.escape(query) in page
        answer = root.post(f"/flows/{parcels.flow}/alerts/new/", FORM | {"query": query, "do": "measure"})
        assert "Now: " in text_of(answer.content), query


def test_each_time_that_the_limit_is_crossed_is_one_alert() -> None:
    rule = AlertRule("x", "count", ">", 2, "", "", 7200)
    hour = timedelta(hours=1)
    assert week.starts(rule, hour, [0, 3, 3, 0, None, 3, 3, 3, 1, 3]) == 2, "the last one did not last"
    assert week.starts(rule, hour * 3, [0, 3, 3, 0, None, 3, 3, 3, 1, 3]) == 3
    assert week.starts(rule, hour, []) == 0
