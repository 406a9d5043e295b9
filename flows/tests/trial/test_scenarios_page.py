"""Scenarios on the pages: saved from a trial, listed with their results, opened, replaced, deleted."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.definition.scenarios import Scenario, Step
from flows.designer.trial.scenarios import LONGEST_STORY
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.publication.publish_page import drafted, text_of
from flows.tests.trial.test_trial_page import Page
from flows.tests.trial.test_trial_page import loan as loan
from flows.tests.trial.test_trial_page import standing_loan as standing_loan

pytestmark = pytest.mark.django_db


def listed(client: Client, flow: str, query: str = "") -> str:
    return text_of(client.get(reverse("admin:flows_flow_scenarios", args=[number(flow)]) + query))


def number(flow: str) -> int:
    return Flow.objects.get(name=flow).pk


def walked(client: Client, flow: str) -> Page:
    """Return the page of a trial that was started, granted and paid."""
    page = Page(client, flow)
    page.do("start", amount="100", note="x")
    page.do("complete:0", state="granted")
    page.do("complete:1", state="paid")
    return page


def saved(page: Page, name: str = "paid at once", **more: str) -> str:
    """Save the path of a page as a scenario; return the page's text."""
    data = {"do": "save", "path": page.path, "name": name, "story": "A story."} | more
    return text_of(page.client.post(page.address, data))


def opened(client: Client, flow: str, name: str) -> tuple[dict[str, str], str]:
    """Return the hidden fields of the page that opens a scenario, and its text."""
    response = client.get(reverse("admin:flows_flow_try", args=[number(flow)]), {"scenario": name})
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', response.content.decode())
    return {name: html.unescape(value) for name, value in hidden}, text_of(response)


def test_a_trial_is_saved_with_what_happened(alice: Client, loan: str) -> None:
    assert "This flow has no scenarios" in listed(alice, loan)
    assert "The scenario “paid at once” is saved." in saved(walked(alice, loan))

    found = api.trials.read_scenario(loan, "paid at once")
    assert [step.do for step in found.steps] == ["start", "complete", "complete"]
    assert [step.expected["status"] for step in found.steps] == ["R", "R", "F"]
    assert found.steps[0].expected["fired"][0]["name"] == "g_ask"
    assert found.steps[1].expected["values"] == {"state": "granted"}
    assert (found.story, found.changed_by) == ("A story.", "alice")
    shown = listed(alice, loan)
    assert "as expected" in shown and "They were run on version" in shown and "A story." in shown
    assert "They exercise 3 of 4 rules" in shown and "Remind : never fired" in shown
    assert "note is null was never true" in shown


def test_a_draft_is_what_scenarios_are_run_on(alice: Client, loan: str) -> None:
    saved(walked(alice, loan))
    drafted(loan, "amount > 0")

    shown = listed(alice, loan)

    assert "They were run on the draft." in shown and "1 scenario does not go as expected." in shown
    assert "Step 2: These rules should not have fired: Decide." in shown
    assert "as expected" in listed(alice, loan, "?version=1").replace("not go as expected", "")
    assert (
        alice.get(reverse("admin:flows_flow_scenarios", args=[number(loan)]) + "?version=99").status_code
        == 404
    )


def test_a_draft_that_cannot_be_compiled_says_so(alice: Client, loan: str) -> None:
    saved(walked(alice, loan))
    drafted(loan, "nowhere > 1000")

    shown = listed(alice, loan)

    assert "cannot be run on this definition" in shown and "nowhere" in shown
    assert "not run" in shown and "paid at once" in shown


def test_opening_puts_the_path_into_the_trial(alice: Client, loan: str) -> None:
    page = walked(alice, loan)
    saved(page)

    fields, text = opened(alice, loan, "paid at once")

    assert [step[:2] for step in steps_in(fields["path"])] == [["start", 0], ["complete", 0], ["complete", 1]]
    assert "So far" in text and "A story." in text
    assert (fields["scenario"], fields["scenario_revision"]) == ("paid at once", "1")


def test_a_refused_start_keeps_the_first_state_of_the_scenario(alice: Client, loan: str) -> None:
    saved(walked(alice, loan))
    drafted(loan, "amount > 100 and amount < 0")
    address = reverse("admin:flows_flow_try", args=[number(loan)])

    shown = alice.get(address, {"scenario": "paid at once"})

    assert "no instance was started" in text_of(shown)
    assert 'value="100"' in shown.content.decode()


def test_without_scripts_the_list_is_a_whole_page(alice: Client, loan: str) -> None:
    address = reverse("admin:flows_flow_scenarios", args=[number(loan)])

    assert "<html" in alice.get(address).content.decode()
    assert "<html" not in alice.get(address, {"part": "1"}).content.decode()


def steps_in(text: str) -> Any:
    return json.loads(text)


def test_an_opened_scenario_is_replaced_and_no_other_one(alice: Client, loan: str) -> None:
    page = walked(alice, loan)
    saved(page)
    assert "at revision 1, saved by alice" in saved(page)
    fields, _text = opened(alice, loan, "paid at once")

    one_by = {"scenario": fields["scenario"], "scenario_revision": fields["scenario_revision"]}
    assert "is saved" in saved(page, story="Another.", **one_by)
    assert "at revision 2, saved by alice" in saved(page, **one_by)
    assert "is saved" in saved(page, "a second name", **one_by)

    assert [one.revision for one in api.trials.list_scenarios(loan)] == [1, 2]
    assert api.trials.read_scenario(loan, "paid at once").story == "Another."


def test_a_scenario_is_deleted(alice: Client, loan: str) -> None:
    saved(walked(alice, loan))
    form = {"do": "delete", "scenario": "paid at once", "scenario_revision": "7"}
    address = reverse("admin:flows_flow_try", args=[number(loan)])

    assert "at revision 1" in text_of(alice.post(address, form, follow=True))
    assert "The scenario is deleted." in text_of(
        alice.post(address, form | {"scenario_revision": "1"}, follow=True)
    )
    assert api.trials.list_scenarios(loan) == []


def test_a_story_has_a_length_and_a_scenario_a_step(alice: Client, loan: str) -> None:
    page = walked(alice, loan)
    saved(page, story="s" * 9_000)
    assert api.trials.read_scenario(loan, "paid at once").story == "s" * LONGEST_STORY

    page.path = "[]"
    assert "Start an instance first" in saved(page, "nothing")


def test_repair_and_time_are_steps_too(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="1")
    page.do("due:2")
    page.do("complete:2", note="reminded")
    page.do("complete:0", amount="0")
    page.do("repair", amount="5")
    saved(page, "all kinds")

    steps = api.trials.read_scenario(loan, "all kinds").steps
    assert [one.do for one in steps] == ["start", "due", "complete", "complete", "repair"]
    assert steps_in(opened(alice, loan, "all kinds")[0]["path"]) == steps_in(page.path)
    assert "as expected" in listed(alice, loan)


def test_a_scenario_whose_rule_was_removed_opens_up_to_it(alice: Client, loan: str) -> None:
    saved(walked(alice, loan))
    draft = api.drafts.open(loan, actor="ann")
    del draft.definition["triggers"][1]
    api.drafts.save(draft.at, draft.definition, actor="ann")

    fields, text = opened(alice, loan, "paid at once")

    assert len(steps_in(fields["path"])) == 2
    assert "The definition has no rule g_pay." in text


def test_a_scenario_is_opened_on_a_draft_that_cannot_be_compiled(alice: Client, loan: str) -> None:
    api.trials.save_scenario(
        Scenario(loan, "simulated", [Step("start"), Step("simulate", {"name": "g_ask"})])
    )
    drafted(loan, "nowhere > 1000")

    fields, text = opened(alice, loan, "simulated")

    assert steps_in(fields["path"]) == [] and "nowhere" in text


def test_only_who_may_design_saves_and_deletes(alice: Client, loan: str) -> None:
    page = walked(alice, loan)
    saved(page)
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_flow"))
    client = browser(reader)

    text = listed(client, loan)
    assert "paid at once" in text and "Open" in text and "Delete" not in text
    assert "Save as a scenario" not in opened(client, loan, "paid at once")[1]
    for action in ("save", "delete"):
        data = {"do": action, "path": page.path, "name": "mine", "scenario": "paid at once"}
        assert client.post(page.address, data).status_code == 404
    assert len(api.trials.list_scenarios(loan)) == 1


@pytest.mark.parametrize("name", ["", "x" * 200, "a\nb", "\x07", "\0"], ids=range(5))
def test_any_name_is_answered(alice: Client, loan: str, name: str) -> None:
    page = walked(alice, loan)

    response = page.client.post(page.address, {"do": "save", "path": page.path, "name": name})

    assert response.status_code in (200, 400)
    assert api.trials.list_scenarios(loan) == []
    text_of(alice.get(page.address, {"scenario": name or "absent"}))


def test_the_publish_page_shows_them_and_does_not_wait_for_them(alice: Client, loan: str) -> None:
    api.trials.save_scenario(Scenario(loan, "odd", [Step("start", expected={"status": "F"})]))
    drafted(loan, "amount > 0 and state = 'new' and note is null")

    page = alice.get(reverse("admin:flows_flow_publish", args=[number(loan)]))

    assert (
        f'data-address="{reverse("admin:flows_flow_scenarios", args=[number(loan)])}?part=1"'
        in page.content.decode()
    )
    assert not re.search(
        r'value="publish"\s+disabled', alice.get(page.request["PATH_INFO"] + "?examine=1").content.decode()
    )
