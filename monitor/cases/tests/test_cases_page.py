"""The list of cases, and what a person does with a case."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from flows import api
from flows.capabilities.cases.api import Case
from flows.tests.pages import Form
from monitor.cases import views
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

BEA = "bea in monitor"


@pytest.fixture
def bea(parcels: Parcels, site: None) -> Client:
    """A clerk, who sees and repairs the parcels and has no other right."""
    return client_of(person("bea", f"flow:{parcels.flow}", permission="change_job"))


@pytest.fixture
def lost(parcels: Parcels) -> list[int]:
    """Three exceptions with the same cause."""
    wids = [parcels.start() for _ in range(3)]
    for wid in wids:
        parcels.make_exception(wid)
    return wids


def case_of(wid: int) -> Case:
    return next(one for one in api.cases.list(None, {"wid": wid}) if one.wid == wid)


def test_cases_are_listed_and_grouped(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    api.cases.sign()
    page = get(bea, "/cases/")
    assert all(f"/instances/{wid}/repair/" in page for wid in lost)
    heads = re.findall(r'<th role="rowheader".*?</th>', page[page.index('id="cases-title"') :], re.DOTALL)
    assert sorted(int(text_of(one).split()[0]) for one in heads) == lost, "a case has its instance's number"
    group = next(one for one in api.cases.groups([parcels.flow]))
    assert f"cause=STUCK&amp;signature={group.signature}" in page and "no rule applies" in page
    other = parcels.start(extra={})
    parcels.park("tr_pack", other, "no box")
    page = get(bea, f"/cases/?flow={parcels.flow}&cause=STUCK&signature={group.signature}")
    assert f"/instances/{lost[0]}/" in page and f"/instances/{other}/" not in page and "Repair all" in page
    assert "No case is open" in get(bea, "/cases/?flow=another")
    for odd in ("show=x", "after=x", "after=" + "9" * 30, "cause=%00", "queue=" + "q" * 500):
        assert bea.get(f"/cases/?{odd}").status_code == 200


def test_groups_say_what_was_found_in_the_words_of_the_flow(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    other = parcels.start(extra={})
    parcels.park("tr_pack", other, "no box")
    text = text_of(get(bea, "/cases/"))
    assert "Stage: lost" in text, "the value that its rules did not expect"
    assert "Pack it no box" in text, "the title of the transition, and its error"


def test_groups_with_the_same_texts_are_one(
    bea: Client, parcels: Parcels, lost: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of conditions that do not matter for a case differ, or have come with a publication."""
    more = [parcels.start(pieces=n) for n in (1, 200, 300)]
    empty = parcels.start()
    api.cases.sign()
    definition = api.flows.definition(parcels.flow)
    rules = [{"transition": "tr_pallet", "predicate": f"stage = 'sent' and pieces > {n}"} for n in (100, 250)]
    api.flows.publish(parcels.flow, definition | {"triggers": [*definition["triggers"], *rules]})
    for wid in more:
        parcels.make_exception(wid)
    parcels.do("tr_label", empty, extra={})
    parcels.do("tr_pack", empty, stage=None)
    failed = [parcels.start(extra={}, pieces=n) for n in (1, 200)]
    for wid in failed:
        parcels.park("tr_pack", wid, "no box")
    api.cases.sign()
    assert len(api.cases.groups([parcels.flow])) >= 6, "signatures differ"
    for most, groups in ((15, {"STUCK": lost + more, "ATTEMPTS": failed}), (2, {"STUCK": lost + more})):
        monkeypatch.setattr(views, "GROUPS", most)
        table = get(bea, "/cases/").partition('id="groups-title"')[2].partition("</table>")[0]
        assert text_of(table).count("Stage: lost") == 1, "one group"
        for cause, wids in groups.items():
            listed, repair = group_of(table, cause)
            for order in ("", "&sort=newest"):
                found = get(bea, listed + order)
                assert {wid for wid in parcels.wids if f"/instances/{wid}/repair/" in found} == {*wids}
            assert f"Repair {len(wids)} instances" in text_of(get(bea, repair)), repair


def group_of(table: str, cause: str) -> tuple[str, str]:
    """Return the addresses of the list and of the repair of the only group of a cause with several cases."""
    rows = [each for each in table.split("<tr ") if f"cause={cause}&" in each and "/cases/repair/" in each]
    assert len(rows) == 1, text_of(table)
    listed, repair = (re.search(rf'href="({start}[^"]*)"', rows[0]) for start in (r"\?", "/cases/repair/"))
    assert listed and repair
    return "/cases/" + unescape(listed[1]), unescape(repair[1])


def test_the_list_goes_on_by_the_last_case(
    bea: Client, parcels: Parcels, lost: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitor.cases.views.PAGE_SIZE", 2)
    first = get(bea, f"/cases/?flow={parcels.flow}")
    shown = [wid for wid in lost if f"/instances/{wid}/repair/" in first]
    assert len(shown) == 2
    after = max(case_of(wid).number for wid in shown)
    assert f"after={after}" in first
    second = get(bea, f"/cases/?flow={parcels.flow}&after={after}")
    assert [wid for wid in lost if f"/instances/{wid}/repair/" in second] == [
        wid for wid in lost if wid not in shown
    ]


def test_the_next_case_is_claimed_repaired_and_closed(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    assert "You have no case" in get(bea, "/cases/?show=mine")
    found = bea.post("/cases/next/")
    assert found.status_code == 302
    wid = next(wid for wid in lost if found["Location"] == f"/instances/{wid}/repair/")
    assert (case_of(wid).state, case_of(wid).owner) == ("claimed", BEA)
    page = get(bea, found["Location"])
    assert "Give back" in page and f"/instances/{wid}/repair/" in get(bea, "/cases/?show=mine")
    given = Form(page).fields | {"value-stage": "new", "do": "preview", "reason": "Found."}
    page = bea.post(found["Location"], given).content.decode()
    assert "The instance runs again." in page
    done = bea.post(found["Location"], Form(page).fields | {"do": "apply"})
    following = next(one for one in lost if done["Location"] == f"/instances/{one}/repair/")
    assert done.status_code == 302 and following != wid and case_of(following).owner == BEA
    assert not [one for one in api.cases.list([parcels.flow], {"wid": wid}) if one.wid == wid]
    assert f"/instances/{wid}/" in get(bea, "/cases/?show=closed")
    bea.post("/cases/next/")
    assert "neither claimed nor put aside" in get(bea, bea.post("/cases/next/")["Location"])


def test_a_case_is_commented_put_aside_and_taken_over(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    wid = lost[0]
    number = case_of(wid).number

    def do(client: Client, verb: str, **given: str) -> str:
        found = client.post(f"/cases/{number}/{verb}/", given)
        assert found["Location"] == f"/instances/{wid}/repair/#case"
        return text_of(get(client, f"/instances/{wid}/repair/"))

    carl = client_of(person("carl", f"flow:{parcels.flow}", permission="change_job"))
    assert "The bank is asked." in do(bea, "comment", text="The bank is asked.")
    assert BEA in do(bea, "claim")
    assert "Take over" in get(carl, f"/instances/{wid}/repair/")
    do(carl, "claim")
    assert case_of(wid).owner == BEA, "a claim is taken over with a reason only"
    do(carl, "claim", text="Bea is ill.")
    assert case_of(wid).owner == "carl in monitor"
    do(carl, "release")
    assert case_of(wid).state == "new"
    assert "waiting" in do(bea, "wait", time="2h", text="The bank answers tomorrow.")
    for odd in ("x", "", "-1", "1e400", "99999d"):
        do(bea, "wait", time=odd)
    do(bea, "comment", text="\x00")
    assert bea.post(f"/cases/{number}/close/").status_code == 404
    assert bea.post(f"/cases/{2**63}/claim/").status_code == 404


def test_a_case_is_put_aside_until_the_state_is_as_chosen(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    wid = lost[0]
    number = case_of(wid).number

    def wait(client: Client, **given: str) -> str:
        client.post(f"/cases/{number}/wait/", {"awaited": "1", "time": "30d"} | given)
        return get(client, f"/instances/{wid}/repair/")

    wrong = (
        ({"attribute": "nothing", "operator": "eq", "value": "x"}, "Choose an attribute"),
        ({"attribute": "customer", "operator": "like", "value": "x"}, "Choose an attribute"),
        ({"attribute": "customer", "operator": "eq", "value": ""}, "Enter a value"),
        ({"attribute": "weight", "operator": "gt", "value": "heavy"}, "heavy"),
        ({"attribute": "stage", "operator": "eq", "value": "lost"}, "already"),
    )
    for given, why in wrong:
        page = wait(bea, **given)
        assert why in page and case_of(wid).state == "new", text_of(page)
    page = wait(bea, attribute="customer", operator="eq", value='O\'Hara \\ % "x"', text="The CRM is asked.")
    assert case_of(wid).waits_for == "customer = 'O''Hara \\ % \"x\"'" and "no longer than" in page
    api.cases.end_waits()
    assert case_of(wid).state == "waiting"
    api.repairs.repair(wid, "patch", {"changes": {"customer": 'O\'Hara \\ % "x"'}}, "A test.", actor="carl")
    api.cases.end_waits()
    assert case_of(wid).state == "new" and "the state is as awaited" in get(bea, f"/instances/{wid}/repair/")
    for operator, waits in (("notnull", False), ("null", True), ("ne", True), ("ge", True)):
        wait(
            bea,
            attribute="customer",
            operator=operator,
            value='O\'Hara \\ % "x"' if operator == "ne" else "Z",
        )
        assert (case_of(wid).state == "waiting") is waits, operator
        bea.post(f"/cases/{number}/claim/")
        bea.post(f"/cases/{number}/release/")
    clerk = client_of(person("cleo", f"flow:{parcels.flow}:handle"))
    page = wait(clerk, condition="weight > 1000000")
    assert "Instead, a condition in SQL" not in page and "Choose an attribute" in page
    page = wait(bea, condition="weight > 1000000")
    assert "Instead, a condition in SQL" in page and case_of(wid).waits_for == "weight > 1000000"


def test_only_who_may_repair_the_flow_changes_a_case(
    carol: Client, mallory: Client, parcels: Parcels, lost: list[int]
) -> None:
    number = case_of(lost[0]).number
    page = get(carol, "/cases/")
    assert f"/instances/{lost[0]}/" in page and "/repair/" not in page and "Next case" not in page
    for query in ("", f"?flow={parcels.flow}"):
        assert f"/instances/{lost[0]}/" not in get(mallory, f"/cases/{query}")
    other = client_of(person("olaf", "flow:another", permission="change_job"))
    for client, answer in ((carol, 403), (mallory, 403), (other, 404)):
        assert client.post(f"/cases/{number}/comment/", {"text": "x"}).status_code == answer
    assert carol.post("/cases/next/").status_code == 403
    assert other.post("/cases/next/")["Location"] == "/cases/"
    assert case_of(lost[0]).state == "new" and len(api.cases.read(number).history) == 1


def test_a_failed_compensation_is_retried_or_left_out_from_its_case(bea: Client, parcels: Parcels) -> None:
    parcels.connection.execute(
        "update wedsql.trig set compensation = 'transition', compensated_by = 'tr_unpack', max_attempts = 1"
        " where trname = 'tr_pack' and flow_id = %s",
        [parcels.flow_id],
    )
    wid = parcels.start(customer="Ana")
    parcels.do("tr_pack", wid, stage="packed")
    api.compensations.abort(wid, "Not wanted.", conn=parcels.connection)
    parcels.park("tr_unpack", wid, "no key")
    page = get(bea, f"/instances/{wid}/repair/")
    (job,) = api.reasons.explain_jobs(wid)
    assert f"/instances/{wid}/operate/retry/?job={job.id}" in page
    assert "?operation=skip_compensation" in page and "There is nothing to repair" not in page


def test_a_case_is_given_to_a_colleague_who_finds_it_in_theirs(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    """Only to a person who may handle the cases of the flow."""
    cleo = client_of(person("cleo", f"flow:{parcels.flow}:handle"))
    person("dave", f"flow:{parcels.flow}")
    number = case_of(lost[0]).number
    page = get(bea, f"/instances/{lost[0]}/repair/")
    assert 'value="cleo in monitor"' in page and 'value="dave in monitor"' not in page
    for other in ("", "nemo", "dave in monitor", BEA, "\x00", "x" * 999):
        said = text_of(bea.post(f"/cases/{number}/give/", {"to": other}, follow=True).content)
        assert "may not handle cases" in said or "given to another person" in said
        assert case_of(lost[0]).owner == ""
    given = {"to": "cleo in monitor", "text": "You know Ana."}
    said = text_of(bea.post(f"/cases/{number}/give/", given, follow=True).content)
    assert "The case is given to cleo in monitor." in said and "You know Ana." in said
    assert f"/instances/{lost[0]}/repair/" in get(cleo, "/cases/?show=mine")
    assert f"/instances/{lost[0]}/repair/" not in get(bea, "/cases/?show=mine")
    assert client_of(person("eve", f"flow:{parcels.flow}")).post(
        f"/cases/{number}/give/", given
    ).status_code in (403, 404)
