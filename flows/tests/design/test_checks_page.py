"""The tab Checks: findings with their evidence and their places, problems first, and a clean definition."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows import api
from flows.definition.lint import Finding
from flows.designer.draft import warning_count
from flows.designer.editor import checks
from flows.designer.trial import path
from flows.engine.recent import Recent
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.pages import unique
from testkit.slow import slow_statements

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the checks end on a busy machine, too; the time limits have tests of their own."""
    monkeypatch.setattr(checks, "SECONDS", 60.0)


def shown(client: Client, flow: str, **parameters: str) -> str:
    """Return the page, with the part that its script loads until all conditions are examined."""
    page = client.get(address(flow), parameters)
    while b"data-running" in page.content:
        page = client.get(address(flow), parameters | {"part": "findings"})
    assert page.status_code == 200
    return html.unescape(page.content.decode())


def address(flow: str, tab: str = "checks") -> str:
    return reverse(f"admin:flows_flow_{tab}", args=[Flow.objects.get(name=flow).pk])


def drafted(flow: str, **first: str) -> None:
    """Open a draft in which the first rule has these options."""
    draft = api.drafts.open(flow, actor="ann")
    draft.definition["triggers"][0] |= first
    api.drafts.save(draft.at, draft.definition, actor="ann")


def test_a_rule_that_never_holds_is_found_in_the_draft(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate="a1 = 'ready' and a1 is null")

    page = shown(alice, fig2)

    assert "never" in page and "proved" in page
    place = re.search(r'href="([^"]*\?rule=[^"]*)"', page)
    assert place is not None and alice.get(place[1]).status_code == 200


def test_what_takes_long_is_examined_after_the_page(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.designer.editor.checks.AT_ONCE", 0)
    drafted(fig2, predicate=f"a1 = '{fig2}' and a1 is null")

    page = alice.get(address(fig2)).content.decode()

    assert re.search(r'<progress max="\d+" value="\d+"', page) and "<table" not in page
    assert "is true on no state" in shown(alice, fig2)
    again = alice.get(address(fig2)).content.decode()
    assert "is true on no state" in again, "what was evaluated is kept"


def test_of_one_kind_the_first_findings_are_shown_and_the_others_linked(alice: Client) -> None:
    flow = unique()
    api.flows.create(flow)
    rules = [{"transition": f"tr_{n}", "predicate": f"a = {n}", "writes": ["a"]} for n in range(13)]
    final = {"predicate": "a = 20", "final": True}
    attribute = {"name": "a", "type": "integer", "default": "0"}
    api.flows.publish(flow, {"attributes": [attribute], "triggers": [*rules, final]})

    page = shown(alice, flow)

    assert page.count("No worker serves the transition") == 10 + 1, "ten, and one in the link to the others"
    assert "3 more findings" in page and 'href="?check=no_worker"' in page
    every = shown(alice, flow, check="no_worker")
    assert every.count("No worker serves the transition") == 13 and "more findings" not in every


def test_a_problem_is_solved_before_the_checks_run(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate="nowhere is null")

    page = alice.get(address(fig2))

    assert "1 problem prevents publishing" in html.unescape(page.content.decode())
    assert "error" not in page.context, "conditions with a problem are not evaluated"


def test_what_the_page_reads_first_has_a_time_limit(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, limits = checks.flow_page, []

    def read(*given: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("show statement_timeout")
            limits.append(cursor.fetchone())
        return real(*given)

    monkeypatch.setattr(checks, "flow_page", read)

    assert alice.get(address(fig2)).status_code == 200 and limits == [("5s",)]


def test_checks_that_do_not_end_in_time_say_so(
    alice: Client, fig2: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.engine.checks._known_tables", Recent(1))
    with slow_statements("wedsql.evaluate_classes"):
        page = alice.get(address(fig2), {"part": "findings"})

    assert page.status_code == 200 and "canceling statement" in page.context["error"]


def test_a_definition_without_findings_says_so(alice: Client) -> None:
    flow = unique()
    api.flows.create(flow)
    triggers = [
        {"transition": "tr_a", "predicate": "a is null", "writes": ["a"]},
        {"predicate": "a is not null", "final": True},
    ]
    api.flows.publish(flow, {"attributes": [{"name": "a", "type": "integer"}], "triggers": triggers})
    with connection.cursor() as cursor:
        serves = [f"{flow}:tr_a"]
        cursor.execute("select wedsql.register_worker('runner', 'test', 'here', 1, %s)", [serves])

    page = shown(alice, flow)

    assert "Nothing was found" in page, re.findall(r'data-label="Finding">([^<]*)', page)


NEVER = "a1 = 'ready' and a1 is null"


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of the first form that names a finding."""
    form = re.search(r'<form method="post" class="acknowledge">.*?</form>', page, re.DOTALL)
    assert form is not None
    return dict(re.findall(r'name="(finding|rule)" value="([^"]*)"', form[0]))


def test_a_finding_is_acknowledged_with_a_reason_and_that_is_taken_back(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate=NEVER)
    fields = hidden(shown(alice, fig2))

    alice.post(address(fig2), fields | {"do": "acknowledge", "reason": "not <yet> used"})

    page = shown(alice, fig2)
    assert re.search(r"<s>The condition of .* is true on no state.</s>", page)
    assert "not <yet> used" in page and "Acknowledged by alice" in page
    alice.post(address(fig2), hidden(page[page.index("<s>") :]) | {"do": "withdraw"})
    assert "<s>" not in shown(alice, fig2) and api.drafts.list_acknowledgements(fig2) == []


def test_the_bar_of_the_draft_has_the_number_of_open_warnings(alice: Client, fig2: str) -> None:
    def bar() -> str:
        page = alice.get(address(fig2, "rules")).content.decode()
        found = re.search(r'<section class="draft-bar.*?</p>', page, re.DOTALL)
        assert found is not None
        return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())

    drafted(fig2, predicate=NEVER)
    assert "warning" not in bar(), "nothing is checked for the bar"
    fields = hidden(shown(alice, fig2))
    number = re.search(r"· (\d+) warnings?$", bar())
    assert number is not None

    alice.post(address(fig2), fields | {"do": "acknowledge", "reason": "so"})
    assert "warning" not in bar()
    shown(alice, fig2)
    left = int(number[1]) - 1
    assert bar().endswith({0: "no warnings", 1: "1 warning"}.get(left, f"{left} warnings"))
    draft = api.drafts.read(fig2)
    draft.definition["triggers"][0]["label"] = "Other"
    api.drafts.save(draft.at, draft.definition, actor="ann")
    assert "warning" not in bar(), "the content is another"


@pytest.mark.parametrize(("check", "number"), [("never_true", 1), ("gave_up", None)])
def test_checks_that_were_cut_short_leave_no_number(check: str, number: int | None) -> None:
    flow, found = unique(), Finding("1", check, "warning", "proved", ("triggers", 0), "so")
    warning_count.remember(flow, {}, [found])
    assert warning_count.known(flow, {}) == number


def test_a_changed_condition_asks_again(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate=NEVER)
    alice.post(address(fig2), hidden(shown(alice, fig2)) | {"do": "acknowledge", "reason": "so"})
    draft = api.drafts.read(fig2)
    draft.definition["triggers"][0]["predicate"] = NEVER + " and a2 is null"
    api.drafts.save(draft.at, draft.definition, actor="ann")

    assert "<s>" not in shown(alice, fig2)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"do": "acknowledge", "finding": "never_true-0123456789ab", "rule": "0", "reason": " "},
        {"do": "acknowledge", "finding": "never_true-0123456789ab", "rule": "0", "reason": "x" * 1001},
        {"do": "acknowledge", "finding": "nothing", "rule": "0", "reason": "so"},
        {"do": "acknowledge", "finding": "never_true-0123456789ab\0", "rule": "9" * 30, "reason": "s\0"},
        {"do": "acknowledge", "finding": "never_true-0123456789ab", "rule": "-4", "reason": "so"},
        {"do": "acknowledge", "finding": "never_true-0123456789ab\0", "rule": "0", "reason": "so"},
        {"do": "acknowledge", "finding": "never_true-0123456789ab", "rule": "0", "reason": "so\0"},
        {"do": "withdraw", "finding": "never_true-0123456789ab", "rule": "0"},
    ],
)
def test_what_is_no_acknowledgement_is_rejected_with_a_message(
    alice: Client, fig2: str, sent: dict[str, str]
) -> None:
    answer = alice.post(address(fig2), sent, follow=True)

    assert answer.status_code == 200 and "note-error" in answer.content.decode()
    assert api.drafts.list_acknowledgements(fig2) == []


def test_only_who_may_design_acknowledges(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate=NEVER)
    fields = hidden(shown(alice, fig2)) | {"do": "acknowledge", "reason": "so"}
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_flow"))

    page = browser(viewer).get(address(fig2))
    answer = browser(viewer).post(address(fig2), fields)

    assert page.status_code == 200 and 'class="acknowledge"' not in page.content.decode()
    assert answer.status_code == 404 and api.drafts.list_acknowledgements(fig2) == []


def test_a_finding_opens_a_trial_with_the_state_that_shows_it(alice: Client, fig2: str) -> None:
    drafted(fig2, predicate="a1 <> 'ready' or a1 = 'it''s & <so>'")
    page = alice.get(address(fig2)).content.decode()
    place = re.search(r'href="([^"]*/try/\?state=[^"]*)"', page)
    assert place is not None

    tried = alice.get(html.unescape(place[1]))

    assert tried.status_code == 200 and tried.context["fields"][0].name == "a1"


LONG = json.dumps({"a1": "x" * path.LARGEST_STATE})


def test_of_a_state_in_an_address_only_attributes_are_read() -> None:
    assert path.read_state('{"a1": 1, "nowhere": 2}', ["a1", "a2"]) == {"a1": 1}


@pytest.mark.parametrize(
    "state",
    [
        "{",
        "[]",
        "[" * 9_000,
        '"a1"',
        "null",
        "{}",
        '{"a1": "\\u0000"}',
        "x" * 20_000,
        '{"nowhere": 1}',
        "\0",
        LONG,
    ],
)
def test_a_trial_ignores_what_is_no_state(alice: Client, fig2: str, state: str) -> None:
    usual = alice.get(address(fig2, "try")).context["fields"]

    answer = alice.get(address(fig2, "try"), {"state": state})

    assert answer.status_code == 200
    assert [field.text for field in answer.context["fields"]] == [field.text for field in usual]


def test_a_trial_begins_with_the_state_of_its_address(alice: Client, fig2: str) -> None:
    answer = alice.get(address(fig2, "try"), {"state": '{"a1": "<b>", "a2": null}'})

    assert [field.text for field in answer.context["fields"]][:2] == ["<b>", ""]
    assert "<b>" not in answer.content.decode().partition("<form")[2]
