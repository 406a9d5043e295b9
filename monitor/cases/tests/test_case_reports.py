"""The page of reports of cases, its files, and who sees what."""

from __future__ import annotations

import json
from html import unescape

from django.test import Client

from flows import api
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

PAGE = "/cases/reports/"


def exceptions(parcels: Parcels, repaired: int) -> int:
    """Make so many exceptions that are repaired, and one that is not; return the last one."""
    for _each in range(repaired):
        parcels.make_exception(wid := parcels.start(customer="Ana"))
        api.repairs.repair(wid, "patch", {"changes": {"stage": "sent"}}, "x", actor="ana")
    parcels.make_exception(wid := parcels.start())
    api.cases.sign()
    return wid


def test_the_page_counts_cases_and_says_what_a_rule_would_have_prevented(
    carol: Client, parcels: Parcels
) -> None:
    assert "Here is how many cases were opened" in text_of(get(carol, PAGE))
    exceptions(parcels, 2)
    text = text_of(get(carol, PAGE))
    assert "What a rule would have prevented" in text and "Stage becomes sent" in text and "2 of 2" in text
    assert "would have prevented 3 cases" in text
    for by, expected in (
        ("week", "from"),
        ("repairer", "ana 2"),
        ("age", "less than an hour 1"),
        ("queue", "default 3"),
    ):
        assert expected in text_of(get(carol, f"{PAGE}?by={by}&flow={parcels.flow}")), by
    assert "Here is how many" in text_of(get(carol, f"{PAGE}?from=2020-01-01&to=2020-01-02"))
    assert PAGE in get(carol, "/cases/")
    for odd in ("by=x", "from=x&to=%00", "window=x", "flow=%00"):
        get(carol, f"{PAGE}?{odd}")


def test_days_that_are_left_out_are_said(carol: Client, parcels: Parcels) -> None:
    for page in (PAGE, f"/flows/{parcels.flow}/analysis/"):
        assert "A window has at most 366 days" not in get(carol, f"{page}?from=2023-01-01&to=2024-01-01")
        shown = text_of(get(carol, f"{page}?from=2020-01-01&to=2024-12-31"))
        assert "A window has at most 366 days: the days before 2024-01-01 are left out." in shown
    assert carol.get("/cases/reports.csv?from=2020-01-01&to=2024-12-31").status_code == 400


def test_a_report_as_a_file(carol: Client, parcels: Parcels) -> None:
    wid = exceptions(parcels, 1)
    api.repairs.repair(wid, "patch", {"changes": {"stage": "sent"}}, "x", actor="=1+1")
    address = f"/cases/reports.{{}}?by=repairer&flow={parcels.flow}"
    found = carol.get(address.format("csv"))
    lines = b"".join(found).decode("utf-8-sig").splitlines()
    assert lines[0].split(",")[:4] == ["value", "flow", "cases", "open"]
    assert sorted(line.split(",")[0] for line in lines[1:]) == ["'=1+1", "ana"], "no spreadsheet runs it"
    rows = [json.loads(line) for line in b"".join(carol.get(address.format("jsonl"))).splitlines()]
    assert {row["value"]: int(row["cases"]) for row in rows} == {"ana": 1, "=1+1": 1}
    assert carol.get(address.format("exe")).status_code == 404
    exceptions(parcels, 0)
    rules = [
        json.loads(line) for line in b"".join(carol.get(f"{address.format('jsonl')}&of=rules")).splitlines()
    ]
    assert [(one["writes"], one["condition"], int(one["prevents"])) for one in rules] == [
        ("Stage becomes sent", "stage = 'lost' and extra is not null", 3)
    ]


def test_flows_that_a_user_does_not_see_are_not_counted(
    carol: Client, mallory: Client, parcels: Parcels
) -> None:
    exceptions(parcels, 1)
    for address in (PAGE, f"{PAGE}?flow={parcels.flow}"):
        text = text_of(get(mallory, address))
        assert "Here is how many" in text and "What a rule" not in text
    found = b"".join(mallory.get(f"/cases/reports.csv?flow={parcels.flow}")).decode()
    assert len(found.splitlines()) == 1


def test_a_value_that_a_user_may_not_see_is_in_no_report_and_no_suggestion(
    site: None, parcels: Parcels
) -> None:
    for _each in range(2):
        parcels.make_exception(wid := parcels.start(customer="Ana"))
        api.repairs.repair(wid, "patch", {"changes": {"stage": "sent", "customer": "Zoe"}}, "x")
    wid = exceptions(parcels, 0)
    number = api.cases.list([parcels.flow], {"wid": wid})[0].number
    assert api.repairs.suggestions(number)[0].values == {"stage": "sent", "customer": "Zoe"}
    parcels.connection.execute(
        "update wedsql.attr set visibility = 'masked' where flow_id = %s and aname = 'customer'",
        [parcels.flow_id],
    )
    clerk = client_of(person("cleo", f"flow:{parcels.flow}:handle"))
    for address in (PAGE, f"/instances/{wid}/repair/"):
        text = text_of(get(clerk, address))
        assert "Stage becomes sent" in text and "Zoe" not in text, address
        assert "would have prevented 3" not in text, "the condition may read what is masked"
    assert clerk.get(f"/cases/{number}/rule/").status_code in (403, 404)
    for address in ("csv?", "jsonl?", "csv?of=rules&", "jsonl?of=rules&"):
        found = b"".join(clerk.get(f"/cases/reports.{address}flow={parcels.flow}"))
        assert b"Zoe" not in found and (b"Stage becomes sent" in found) == ("rules" in address)
    assert clerk.get(f"/api/v1/cases/{number}/suggestions").status_code in (403, 404)


def test_a_designer_adds_the_proposed_rule_to_the_draft(
    carol: Client, mallory: Client, parcels: Parcels
) -> None:
    wid = exceptions(parcels, 2)
    number = api.cases.list([parcels.flow], {"wid": wid})[0].number
    page = f"/cases/{number}/rule/"
    assert page in get(carol, f"{PAGE}?flow={parcels.flow}")
    text = unescape(text_of(get(carol, page)))
    for expected in (
        "Stage is 'lost'",
        "Stage becomes sent",
        "only 2 such cases",
        "1 open, 2 closed",
        "3 of 3",
    ):
        assert expected in text, expected
    assert "stage = 'lost'" not in text, "a reader of plain pages knows no SQL"
    assert "Add the rule" not in text and carol.post(page).status_code == 403
    assert mallory.get(page).status_code == 404 and mallory.post(page).status_code == 404
    dora = client_of(person("dora", f"flow:{parcels.flow}", f"flow:{parcels.flow}:design"))
    text = unescape(text_of(get(dora, page)))
    assert "Add the rule to the draft" in text and "stage = 'lost' and extra is not null" in text
    answer = dora.post(page, follow=True)
    assert answer.redirect_chain[-1][0] == f"/admin/flows/flow/{parcels.flow_id}/design/"
    assert "The rule is in the draft" in text_of(answer.content.decode())
    added = api.drafts.read(parcels.flow).definition["triggers"][-1]
    assert (added["transition"], added["writes"]) == ("tr_set_stage", ["stage"])
    assert "No rule can be derived" in text_of(get(dora, f"/cases/{other(parcels)}/rule/"))
    assert dora.get("/cases/999999999/rule/").status_code == 404


def test_alike_cases_link_to_their_rule_for_those_who_read_conditions(site: None, parcels: Parcels) -> None:
    wid = exceptions(parcels, 2)
    (case,) = api.cases.list([parcels.flow], {"wid": wid})
    page, alike = f"/cases/{case.number}/rule/", f"/cases/?cause=STUCK&signature={case.signature}"
    for right, seen in (("repair", True), ("handle", False)):
        someone = client_of(person(f"p-{right}", f"flow:{parcels.flow}:{right}"))
        for address in (alike, f"/instances/{wid}/repair/"):
            assert (page in get(someone, address)) == seen, (right, address)


def other(parcels: Parcels) -> int:
    """Return the number of a case that nothing like it was repaired."""
    wid = parcels.start()
    parcels.do("tr_label", wid, extra={})
    parcels.park("tr_pack", wid, "no")
    return api.cases.list([parcels.flow], {"wid": wid})[0].number
