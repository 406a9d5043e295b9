"""The page on which a person repairs an exception: what is missing, preview, apply, refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from flows import api
from flows.tests.pages import Form, unique
from monitor.tests.conftest import Parcels, client_of, get, person, text_of


@pytest.fixture
def bea(parcels: Parcels, site: None) -> Client:
    """A clerk, who sees and repairs the parcels and has no other right."""
    return client_of(person("bea", f"flow:{parcels.flow}", permission="change_job"))


@pytest.fixture
def lost(parcels: Parcels) -> int:
    """An exception: its stage is lost, and no condition holds."""
    wid = parcels.start(customer="Ana")
    parcels.make_exception(wid)
    return wid


def address(wid: int) -> str:
    return f"/instances/{wid}/repair/"


def sent(client: Client, wid: int, page: str, **typed: str) -> str:
    """Send the form of a page with what was typed; return the page that follows, or where it leads."""
    given = {name: value for name, value in Form(page).fields.items() if name != "next"}
    response = client.post(address(wid), given | typed)
    assert response.status_code in (200, 302), response.status_code
    return response.content.decode() if response.status_code == 200 else response["Location"]


def test_a_clerk_reads_what_is_missing_fills_it_in_previews_and_applies(
    bea: Client, parcels: Parcels, lost: int
) -> None:
    assert address(lost) in get(bea, f"/instances/{lost}/") and address(lost) in get(bea, "/exceptions/")
    page = get(bea, address(lost))
    assert "For “Pack it”" in page and "Stage is &#x27;new&#x27;" in text_of(page)
    rule = next(one.id for one in api.reasons.explain_instance(lost).rules if one.transition == "tr_pack")
    page = sent(bea, lost, page, fill=str(rule))
    text = text_of(page)
    assert Form(page).fields["value-stage"] == "new", "what is filled in is previewed at once"
    assert "The instance runs again." in text and "Fires Pack it" in text and "Now holds" not in text
    assert api.reasons.explain_instance(lost).status == "E", "a preview changes nothing"
    assert sent(bea, lost, page, do="apply", reason="Found it.") == f"/instances/{lost}/"
    found = api.reasons.explain_instance(lost)
    assert (found.status, found.state["stage"]) == ("R", "new")
    page = get(bea, f"/instances/{lost}/")
    assert f"Instance {lost} is repaired." in page and "Found it." in page and "bea in monitor" in page
    assert f'{address(lost)}"' not in page, "there is nothing to repair any more"
    assert "There is nothing to repair" in get(bea, address(lost))


def test_what_goes_on_is_offered_before_what_was_done_already(bea: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana", extra={})
    parcels.do("tr_pack", wid, stage="lost")
    text = text_of(get(bea, address(wid)))
    assert text.index("For “g_send”") < text.index("For “Pack it”")


def test_a_parked_job_is_shown_with_its_error_and_a_way_to_retry_it(bea: Client, parcels: Parcels) -> None:
    wid = parcels.start(extra={})
    parcels.park("tr_pack", wid, "no box")
    page = get(bea, address(wid))
    (job,) = [one for one in api.reasons.explain_jobs(wid) if one.transition == "tr_pack"]
    assert f"/instances/{wid}/operate/retry/?job={job.id}" in page
    assert "Pack it : 1 attempt failed." in text_of(page) and "no box" in page


def test_only_who_may_repair_has_the_page(
    carol: Client, mallory: Client, bea: Client, parcels: Parcels, lost: int
) -> None:
    assert address(lost) not in get(carol, f"/instances/{lost}/") + get(carol, "/exceptions/")
    for method in ("get", "post"):
        assert getattr(carol, method)(address(lost)).status_code == 403
        assert getattr(mallory, method)(address(lost)).status_code == 404
    assert bea.get(address(999_999_999)).status_code == 404


def test_what_was_not_previewed_is_not_applied(bea: Client, parcels: Parcels, lost: int) -> None:
    first = get(bea, address(lost))
    assert "What will happen" in sent(bea, lost, first, **{"value-stage": "packed"}, do="apply", reason="x")
    page = sent(bea, lost, first, **{"value-stage": "new"}, do="preview", reason="x")
    page = sent(bea, lost, page, **{"value-stage": "sent"}, do="apply")
    assert "The values differ from those of the preview." in page and "becomes final" in page
    assert api.reasons.explain_instance(lost).state["stage"] == "lost"
    assert sent(bea, lost, page, do="apply") == f"/instances/{lost}/"
    assert api.reasons.explain_instance(lost).status == "F"


def test_what_others_changed_meanwhile_is_shown_beside(bea: Client, parcels: Parcels, lost: int) -> None:
    first = get(bea, address(lost))
    page = sent(bea, lost, first, **{"value-stage": "new"}, do="preview", reason="x")
    api.repairs.repair(lost, "patch", {"changes": {"customer": "Bob", "stage": "lost"}}, "Corrected.")
    page = sent(bea, lost, page, do="apply")
    text = text_of(page)
    assert "The instance changed since you opened this page." in text and "Ana" in text and "Bob" in text
    fields = Form(page).fields
    assert (fields["value-customer"], fields["value-stage"]) == ("Bob", "new"), "nothing of others is undone"
    assert api.reasons.explain_instance(lost).status == "E"
    assert sent(bea, lost, page, do="apply") == f"/instances/{lost}/"
    assert api.reasons.explain_instance(lost).state["customer"] == "Bob"


def test_what_cannot_be_is_said_at_its_place(bea: Client, parcels: Parcels, lost: int) -> None:
    page = get(bea, address(lost))
    wrong = sent(bea, lost, page, **{"value-pieces": "many", "value-stage": "new"}, do="preview")
    assert "note-error" in wrong and Form(wrong).fields["value-pieces"] == "many"
    wrong = sent(bea, lost, page, **{"value-extra": "{"}, do="preview")
    assert "This is not JSON" in wrong and Form(wrong).fields["value-extra"] == "{"
    page = sent(bea, lost, page, **{"value-stage": "new"}, do="preview")
    for nothing in (" ", "\x00"):
        assert "needs a reason" in sent(bea, lost, page, do="apply", reason=nothing)
    for odd in ({"seq": "x"}, {"seq": "0"}, {"seq": "9" * 30}, {"fill": "%00"}, {"previewed": "\x00"}):
        sent(bea, lost, page, **odd, do="preview")
    assert api.reasons.explain_instance(lost).status == "E"


def test_only_attributes_that_may_be_repaired_have_fields(bea: Client, parcels: Parcels, lost: int) -> None:
    parcels.connection.execute(
        "update wedsql.attr set repairable = aname = 'stage' where flow_id = %s", [parcels.flow_id]
    )
    page = get(bea, address(lost))
    assert {name for name in Form(page).fields if name.startswith("value-")} == {"value-stage"}
    assert "Ana" in page and "A repair cannot change these" in page
    page = sent(bea, lost, page, **{"value-stage": "new", "value-customer": "Eve"}, do="preview", reason="x")
    sent(bea, lost, page, **{"value-customer": "Eve"}, do="apply")
    assert api.reasons.explain_instance(lost).state["customer"] == "Ana"


def test_an_exception_is_accepted_as_it_is(bea: Client, parcels: Parcels, lost: int) -> None:
    page = get(bea, f"{address(lost)}?operation=accept")
    assert "value-stage" not in Form(page).fields
    page = sent(bea, lost, page, do="preview")
    assert "The instance becomes final." in page
    assert sent(bea, lost, page, do="apply", reason="The customer has it.") == f"/instances/{lost}/"
    found = api.reasons.explain_instance(lost)
    assert (found.status, found.state["stage"]) == ("F", "lost")


def test_the_result_of_a_job_is_entered_for_its_worker(bea: Client, parcels: Parcels, site: None) -> None:
    wid = parcels.start(extra={})
    bob = client_of(person("bob", f"flow:{parcels.flow}", permission="change_instance"))
    (job,) = api.reasons.explain_jobs(wid)
    parcels.connection.execute(
        "update wedsql.trig set writes = '{stage,pieces}' where flow_id = %s and trname = 'tr_pack'",
        [parcels.flow_id],
    )
    where = f"{address(wid)}?operation=complete&amp;job={job.id}"
    assert where not in get(bob, f"/instances/{wid}/"), "who operates only has other actions"
    page = get(bea, where.replace("&amp;", "&"))
    assert {name for name in Form(page).fields if name.startswith("value-")} == {
        "value-stage",
        "value-pieces",
    }
    page = sent(bea, wid, page, **{"value-stage": "lost"}, do="preview")
    assert "The instance becomes an exception" in page
    page = sent(bea, wid, page, **{"value-stage": "packed"}, do="preview")
    assert "The instance runs." in page and "tr_send" in page
    assert sent(bea, wid, page, do="apply", reason="Packed by hand.") == f"/instances/{wid}/"
    assert api.reasons.explain_instance(wid).state["stage"] == "packed"
    assert "This job is no longer pending" in get(bea, where.replace("&amp;", "&"))


def test_a_job_is_skipped_until_its_condition_was_false(bea: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = next(one for one in api.reasons.explain_jobs(wid) if one.transition == "tr_label")
    page = get(bea, f"/instances/{wid}/")
    assert f"operation=skip&amp;job={job.id}" in page
    assert "/operate/withdraw/" not in page, "who repairs only has no actions of operators"
    page = sent(bea, wid, get(bea, f"{address(wid)}?operation=skip&job={job.id}"), do="preview")
    assert "The instance runs." in page and "Withdrawn jobs" in page
    assert sent(bea, wid, page, do="apply", reason="No label is needed.") == f"/instances/{wid}/"
    assert [one.transition for one in api.reasons.explain_jobs(wid)] == ["tr_pack"]


def test_steps_are_undone_and_an_instance_is_started_again_from_one(
    bea: Client, carol: Client, parcels: Parcels
) -> None:
    wid = parcels.start()
    parcels.connection.execute(
        "update wedsql.trig set compensation = 'inverse' where flow_id = %s and trname = 'tr_pack'",
        [parcels.flow_id],
    )
    parcels.do("tr_label", wid, extra={"label": 1})
    parcels.do("tr_pack", wid, stage="packed")
    links = [f"{address(wid)}?operation={name}&amp;step=2" for name in ("rollback", "compensate", "branch")]
    assert all(link in get(bea, f"/instances/{wid}/steps/2/") for link in links)
    assert "/repair/" not in get(carol, f"/instances/{wid}/steps/2/")
    page = sent(bea, wid, get(bea, links[2].replace("&amp;", "&")), do="preview")
    assert "A new instance begins with these values." in page
    branched = sent(bea, wid, page, do="apply", reason="Once more.")
    assert branched != f"/instances/{wid}/" and "Derived from" in get(bea, branched)
    page = sent(bea, wid, get(bea, links[0].replace("&amp;", "&")), do="preview")
    text = text_of(page)
    assert "Steps that are undone, in this order" in text and "The instance runs." in text
    assert "step 3 · Pack it · its values are restored" in text and "Pack it" in text[text.index("Fires") :]
    assert sent(bea, wid, page, do="apply", reason="Wrong box.") == f"/instances/{wid}/"
    assert api.reasons.explain_instance(wid).state["stage"] == "new"
    page = sent(bea, wid, get(bea, f"{address(wid)}?operation=abort"), do="preview")
    assert "The instance ends as aborted." in page
    sent(bea, wid, page, do="apply", reason="Enough.")
    assert api.reasons.explain_instance(wid).status == "A"
    assert "There is nothing to repair" in get(bea, f"{address(wid)}?operation=abort")


def test_a_step_is_replayed_with_a_corrected_value(bea: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.connection.execute(
        "update wedsql.trig set replay = 'reuse' where flow_id = %s and trname = 'tr_label'",
        [parcels.flow_id],
    )
    parcels.do("tr_label", wid, extra={"label": 1})
    parcels.do("tr_pack", wid, stage="packed")
    link = f"{address(wid)}?operation=replay&step=1"
    assert link.replace("&", "&amp;") in get(bea, f"/instances/{wid}/steps/1/")
    page = get(bea, link)
    assert Form(page).fields["value-stage"] == "new", "the form has the values of the step"
    page = sent(bea, wid, page, **{"value-pieces": "3"}, do="preview")
    text = text_of(page)
    assert "Steps whose results are used again step 2" in text
    assert "step 3 · Pack it · its rule asks for a worker" in text
    assert sent(bea, wid, page, do="apply", reason="Wrong number.") == f"/instances/{wid}/"
    assert api.reasons.explain_instance(wid).state["pieces"] == 3
    assert "result of step 2" in get(bea, f"/instances/{wid}/")
    assert bea.get(f"{address(wid)}?operation=replay&step=99").status_code == 404


def test_a_pivot_is_undone_only_if_a_person_says_so(bea: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.connection.execute(
        "update wedsql.trig set class = 'pivot' where flow_id = %s and trname = 'tr_pack'", [parcels.flow_id]
    )
    parcels.do("tr_pack", wid, stage="packed")
    page = sent(bea, wid, get(bea, f"{address(wid)}?operation=abort"), do="preview")
    assert 'value="apply"' not in page and "note-error" in page
    page = sent(bea, wid, page, do="preview", override="1")
    assert "The instance ends as aborted." in page and "checked" in page
    assert sent(bea, wid, page, do="apply", override="1", reason="It came back.") == f"/instances/{wid}/"


def test_a_violated_integrity_condition_is_said_and_accepted_only_if_a_person_says_so(
    bea: Client, parcels: Parcels, lost: int
) -> None:
    assert "integrity conditions" not in get(bea, f"{address(lost)}?operation=accept")
    parcels.connection.execute(
        f"insert into {parcels.flow}.wed_trig (tgname, cpred, integrity, label)"
        " values ('found', 'stage is distinct from ''lost''', 'always', 'Not lost')"
    )
    assert "For the integrity condition “Not lost”" in get(bea, address(lost))
    page = sent(bea, lost, get(bea, f"{address(lost)}?operation=accept"), do="preview")
    assert "found (Not lost)" in page and 'value="apply"' not in page
    page = sent(bea, lost, page, do="preview", override="1")
    assert sent(bea, lost, page, do="apply", override="1", reason="Paid out.") == f"/instances/{lost}/"
    assert "Paid out. (override: found)" in get(bea, f"/instances/{lost}/")


def test_a_way_to_repair_that_there_is_not_is_not_found(bea: Client, lost: int) -> None:
    for odd in (
        "cancel",
        "x",
        "%00",
        "complete&job=x",
        "complete&job=" + "9" * 30,
        "branch",
        "rollback&step=x",
        "rollback&step=" + "9" * 30,
        "rollback&step=0",
    ):
        assert bea.get(f"{address(lost)}?operation={odd}").status_code in (200, 404)
    assert bea.get(f"{address(lost)}?operation=cancel").status_code == 404
    assert bea.post(address(lost), {"operation": "cancel", "do": "preview"}).status_code == 404


def test_it_is_portuguese_for_portuguese_readers(bea: Client, parcels: Parcels, lost: int) -> None:
    page = bea.get(address(lost), headers={"accept-language": "pt-br"}).content.decode()
    assert "O que falta" in page and "Reparar a instância" in page and "What is" not in text_of(page)


def test_a_repair_is_undone_with_one_click_or_made_good(bea: Client, parcels: Parcels, lost: int) -> None:
    undo = f"/instances/{lost}/undo/"
    assert undo not in get(bea, f"/instances/{lost}/")
    api.repairs.repair(lost, "patch", {"changes": {"stage": "new"}}, "x", actor="ana")
    page = get(bea, f"/instances/{lost}/")
    assert "Undo the repair" in page
    seq = Form(page).fields["seq"]
    assert (
        bea.post(undo, {"seq": "1"}).status_code == 302 and api.reasons.explain_instance(lost).status == "R"
    )
    assert bea.post(undo, {"seq": seq})["Location"] == f"/instances/{lost}/"
    found = api.reasons.explain_instance(lost)
    assert (found.status, found.state["stage"]) == ("E", "lost")
    page = get(bea, f"/instances/{lost}/")
    assert "The repair is undone." in page and "moved meanwhile" in page and undo not in page
    api.repairs.repair(lost, "patch", {"changes": {"stage": "new"}}, "x", actor="ana")
    parcels.do("tr_pack", lost, stage="lost")
    page = get(bea, f"/instances/{lost}/")
    assert f"{address(lost)}?former" in page and undo not in page
    assert Form(get(bea, f"{address(lost)}?former")).fields["value-stage"] == "lost"


def test_only_who_may_repair_undoes(carol: Client, parcels: Parcels, lost: int) -> None:
    api.repairs.repair(lost, "patch", {"changes": {"stage": "new"}}, "x", actor="ana")
    assert "Undo the repair" not in get(carol, f"/instances/{lost}/")
    assert carol.post(f"/instances/{lost}/undo/", {"seq": "9"}).status_code == 403
    assert api.reasons.explain_instance(lost).status == "R"


def test_what_helped_in_cases_like_this_one_fills_the_form(bea: Client, parcels: Parcels, lost: int) -> None:
    for _each in range(2):
        wid = parcels.start(customer="Bob")
        parcels.make_exception(wid)
        api.repairs.repair(wid, "patch", {"changes": {"stage": "sent"}}, "x", actor="ana")
    assert "What helped" not in get(bea, address(lost)), "the case has no signature yet"
    api.cases.sign()
    page = get(bea, address(lost))
    text = text_of(page)
    assert "2 of 2 such cases reached their final state after it" in text and "only 2 cases" in text
    (case,) = api.cases.list([parcels.flow], {"wid": lost})
    (found,) = api.repairs.suggestions(case.number)
    page = sent(bea, lost, page, fill=found.key)
    assert (
        Form(page).fields["value-stage"] == "sent"
        and api.reasons.explain_instance(lost).state["stage"] == "lost"
    )
    closed = f"/cases/?show=closed&flow={parcels.flow}&signature={case.signature}"
    last = api.cases.read(found.numbers[0]).wid
    assert closed.replace("&", "&amp;") in page and f'/instances/{last}/"' in get(bea, closed)


def test_the_claim_of_another_person_is_shown_once_before_a_repair_is_applied(
    bea: Client, parcels: Parcels, lost: int
) -> None:
    (case,) = api.cases.list([parcels.flow], {"wid": lost})
    page = sent(bea, lost, get(bea, address(lost)), do="preview", **{"value-stage": "new"})
    assert "has claimed this case" not in page
    api.cases.claim(case.number, "carl")
    api.cases.claim(case.number, "dora", take_over="Carl is ill.")
    page = sent(bea, lost, page, do="apply", reason="Found it.")
    text = text_of(page)
    assert "dora has claimed this case." in text and "“Carl is ill.”" in text
    assert api.reasons.explain_instance(lost).status == "E" and Form(page).fields["value-stage"] == "new"
    assert Form(page).fields["reason"] == "Found it."
    assert sent(bea, lost, page, do="apply", reason="Found it.") == f"/instances/{lost}/"
    assert api.reasons.explain_instance(lost).status == "R"
    kinds = [each.kind for each in api.cases.read(case.number).history]
    assert "repaired" in kinds


def test_an_own_claim_and_one_that_has_ended_ask_nothing(bea: Client, parcels: Parcels, lost: int) -> None:
    (case,) = api.cases.list([parcels.flow], {"wid": lost})
    bea.post(f"/cases/{case.number}/claim/")
    page = sent(bea, lost, get(bea, address(lost)), do="preview", **{"value-stage": "new"})
    assert "has claimed this case" not in page
    assert sent(bea, lost, page, do="apply", reason="x").startswith(("/instances/", "/cases/"))
    assert api.reasons.explain_instance(lost).status == "R"


def test_undoing_all_steps_says_that_the_instance_ends(bea: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana", extra={})
    parcels.do("tr_pack", wid, stage="lost")
    page = sent(bea, wid, get(bea, address(wid) + "?operation=abort"), do="preview", override="1")
    text = text_of(page)
    assert "The instance ends as aborted." in text
    assert "Now holds" not in text and "No longer holds" not in text, "its rules matter no more"
    assert sent(bea, wid, page, do="apply", override="1", reason="Not ours.") == f"/instances/{wid}/"
    page = get(bea, f"/instances/{wid}/")
    assert f"Instance {wid} has ended: its steps are undone." in page and "is repaired" not in page


PAID = "payment = 'paid'"


@pytest.fixture
def shop(site: None) -> Iterator[str]:
    """A flow whose rules ask for an amount, for a date, and for one of two states."""
    name = unique("shop")
    flow = {
        "attributes": [
            {"name": "total", "type": "numeric"},
            {"name": "delivered", "type": "date"},
            {"name": "payment", "type": "enum", "options": ["none", "paid", "refunded"]},
            {"name": "packed", "type": "enum", "options": ["yes", "no"]},
        ],
        "triggers": [
            {"transition": "tr_begin", "predicate": "payment is null"},
            {"transition": "tr_pay", "predicate": "total <= 500 and payment = 'none' and delivered is null"},
            {"transition": "tr_more", "predicate": "total > 0 and payment = 'none'", "label": "Send more"},
            {"transition": "tr_pack", "predicate": "total <= 500 and packed is null"},
            {"transition": "tr_go", "predicate": "packed = 'yes' and payment = 'paid'", "label": "Go"},
            {
                "predicate": "delivered is not null and payment = 'paid' or payment = 'refunded'",
                "final": True,
            },
        ],
    }
    api.flows.create(name)
    api.flows.publish(name, flow)
    yield name
    api.flows.drop(name, force=True)


def stuck(shop: str) -> int:
    """Start an instance that is an exception after its first step."""
    wid = api.instances.start(shop, {"total": 698})
    (job,) = api.reasons.explain_jobs(wid)
    api.repairs.repair(
        wid, "complete", {"job": job.id, "changes": {"payment": "paid"}}, "Begun.", actor="ann"
    )
    assert api.reasons.explain_instance(wid).status == "E"
    return wid


def test_what_is_missing_shows_the_alternatives_and_proposes_no_facts(site: None, shop: str) -> None:
    wid = stuck(shop)
    clerk = client_of(person("cleo", f"flow:{shop}", f"flow:{shop}:handle"))
    page = get(clerk, address(wid))
    assert "delivered has a value" in text_of(page) and "payment is &#x27;refunded&#x27;" in text_of(page)
    offered = re.findall(r'name="fill" value="([\d.]+)"', page)
    (other,) = [one for one in offered if "." in one]
    page = sent(clerk, wid, page, fill=other)
    assert Form(page).fields["value-payment"] == "refunded"
    for key in offered:
        fields = Form(sent(clerk, wid, get(clerk, address(wid)), fill=key)).fields
        assert (fields["value-total"], fields["value-delivered"]) == ("698", ""), "facts are found out"


def test_what_a_transition_wrote_is_no_proposal_except_that_it_is_done_again(site: None, shop: str) -> None:
    wid = stuck(shop)
    clerk = client_of(person("cleo", f"flow:{shop}", f"flow:{shop}:handle"))
    page = get(clerk, address(wid))
    missing = text_of(page[page.index('id="missing-title"') :])
    assert "For “Send more”" in missing and "payment is &#x27;none&#x27;" in missing
    ids = {one.transition: str(one.id) for one in api.reasons.explain_instance(wid).rules}
    offered = re.findall(r'name="fill" value="([\d.]+)"', page)
    assert ids["tr_more"] not in offered and ids["tr_begin"] in offered
    assert "For “Go”" in missing and ids["tr_go"] not in offered, "nor what one will write"
    page = sent(clerk, wid, page, fill=ids["tr_begin"])
    assert Form(page).fields["value-payment"] == "" and "Fires tr_begin" in text_of(page)


def test_what_persons_did_comes_first(site: None, shop: str) -> None:
    clerk = client_of(person("cleo", f"flow:{shop}", f"flow:{shop}:handle"))
    for _ in range(3):
        done = stuck(shop)
        api.cases.sign()
        api.repairs.repair(done, "patch", {"changes": {"payment": "refunded"}}, "Paid back.", actor="cleo")
    wid = stuck(shop)
    api.cases.sign()
    page = get(clerk, address(wid))
    assert "What helped in cases like this one" in page
    missing = text_of(page[page.index('id="missing-title"') :])
    assert missing.index("To become final") < missing.index("For “")


def test_the_values_come_before_files_and_history(bea: Client, lost: int) -> None:
    page = get(bea, address(lost))
    order = [page.index(each) for each in ('id="case"', 'id="values-title"', 'id="comment"', 'id="files"')]
    assert order == sorted(order)


def test_persons_are_named_and_processes_are_not(bea: Client, parcels: Parcels) -> None:
    """What is missing says who wrote the present value."""
    parcels.make_exception(wid := parcels.start())
    for actor, shown in (("ana", True), ("qcluster@vm:3550", False)):
        parcels.connection.execute("update wedsql.wed_trace set actor = %s where wid = %s", [actor, wid])
        assert (f"({actor})" in text_of(bea.get(f"/instances/{wid}/repair/").content)) is shown
