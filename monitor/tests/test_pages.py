"""What the pages show of flows, instances, steps, jobs and workers."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from django.test import Client

from flows.queries import definitions, overview
from monitor.tests.conftest import Parcels, client_of, get, person, text_of
from pages.templatetags.wed import duration


def numbers(html: str, flow: str) -> dict[str, str]:
    """Return status -> number on the first page, each read from the link to the rows that it counts."""
    link = rf'/flows/{flow}/\?status=(\w)">\s*<span[^>]*>.</span> [^<]*<b>([\d,+]+)</b>'
    return dict(re.findall(link, html))


def test_the_first_page_counts_and_every_number_leads_to_its_rows(alice: Client, parcels: Parcels) -> None:
    sent, stuck, *_ = [parcels.start() for _ in range(5)]
    parcels.send(sent)
    parcels.make_exception(stuck)
    assert numbers(get(alice, "/"), parcels.flow) == {"R": "3", "E": "1", "F": "1"}
    for status, count in (("R", 3), ("E", 1), ("F", 1)):
        page = get(alice, f"/flows/{parcels.flow}/?status={status}")
        assert len(re.findall(r'<tr id="wid-\d+"', page)) == count


def test_counting_stops_at_the_cap_and_is_exact_on_request(
    alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    parcels.start_many(7)
    monkeypatch.setattr("monitor.views.overview.CAP", 5)
    assert numbers(get(alice, "/"), parcels.flow) == {"R": "5+", "E": "0", "F": "0"}
    assert "exact=1" in get(alice, "/")
    assert numbers(get(alice, "/?exact=1"), parcels.flow) == {"R": "7", "E": "0", "F": "0"}


def test_pending_jobs_lead_to_the_jobs(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    assert f"/flows/{parcels.flow}/jobs/?state=pending" in get(alice, "/")
    listed = text_of(get(alice, f"/flows/{parcels.flow}/jobs/?state=pending&transition=tr_pack"))
    assert "Pack it" in listed and "tr_label" not in listed and str(wid) in listed


def test_a_flow_without_instances_shows_how_to_start_one(alice: Client, parcels: Parcels) -> None:
    assert numbers(get(alice, "/"), parcels.flow) == {"R": "0", "E": "0", "F": "0"}
    assert f"startinstance {parcels.flow}" in get(alice, f"/flows/{parcels.flow}/")
    parcels.connection.execute("delete from wedsql.trig where flow_id = %s", [parcels.flow_id])
    page = get(alice, f"/flows/{parcels.flow}/")
    assert "Nothing can be started yet" in page and "startinstance" not in page


def test_a_page_without_flows_explains_how_to_get_access(mallory: Client) -> None:
    page = text_of(get(mallory, "/"))
    assert "no flow is open to you" in page and "flow:" in page


def test_the_list_shows_the_state_in_the_flows_order(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana & <b>Bia</b>", weight="2.5")
    page = get(alice, f"/flows/{parcels.flow}/")
    heads = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", page.split('id="rows"')[0].split("<thead>")[-1])
    assert heads[2:] == ["Customer", "weight", "pieces", "fragile", "due", "seen", "wait", "extra", "Stage"]
    assert "Ana &amp; &lt;b&gt;Bia&lt;/b&gt;" in page and f'href="/instances/{wid}/"' in page


def test_a_step_shows_values_worker_and_fired_transitions(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana")
    parcels.do("tr_label", wid, extra={"label": 7})
    parcels.do("tr_pack", wid, stage="packed")
    rows = get(alice, f"/instances/{wid}/").split('<tr role="row" id="step-')[1:]
    packed, labelled, started = (text_of("<" + row) for row in rows)
    assert "Pack it" in packed and "worker" in packed and "after step 1" in packed
    assert "Stage new → became packed" in packed and "tr_send" in packed
    assert "∅" in labelled and '{"label": 7}' in labelled.replace("&quot;", '"')
    assert "Started" in started and "Customer Ana" in started and "Pack it" in started


def test_a_step_shows_nothing_of_what_it_did_not_write(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana")
    parcels.do("tr_pack", wid, stage="packed")
    newest = get(alice, f"/instances/{wid}/").split('<tr role="row" id="step-')[1]
    assert "Customer" not in newest


def test_an_exception_shows_its_reason(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    page = text_of(get(alice, f"/instances/{wid}/"))
    assert "STUCK" not in page and "No rule applies to these values" in page
    assert "Waits for a person to repair it" in page


def test_users_who_may_change_a_flow_get_a_link_to_its_design(
    alice: Client, carol: Client, parcels: Parcels
) -> None:
    design = f"/admin/flows/flow/{parcels.flow_id}/design/"
    for client in (alice, carol):  # staff without the permission, and a user of the flow
        page = get(client, f"/flows/{parcels.flow}/")
        assert design in page and "Change this flow" not in page
    designer = client_of(person("dora", staff=True, permission="change_flow"))
    assert "Change this flow" in get(designer, f"/flows/{parcels.flow}/")


def test_a_parked_job_is_no_repair_and_is_not_retried(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.park("tr_label", wid, "jammed")
    page = text_of(get(alice, f"/instances/{wid}/"))
    assert "Became an exception bob attempts used up: jammed" in page and "Repaired" not in page
    assert "out of attempts" in page and "Next try" not in page
    parcels.do("_EXCPT", wid, stage="packed", extra={})
    assert "Repaired worker" in text_of(get(alice, f"/instances/{wid}/"))


def test_the_version_that_decides_is_shown_beside_the_one_that_started(
    alice: Client, parcels: Parcels
) -> None:
    living, ended = parcels.start(), parcels.start()
    parcels.send(ended)
    first = parcels._one("select version from wedsql.flow where id = %s", parcels.flow_id)
    parcels.connection.execute(
        "update wedsql.trig set cpred = $$stage = 'new' and pieces < 99$$"
        " where flow_id = %s and tgname = 'g_pack'",
        [parcels.flow_id],
    )
    shown = text_of(get(alice, f"/instances/{living}/"))
    assert f"version {first + 1} (started with {first})" in shown
    shown = text_of(get(alice, f"/instances/{ended}/"))
    assert f"version {first} " in shown and "started with" not in shown


@pytest.mark.parametrize(
    ("length", "text"),
    [
        ({}, "0 seconds"),
        ({"milliseconds": 250}, "250 ms"),
        ({"seconds": 90}, "1 minute 30 seconds"),
        ({"days": 3, "hours": 18}, "3 days 18 hours"),
        ({"days": 3, "minutes": 59}, "3 days"),
        ({"hours": 1, "minutes": 1, "seconds": 1}, "1 hour 1 minute"),
        ({"seconds": 59.9}, "59 seconds"),
    ],
)
def test_a_duration_has_its_two_largest_units(length: dict[str, float], text: str) -> None:
    assert duration(timedelta(**length)) == text


def test_a_failing_condition_is_explained(alice: Client, parcels: Parcels) -> None:
    parcels.connection.execute(
        "insert into wedsql.trig (flow_id, tgname, trname, cname, cpred)"
        " values (%s, 'g_age', 'tr_age', 'c_age', 'customer::integer > 5')",
        [parcels.flow_id],
    )
    wid = parcels.start(customer="Ana")
    page = text_of(get(alice, f"/instances/{wid}/")).replace("&quot;", '"')
    assert 'g_age : invalid input syntax for type integer: "Ana" 22P02' in page and "sqlstate" not in page


def test_a_job_shows_its_holder_attempts_and_last_error(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    connection = parcels.connection
    job = connection.execute(
        "select job_id, claim from wedsql.lease(%s, '{tr_label}', 1, 'desk:bob')", [parcels.flow]
    ).fetchone()
    assert job is not None
    page = text_of(get(alice, f"/instances/{wid}/"))
    assert "desk:bob" in page and "0 / 5" in page
    connection.execute(
        "select count(*)"
        " from wedsql.fail_many(%s, %s, %s, %s, '{printer on fire}', '{22000}', 'failed', 'bob')",
        [parcels.flow, [wid], [job[0]], [job[1]]],
    )
    page = text_of(get(alice, f"/instances/{wid}/"))
    assert "printer on fire" in page and "22000" in page and "1 / 5" in page and "Next try" in page


def test_a_job_in_a_transaction_shows_the_session_that_holds_it(
    alice: Client, parcels: Parcels, connect: object
) -> None:
    wid = parcels.start()
    with parcels.connection.transaction():
        parcels.connection.execute("set application_name = 'packer-3'")
        parcels.connection.execute("select count(*) from wedsql.take(%s, '{tr_pack}')", [parcels.flow])
        assert f"packer-3 ({parcels.connection.info.backend_pid})" in get(alice, f"/instances/{wid}/")
    assert "packer-3" not in get(alice, f"/instances/{wid}/")


def test_the_raw_view_holds_all(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start(weight="1.50", seen="2026-01-02T03:04:05Z")
    parcels.send(wid)
    body = json.loads(get(alice, f"/instances/{wid}.json"))
    assert body["instance"]["status"] == "F" and body["instance"]["wid"] == wid
    assert body["state"]["weight"] == "1.50" and body["state"]["stage"] == "sent"
    assert [row["trw"] for row in body["trace"]] == ["_INIT", "tr_label", "tr_pack", "tr_send"]
    assert body["trace"][2]["before"] == {"stage": "new"} and body["next"] is None
    rest = json.loads(get(alice, f"/instances/{wid}.json?after={body['trace'][1]['seq']}"))
    assert [row["trw"] for row in rest["trace"]] == ["tr_pack", "tr_send"]


def test_a_long_value_is_folded_and_whole(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="begin " + "x" * 700 + " end")
    state = get(alice, f"/instances/{wid}/").split('data-part="state"')[1].split("</table>")[0]
    folded, whole = state.split("</summary>")
    assert "begin" in folded and " end" not in folded and "begin" in whole and " end" in whole


def test_a_huge_value_is_marked_as_truncated(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="x" * 1_000_000)
    page = get(alice, f"/instances/{wid}/")
    assert len(page) < 60_000 and "1,000,000 characters in all" in text_of(page)
    assert len(get(alice, f"/flows/{parcels.flow}/")) < 60_000


def test_parts_are_what_the_scripts_ask_for(alice: Client, parcels: Parcels) -> None:
    first, second = parcels.start(customer="Ana"), parcels.start()
    third = parcels.start()
    parcels.do("tr_pack", first, stage="packed")
    changed = json.loads(
        get(alice, f"/live/flows/{parcels.flow}/?a=stage&op=eq&v=new&wids={first},{second}&top={second}")
    )
    assert set(changed["rows"]) == {str(first), str(second)} and changed["new"] == 1
    assert "left this list" in changed["rows"][str(first)]
    assert "left this list" not in changed["rows"][str(second)]
    steps = json.loads(get(alice, f"/live/instances/{first}/?seq=1"))
    assert [seq for seq, _html in steps["steps"]] == [2] and "packed" in steps["parts"]["state"]
    assert f"flow-{parcels.flow_id}" in json.loads(get(alice, "/live/flows/"))["rows"]
    assert third


def test_flows_come_page_by_page(alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "FLOWS_PER_PAGE", 1)
    other = "zz_" + parcels.flow[2:]
    parcels.connection.execute("select wedsql.create_flow(%s)", [other])
    try:
        page = get(alice, f"/?after={parcels.flow}")
        assert f"/flows/{parcels.flow}/" not in page.split("<tbody")[1]
        assert "after=" in get(alice, "/")
    finally:
        parcels.connection.execute("select wedsql.drop_flow(%s)", [other])


def test_a_flow_redesigned_between_two_queries_is_read_again(
    alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    parcels.start(customer="Ana")
    real, seen = definitions.flow_by_name, []

    def flow_by_name(name: str) -> definitions.FlowInfo | None:
        found = real(name)
        assert found is not None
        seen.append(len(found.attributes))
        if len(seen) == 1:
            parcels.connection.execute(
                "delete from wedsql.attr where flow_id = %s and aname = 'weight'", [found.id]
            )
        return found

    monkeypatch.setattr("flows.access.flow_by_name", flow_by_name)
    page = get(alice, f"/flows/{parcels.flow}/")
    assert seen == [9, 8] and "Ana" in page


def test_a_flow_dropped_between_two_queries_is_not_there(
    alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = definitions.flow_by_name(parcels.flow)
    parcels.connection.execute("select wedsql.drop_flow(%s)", [parcels.flow])
    monkeypatch.setattr("flows.access.flow_by_name", lambda name: found)
    assert alice.get(f"/flows/{parcels.flow}/").status_code == 404
