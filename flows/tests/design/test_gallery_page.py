"""The gallery on the page for a new flow: cards, an example, its draft, its code."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from flows import api
from flows.definition.scenarios import Scenario, Step
from flows.designer.picture.miniature import miniature
from flows.errors import ScenarioLimit, UnknownDraft
from flows.models import Flow
from flows.patterns import catalogue, example_named, gallery, patterns
from flows.tests.designer import browser
from flows.tests.pages import opened, unique
from flows.tests.publication.publish_page import text_of

pytestmark = pytest.mark.django_db
NEW = "/admin/flows/flow/new/"


def at(name: str, query: str = "") -> str:
    return reverse("admin:flows_flow_example", args=[name]) + query


def test_the_page_has_a_card_with_a_picture_per_example(alice: Client) -> None:
    page = alice.get(NEW).content.decode()
    cards = re.findall(r'<li class="panel card">(.*?)</li>', page, re.DOTALL)
    assert len(cards) == len(gallery.examples()) == 11
    for card, example in zip(cards, gallery.examples().values(), strict=True):
        assert f'<a href="{at(example.name)}">{example.title}</a>' in card
        assert re.search(r"What it teaches:</strong> [A-Z][^<]{30,}\.</p>", card), example.name
        assert card.count('class="box"') == example.rules + 1, "the start, the rules and the end"
        assert f"{example.rules} rules" in card and f"{len(example.scenarios)} scenarios" in card
        assert 'role="img" aria-label="after Start' in card
    assert 'style="' not in page


def test_the_patterns_stand_below_in_their_groups(alice: Client) -> None:
    page = alice.get(NEW).content.decode()
    below = page[page.index('id="patterns"') :]
    groups = [group for group in catalogue() if re.search(f'<h3 id="patterns-{group.name}">', below)]
    assert len(groups) == len(catalogue()) == 8
    found = re.findall(r'<li class="panel card pattern">(.*?)</li>', below, re.DOTALL)
    assert len(found) == len(patterns())
    for each in patterns().values():
        card = next(text for text in found if f'<a href="{at(each.name)}">' in text)
        assert escape(each.story) in card and 'role="img" aria-label="after Start' in card


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("wcp16", ["wcp16"]),
        ("  LIVRO customer seller ", []),
        ("customer seller", ["wcp16"]),
        ("iteration reminded", ["wcp21"]),
        ("conference", ["parallel"]),
    ],
)
def test_a_search_shows_what_has_all_of_its_words(alice: Client, words: str, shown: list[str]) -> None:
    page = alice.get(NEW, {"q": words}).content.decode()
    assert re.findall(r"/flow/gallery/(\w+)/", page) == shown
    assert ("No example and no pattern has all of these words." in page) == (not shown)


def test_a_pattern_has_a_page_with_its_definition_and_opens_as_a_draft(alice: Client) -> None:
    shown = text_of(alice.get(at("wcp20")))
    assert "Workflow pattern 20 · Cancellation and forced completion" in shown
    assert "The pattern: The whole instance is cancelled" in shown and "waits for a signal" in shown
    assert "For example: A customer may cancel an order until it is shipped" in shown
    flow = unique()
    assert alice.post(at("wcp20"), {"name": flow}).status_code == 302
    listed = text_of(alice.get(reverse("admin:flows_flow_new_scenarios", args=[flow])))
    assert listed.count("as expected") == 2
    alice.cookies["django_language"] = "pt-br"
    assert "Padrão de workflow 20 · Cancelamento e conclusão forçada" in text_of(alice.get(at("wcp20")))


def test_it_is_in_the_language_of_the_reader(alice: Client) -> None:
    alice.cookies["django_language"] = "pt-br"
    assert "Aprovação a quatro olhos" in text_of(alice.get(NEW))
    shown = text_of(alice.get(at("four_eyes")))
    assert "O que ensina: Uma exigência em uma condição" in shown
    assert "Um pagamento é feito depois que duas pessoas o aprovaram" in shown
    assert "Pedir a outra pessoa" in shown and "Uma pessoa aprova duas vezes" in shown


def test_an_example_opens_as_a_draft_that_can_be_tried_and_published(alice: Client) -> None:
    flow = unique()
    response = alice.post(at("loan"), opened(alice, at("loan")) | {"name": flow, "label": "My loans"})
    assert response.status_code == 302 and not Flow.objects.filter(name=flow).exists()
    shown = alice.get(response["Location"])
    assert "The draft is opened with 3 scenarios; nothing is published." in text_of(shown)
    assert f"{at('loan')}?flow={flow}#handlers" in shown.content.decode()
    draft = api.drafts.read(flow)
    assert (draft.definition["label"], draft.changed_by) == ("My loans", "alice")
    tab = reverse("admin:flows_flow_new_try", args=[flow])
    assert "First state" in text_of(alice.get(tab))
    listed = text_of(alice.get(reverse("admin:flows_flow_new_scenarios", args=[flow])))
    assert listed.count("as expected") == 3 and "They exercise 6 of 6 rules" in listed
    walked = text_of(alice.get(tab, {"scenario": "Granted at once"}))
    assert "So far" in walked and "Grant at once" in walked and "paid_out = true" in walked
    publish = alice.get(reverse("admin:flows_flow_new_publish", args=[flow]))
    assert reverse("admin:flows_flow_new_scenarios", args=[flow]) in publish.content.decode()


def test_a_name_that_cannot_be_used_opens_nothing(alice: Client) -> None:
    flow = unique()
    api.drafts.open(flow, definition={"attributes": [], "triggers": []})
    refused = text_of(alice.post(at("loop"), {"name": flow, "label": ""}))
    assert "A draft of a new flow has this name already" in refused and api.trials.list_scenarios(flow) == []
    assert 'class="field-error"' in alice.post(at("loop"), {"name": "No Name", "label": ""}).content.decode()
    with pytest.raises(UnknownDraft):
        api.drafts.read("No Name")


def test_the_code_is_shown_and_downloaded_for_a_flow(alice: Client) -> None:
    page = alice.get(at("order", "?flow=mine")).content.decode()
    assert "flow=&quot;mine&quot;" in page and "?handlers=1&amp;flow=mine" in page
    code = alice.get(at("order", "?handlers=1&flow=mine"))
    assert code["Content-Type"].startswith("text/x-python") and "attachment" in code["Content-Disposition"]
    assert '@transition("sample_order_pay", flow="mine", simulate=' in code.content.decode()
    hostile = alice.get(at("order", '?handlers=1&flow="),evil("')).content.decode()
    assert hostile == gallery.examples()["order"].handlers
    assert alice.get(at("nowhere")).status_code == 404


def test_who_may_not_add_flows_sees_no_example() -> None:
    user = User.objects.create_user(unique("u"), is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_flow"))
    assert browser(user).get(at("order")).status_code == 404


@pytest.mark.parametrize("name", [*gallery.examples(), *patterns()])
def test_no_box_of_a_picture_lies_on_another(name: str) -> None:
    example = example_named(name)
    assert example
    drawn = miniature(example.definition, example.scenarios)
    assert len({(box.x, box.y) for box in drawn.boxes}) == len(drawn.boxes) == example.rules + 1
    assert all(0 < box.x < drawn.width and 0 < box.y < drawn.height for box in drawn.boxes)
    assert drawn.boxes[-1].kind == "final" and len(drawn.edges) >= example.rules


def test_a_name_of_a_flow_that_runs_is_refused(alice: Client, fig2: str) -> None:
    answer = alice.post(NEW, {"name": fig2})

    assert f"There is a flow “{fig2}” already." in text_of(answer) and not api.drafts.list(fig2)


def test_scenarios_of_a_discarded_draft_of_that_name_are_replaced(alice: Client) -> None:
    name = unique()
    for _time in range(2):
        assert alice.post(at("order"), {"name": name}).status_code == 302
        api.drafts.discard(api.drafts.read(name).at)

    assert len(api.trials.list_scenarios(name)) == len(gallery.examples()["order"].scenarios)


def test_the_list_of_flows_has_drafts_of_new_flows_for_those_who_may_change_them(alice: Client) -> None:
    name = unique()
    alice.post(NEW, {"name": name})
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_flow"))
    flows = reverse("admin:flows_flow_changelist")

    assert name in alice.get(flows).content.decode()
    assert name not in browser(viewer).get(flows).content.decode()
    for tab in ("rules", "text", "try"):
        assert browser(viewer).get(reverse(f"admin:flows_flow_new_{tab}", args=[name])).status_code == 404


def test_who_may_add_flows_may_not_change_those_that_run(fig2: str) -> None:
    user = User.objects.create_user(unique("u"))
    user.user_permissions.set(Permission.objects.filter(codename__in=["add_flow", "view_flow"]))
    rules = reverse("admin:flows_flow_rules", args=[Flow.objects.get(name=fig2).pk])

    assert browser(user).get(rules).status_code == browser(user).get(NEW).status_code == 200
    assert browser(user).post(rules, {"seen": "1/0/", "item": "1", "do": "delete"}).status_code == 404


def test_a_flow_that_there_is_not_has_no_page(alice: Client) -> None:
    for address in (
        reverse("admin:flows_flow_new_rules", args=["nowhere"]),
        f"/admin/flows/flow/{10**30}/try/",
    ):
        assert alice.get(address).status_code == 404


def test_an_example_whose_scenarios_cannot_all_be_kept_opens_no_draft() -> None:
    name = unique()
    api.drafts.open(name, definition={"attributes": [], "triggers": []})
    for number in range(199):
        api.trials.save_scenario(Scenario(name, f"s{number}", [Step("start")]))
    api.drafts.discard(api.drafts.read(name).at)

    with pytest.raises(ScenarioLimit):
        gallery.open_example(gallery.examples()["loan"], name)
    assert not [each for each in api.drafts.list() if each.flow == name]
