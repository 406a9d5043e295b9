"""Operating on the instances of a list: preview, confirmed number, permissions, progress; no JavaScript."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.bulk.api import Bulk
from monitor.tests.conftest import Parcels, client_of, get, person, text_of


@pytest.fixture
def olga(parcels: Parcels, site: None) -> Client:
    """An operator of the flow."""
    return client_of(person("olga", f"flow:{parcels.flow}:operate"))


def perform(parcels: Parcels) -> None:
    while api.bulk.continue_bulk(conn=parcels.connection) is not None:
        pass


def form_of(page: str) -> dict[str, str]:
    """Return the hidden fields of the form."""
    found = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    return {name: value.replace("&quot;", '"') for name, value in found.items()}


def confirm(client: Client, page: str, **given: str) -> Bulk:
    answer = client.post("/bulk/new/", form_of(page) | {"reason": "The van is broken."} | given)
    assert answer.status_code == 302, text_of(answer.content)
    return api.bulk.read(int(answer["Location"].strip("/").rpartition("/")[2]))


def test_from_the_list_to_the_results(olga: Client, parcels: Parcels) -> None:
    wids = parcels.start_many(3, customer="Ana")
    parcels.start_many(2, customer="Bob")
    listed = get(olga, f"/flows/{parcels.flow}/?q=customer:Ana&exact=1")
    (address,) = re.findall(r'href="(/bulk/new/[^"]*)"', listed)
    assert "Operate on these 3" in text_of(listed.encode())
    preview = get(olga, address.replace("&amp;", "&"))
    assert "Operate on 3 instances" in preview and "applies to all of them" in preview
    assert all(f'href="/instances/{wid}/"' in preview for wid in wids)

    ended = wids[1]
    parcels.do("tr_label", ended, extra={"a": 1})
    bulk = confirm(olga, preview, operation="suspend")
    assert (bulk.total, bulk.query) == (3, f"flow:{parcels.flow} customer:Ana")
    api.instances.cancel(ended, "x", conn=parcels.connection)
    perform(parcels)
    page = get(olga, f"/bulk/{bulk.id}/")
    assert "The van is broken." in page and "3 / 3" in page and "finished" in page
    assert "another status" in page and "WD505" in page
    refused = get(olga, f"/bulk/{bulk.id}/?result=refused")
    assert re.findall(r'href="/instances/(\d+)/"', refused) == [str(ended)]
    assert f'href="/bulk/{bulk.id}/"' in get(olga, "/bulk/")
    assert f"Bulk operation {bulk.id}: The van is broken." in text_of(
        get(olga, f"/instances/{wids[0]}/").encode()
    )


def test_another_number_is_refused_with_both(olga: Client, parcels: Parcels) -> None:
    wids = parcels.start_many(2, customer="Ana")
    preview = get(olga, f"/bulk/new/?flow={parcels.flow}&q=customer:Ana")
    parcels.start(customer="Ana")
    answer = olga.post("/bulk/new/", form_of(preview) | {"operation": "cancel", "reason": "x"})
    assert "selects 3 instances now, not 2" in text_of(answer.content)
    assert {api.reasons.explain_instance(wid, conn=parcels.connection).status for wid in wids} == {"R"}
    bulk = confirm(olga, answer.content.decode(), operation="cancel")
    assert bulk.total == 3


def test_what_needs_approvals_can_be_proposed(olga: Client, parcels: Parcels) -> None:
    rule = ApprovalRule(1, "Cancelling many", operations=("cancel",), bulk_above=1)
    api.approvals.save_rules(parcels.flow, [rule], "boss", conn=parcels.connection)
    wids = parcels.start_many(2, customer="Ana")
    form = form_of(get(olga, f"/bulk/new/?flow={parcels.flow}")) | {"operation": "cancel", "reason": "x"}
    answer = olga.post("/bulk/new/", form).content.decode()
    assert "needs an approval by another person" in text_of(answer) and 'name="propose"' in answer
    place = olga.post("/bulk/new/", form | {"propose": "yes"})["Location"]
    page = text_of(get(olga, place))
    assert "Cancel: 2 instances" in page and "Withdraw" in page
    perform(parcels)
    assert {api.reasons.explain_instance(wid, conn=parcels.connection).status for wid in wids} == {"R"}
    assert "withdrawn" in text_of(olga.post(f"{place}withdraw/", follow=True).content)


def test_others_of_the_same_number_are_refused_and_named(olga: Client, parcels: Parcels) -> None:
    """One entered the filter and one left it since the preview: nothing is done, and both are shown."""
    first, second = parcels.start_many(2, customer="Ana")
    preview = get(olga, f"/bulk/new/?flow={parcels.flow}&q=customer:Ana+status:running")
    api.instances.cancel(first, "x", conn=parcels.connection)
    (entered,) = parcels.start_many(1, customer="Ana")
    given = {"operation": "cancel", "reason": "x"}
    page = olga.post("/bulk/new/", form_of(preview) | given).content
    said = " ".join(text_of(page).split())
    assert "2 instances as before, but not the same ones" in said
    assert f"Selected now: {entered}" in said and f"No longer selected: {first}" in said
    unnamed = form_of(preview) | given | {"confirmed": ""}
    assert "not the same ones" in text_of(olga.post("/bulk/new/", unnamed).content)
    assert "not the same ones" in text_of(olga.post("/bulk/new/", unnamed | {"digest": ""}).content)
    assert api.reasons.explain_instance(second, conn=parcels.connection).status == "R"
    assert confirm(olga, page.decode(), operation="cancel").total == 2


def test_the_page_offers_what_applies_and_a_filter_of_only_those(olga: Client, parcels: Parcels) -> None:
    """Operations that apply to none, or that are not permitted, cannot be chosen."""
    waiting, *_ = parcels.start_many(3)
    api.operations.suspend(waiting, "x", conn=parcels.connection)
    page = get(olga, f"/bulk/new/?flow={parcels.flow}")
    choices = re.findall(
        r'value="(\w+)" required\s*( disabled)?\s*>(.*?)</label>(.*?)</div>', page, re.DOTALL
    )
    offered = {name: (bool(disabled), text_of(about.encode())) for name, disabled, about, _only in choices}
    assert [name for name, (disabled, _about) in offered.items() if disabled] == ["retry"]
    assert "not permitted" in offered["retry"][1] and "applies to 2 of them" in offered["priority"][1]
    assert "applies to 1 of them" in offered["resume"][1] and "to all" in offered["cancel"][1]
    links = {name: re.findall(r'href="([^"]*)"', only) for name, _, _, only in choices}
    assert not links["cancel"] and not links["retry"]
    for name, number in (("suspend", 2), ("resume", 1), ("priority", 2), ("reassign", 2)):
        narrowed = get(olga, links[name][0].replace("&amp;", "&"))
        assert len(form_of(narrowed)["confirmed"].split(",")) == number, name


def test_what_is_missing_is_said(olga: Client, parcels: Parcels) -> None:
    parcels.start(customer="Ana")
    form = form_of(get(olga, f"/bulk/new/?flow={parcels.flow}"))
    for given, said in (
        ({"operation": "suspend", "reason": " "}, "needs a reason"),
        ({"operation": "drop", "reason": "x"}, "Choose what to do"),
        ({"operation": "priority", "priority": "x", "reason": "x"}, "whole number"),
        ({"operation": "suspend", "reason": "x", "q": "nothing:1"}, "neither an attribute"),
        ({"operation": "suspend", "reason": "x", "expected": "²"}, "not 0"),
    ):
        assert said in text_of(olga.post("/bulk/new/", form | given).content), said


def test_each_flow_needs_the_right_of_the_operation(olga: Client, parcels: Parcels) -> None:
    """An operator may not retry parked jobs; who handles cases or repairs may do only that."""
    (wid,) = parcels.start_many(1)
    form = form_of(get(olga, f"/bulk/new/?flow={parcels.flow}"))
    answer = olga.post("/bulk/new/", form | {"operation": "retry", "reason": "x"})
    assert "You may not operate on the instances" in text_of(answer.content)
    rita = client_of(person("rita", f"flow:{parcels.flow}:repair"))
    answer = rita.post("/bulk/new/", form | {"operation": "cancel", "reason": "x"})
    assert "You may not operate on the instances" in text_of(answer.content)
    assert confirm(rita, get(rita, f"/bulk/new/?flow={parcels.flow}"), operation="retry").total == 1
    clerk = client_of(person("clara", f"flow:{parcels.flow}:handle"))
    assert confirm(clerk, get(clerk, f"/bulk/new/?flow={parcels.flow}"), operation="retry").total == 1
    viewer = client_of(person("vera", f"flow:{parcels.flow}"))
    assert viewer.get(f"/bulk/new/?flow={parcels.flow}").status_code == 403
    assert "Operate on these" not in get(viewer, f"/flows/{parcels.flow}/")
    assert parcels.connection.execute("select status from wedsql.instance where wid = %s", [wid]).fetchone()


def test_over_all_flows_it_is_about_those_that_one_sees(
    olga: Client, alice: Client, mallory: Client, parcels: Parcels
) -> None:
    parcels.start_many(2)
    preview = get(olga, f"/bulk/new/?q=flow:{parcels.flow}")
    bulk = confirm(olga, preview, operation="suspend")
    assert bulk.total == 2 and bulk.flows == [parcels.flow]
    assert mallory.get(f"/bulk/{bulk.id}/").status_code == 404
    assert f"/bulk/{bulk.id}/" not in get(mallory, "/bulk/")
    assert olga.get(f"/bulk/{10**19}/").status_code == 404


def test_it_is_paused_continued_and_withdrawn(olga: Client, parcels: Parcels) -> None:
    wids = parcels.start_many(3)
    bulk = confirm(olga, get(olga, f"/bulk/new/?flow={parcels.flow}"), operation="suspend")
    address = f"/bulk/{bulk.id}/"
    viewer = client_of(person("vera", f"flow:{parcels.flow}"))
    assert viewer.post(address, {"action": "pause"}).status_code == 403
    assert "Withdraw the rest" not in get(viewer, address) and "Withdraw the rest" in get(olga, address)
    olga.post(address, {"action": "pause"})
    perform(parcels)
    assert "paused" in get(olga, address) and api.bulk.read(bulk.id).performed == 0
    olga.post(address, {"action": "resume"})
    api.bulk.continue_bulk(1, conn=parcels.connection)
    olga.post(address, {"action": "withdraw"})
    perform(parcels)
    page = get(olga, address)
    assert "withdrawn" in page and "1 / 3" in page and "Withdraw the rest" not in page
    assert "has ended" in text_of(olga.post(address, {"action": "pause"}, follow=True).content)
    found = parcels.connection.execute(
        "select status::text, count(*) from wedsql.instance where wid = any (%s) group by 1 order by 1",
        [wids],
    ).fetchall()
    assert found == [("R", 2), ("S", 1)]


def test_an_operation_on_jobs_is_counted_by_jobs_and_offers_transitions_that_have_some(
    parcels: Parcels, site: None
) -> None:
    rita = client_of(person("rita", f"flow:{parcels.flow}:operate", f"flow:{parcels.flow}:repair"))
    parcels.make_exception(parcels.start(customer="Ana"))
    parcels.start(customer="Ana")
    rule = "insert into wed_trig (tgname, cpred, integrity) values ('whole', $$stage <> 'none'$$, 'always')"
    parcels.connection.execute(f'set search_path = "{parcels.flow}"')
    parcels.connection.execute(rule)
    page = get(rita, f"/bulk/new/?q=flow:{parcels.flow}+customer:Ana")
    links = re.findall(r"<li>.*?</li>", page.partition('id="repairs')[2], re.DOTALL)
    texts = [text_of(each) for each in links]
    for title in ("Enter the result of a job", "Skip a job"):
        assert any(title in each and "applies to 1 of them" in each for each in texts), texts
    offered = re.findall(
        r"<option[^>]*>([^<]*)</option>", page.partition('id="transition"')[2].partition("</select>")[0]
    )
    assert set(offered) == {"all transitions", "tr_pack", "tr_label", "tr_send"}


def test_transitions_that_no_worker_performs_are_not_offered(olga: Client, parcels: Parcels) -> None:
    parcels.connection.execute(
        f"insert into {parcels.flow}.wed_trig (tgname, trname, cpred, sets, performer)"
        " values ('g_mark', 'tr_mark', $$stage = 'lost' and pieces = 1$$, 'pieces = 2', 'database')"
    )
    stuck = parcels.start(extra={"a": 1})
    parcels.do("tr_pack", stuck, stage="lost", pieces=3)
    jobs = "select array_agg(trname) from wedsql.job_pool where wid = %s"
    assert parcels.connection.execute(jobs, [stuck]).fetchone() == (["_EXCPT"],)
    parcels.start()
    page = get(olga, f"/bulk/new/?flow={parcels.flow}")
    (offered,) = re.findall(r'<select id="transition".*?</select>', page, re.DOTALL)
    assert re.findall(r"<option[^>]*>(\w+)</option>", offered) == ["tr_label", "tr_pack", "tr_send"]
    about = re.findall(r'value="priority" required.*?</label>(.*?)</div>', page, re.DOTALL)
    assert "these 1" in text_of(about[0].encode()), "the other one has no job but that of the exception"
