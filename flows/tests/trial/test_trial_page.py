"""The tab where a definition is tried: start, complete, go back, usual results, hostile paths."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from flows import api
from flows.designer.trial import path as trying
from flows.models import Flow, Instance
from flows.tests.commands import run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

LOAN = """
insert into wed_attr (aname, type) values ('amount', 'integer'), ('note', 'text'), ('extra', 'jsonb');
insert into wed_attr (aname, adv, type, options) values ('state', 'new', 'enum', '{new,granted,paid}');
insert into wed_trig (tgname, trname, cname, cpred, label) values
  ('g_ask', 'tr_ask', 'asked', $$amount > 0 and state = 'new'$$, 'Decide'),
  ('g_pay', 'tr_pay', 'granted', $$state = 'granted'$$, 'Pay');
insert into wed_trig (tgname, trname, cname, cpred, label, due_after) values
  ('g_late', 'tr_remind', 'late', $$state = 'new' and note is null$$, 'Remind', '2 days');
insert into wed_trig (cpred, cfinal) values ($$state = 'paid'$$, true);
"""


@pytest.fixture(scope="module")
def standing_loan(
    standing: Callable[[Callable[[], str]], str], tmp_path_factory: pytest.TempPathFactory
) -> str:
    return standing(lambda: made(LOAN, tmp_path_factory.mktemp("loan")))


@pytest.fixture
def loan(standing_loan: str, alice: Client) -> str:
    cache.clear()  # it has what other tests have done with the flow
    return standing_loan


def made(text: str, directory: Path) -> str:
    path = directory / "flow.sql"
    path.write_text(text)
    flow = unique()
    run("loadflow", str(path), "--flow", flow, "--actor", "alice")
    return flow


class Page:
    """The page of a trial, with its fields and the path that it carries."""

    def __init__(self, client: Client, flow: str, *attributes: str) -> None:
        self.client = client
        self.attributes = attributes or ("amount", "note", "extra", "state")
        self.address = reverse("admin:flows_flow_try", args=[Flow.objects.get(name=flow).pk])
        self._read(client.get(self.address))

    def do(self, action: str, **typed: str) -> str:
        """Press a button with values typed into the fields of these attributes; return the page's text."""
        data = self.fields | {self.names[name]: text for name, text in typed.items()}
        self._read(self.client.post(self.address, data | {"do": action, "path": self.path}))
        return self.text

    def _read(self, response: Any) -> None:
        assert response.status_code == 200
        self.page = response.content.decode()
        self.text = html.unescape(" ".join(re.sub(r"<[^>]+>", " ", self.page).split()))
        self.path = html.unescape(re.search(r'name="path" value="([^"]*)"', self.page)[1])  # type: ignore[index]
        inputs = re.findall(r'<input id="value-\d+" name="(value-\d+)" value="([^"]*)"', self.page)
        self.fields = {name: html.unescape(text) for name, text in inputs}
        for name, options in re.findall(r'<select id="(value-\d+)".*?>(.*?)</select>', self.page, re.DOTALL):
            chosen = re.search(r'value="([^"]*)" selected', options)
            self.fields[name] = chosen[1] if chosen else ""
        for name, text in re.findall(r'<textarea id="(value-\d+)"[^>]*>\n?([^<]*)<', self.page):
            self.fields[name] = html.unescape(text)
        self.names = dict(zip(self.attributes, sorted(self.fields), strict=False))


def test_an_invented_instance_runs_to_its_end(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    assert "Nothing has started yet" in page.text

    started = page.do("start", amount="100")
    assert "Decide waits" in started.replace("  ", " ") or "waits for a worker" in started
    assert "“state = 'granted'” is false: state is new" in started
    assert "Fired: Decide" in started
    assert "Running" in page.do("complete:0", state="granted")
    done = page.do("complete:1", state="paid")

    assert "Finished" in done or "Final" in done
    assert not Instance.objects.filter(flow__name=loan).exists()


def test_going_back_tries_another_way(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="100")
    page.do("complete:0", state="granted")

    page.do("rewind:1")
    assert page.fields[page.names["state"]] == "new"
    assert 'value="repair"' in page.page or "pill-E" not in page.page
    page.do("rewind:0")
    assert "Nothing has started yet" in page.text


def test_an_exception_is_repaired(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="1", note="x")
    stuck = page.do("complete:0", amount="0", state="new")
    assert "Exception" in stuck and 'value="repair"' in page.page

    assert 'value="repair"' not in page.do("repair", amount="5") or "Decide" in page.text
    assert 'value="complete:0"' in page.page


def test_time_is_let_come(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="1")
    assert 'value="due:2"' in page.page and 'value="complete:2"' not in page.page

    page.do("due:2")

    assert "Remind: the time has come" in page.text and 'value="complete:2"' in page.page


def test_a_refusal_keeps_what_was_typed(alice: Client, loan: str) -> None:
    page = Page(alice, loan)

    refused = page.do("start", amount="many")

    assert "amount" in refused and page.fields[page.names["amount"]] == "many"
    assert "Nothing has started yet" in page.text
    unreadable = page.do("start", extra="{not json", amount="1")
    assert "This is not JSON" in unreadable and page.fields[page.names["extra"]] == "{not json"


def test_a_refusal_has_the_name_of_the_flow(alice: Client, loan: str) -> None:
    text = Page(alice, loan).do("start", amount="", note="x")

    assert f'No condition of flow "{loan}" holds' in text


def test_an_empty_field_is_null_and_two_quotes_are_an_empty_text(alice: Client, loan: str) -> None:
    page = Page(alice, loan)

    page.do("start", amount="1", note="''")

    assert '"note":""' in page.path and page.fields[page.names["note"]] == "''"
    page.do("complete:0", note="")
    assert '"note":null' in page.path


def test_the_usual_result_comes_from_the_history(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="1")
    assert "No result of this rule" in page.do("usual:0")
    for amount, state in ((1, "granted"), (2, "granted"), (3, "paid")):
        api.instances.start(loan, {"amount": amount})
        job = api.jobs.take(loan, ["tr_ask"], actor="worker")
        assert job is not None
        api.jobs.complete(job, {"state": state}, actor="worker")

    page.do("usual:0")

    assert page.fields[page.names["state"]] == "granted"


def test_the_first_state_is_that_of_an_instance(alice: Client, loan: str) -> None:
    wid = api.instances.start(loan, {"amount": 77})

    shown = alice.get(f"{Page(alice, loan).address}?wid={wid}").content.decode()

    assert 'value="77"' in shown


def test_the_draft_is_tried_if_there_is_one(alice: Client, loan: str) -> None:
    draft = api.drafts.open(loan, actor="ann")
    draft.definition["triggers"][0]["predicate"] = "amount > 1000"
    api.drafts.save(draft.at, draft.definition, actor="ann")
    page = Page(alice, loan)
    assert "tries the draft as ann saved it" in page.text

    assert "“amount > 1000” is false: amount is 5" in page.do("start", amount="5", note="x", state="granted")


PATHS = (
    "{",
    "7",
    "[7]",
    '[["complete",0,{}]]',
    '[["start",0,[]]]',
    '[["start",0,{}],["due",999,null]]',
    '[["start",null,{}]]',
    '[["start",0,{"amount":1}],["complete",-9,{}]]',
    "[" * 5000,
    '[["start",0,{"nowhere":1}]]',
    '[["start",0,{"note":"\\u0000"}]]',
    "x" * 300_000,
)


@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_any_path_is_answered(alice: Client, loan: str, path: str) -> None:
    page = Page(alice, loan)

    response = alice.post(page.address, {"path": path, "do": "complete:0"})

    assert response.status_code in (200, 400), response.content.decode()[:500]


@pytest.mark.parametrize(
    "action", ["complete:99", "complete:x", "due:", "rewind:-5", "usual:99", "nothing", "repair"]
)
def test_any_action_is_answered(alice: Client, loan: str, action: str) -> None:
    page = Page(alice, loan)
    page.do("start", amount="1")

    assert page.do(action)


def test_an_instance_of_another_flow_is_not_shown(alice: Client, loan: str) -> None:
    other = unique()
    api.flows.create(other)
    rule = {"transition": "tr_x", "predicate": "note is not null"}
    api.flows.publish(other, {"attributes": [{"name": "note"}], "triggers": [rule]})
    wid = api.instances.start(other, {"note": "secret of another flow"})

    shown = alice.get(f"{Page(alice, loan).address}?wid={wid}").content.decode()

    assert "secret of another flow" not in shown and 'value="new" selected' in shown


def test_a_path_that_is_too_long_is_not_played(alice: Client, loan: str) -> None:
    page = Page(alice, loan)
    page.path = f"[{' ' * trying.LARGEST_PATH}]"
    assert "This trial has become too long." in page.do("rewind:9")
    page.path = json.dumps([["start", 0, None], *[["due", 0, None]] * trying.LONGEST_PATH])
    assert "The trial could not be read." in page.do("rewind:0")


@pytest.mark.parametrize(
    "steps",
    [
        [["complete", 0, {}]],
        [["start", 0, None], ["start", 0, None]],
        [["start", 0, None], ["rewind", 0, None]],
        [["start", 0, ["amount"]]],
        [["start", 0, None], ["complete", 0, "amount"]],
    ],
    ids=["no start", "two starts", "unknown kind", "a list as the state", "a text as the changes"],
)
def test_a_path_that_no_page_has_sent_is_not_played(steps: list[Any]) -> None:
    with pytest.raises(trying.BadPath, match="could not be read"):
        trying.read_path(json.dumps(steps))
    assert len(trying.read_path('[["start", 0, {"amount": 5}], ["due", 2, null]]')) == 2


TYPED = """
insert into wed_attr (aname, type, adv) values ('ok', 'boolean', 'f'), ('day', 'date', '2026-03-01'),
  ('at', 'timestamptz', '2026-03-01 02:00+01'), ('ever', 'timestamptz', 'infinity');
insert into wed_trig (trname, cpred) values ('tr_x', 'not ok');
insert into wed_trig (cpred, cfinal) values ('ok', true);
"""


@pytest.fixture
def typed(alice: Client, tmp_path: Path) -> Page:
    return Page(alice, made(TYPED, tmp_path), "ok", "day", "at", "ever")


def test_yes_no_days_and_times_have_inputs_of_their_own(typed: Page) -> None:
    assert '<option value="false" selected>' in typed.page and "empty (null)" in typed.text
    assert re.search(r'value="2026-03-01"[^>]*type="date"', typed.page)
    assert re.search(r'value="2026-03-01T01:00:00"[^>]*type="datetime-local"', typed.page), "in UTC"
    assert re.search(r'value="infinity"[^>]*placeholder', typed.page), "which no input of a time shows"


def test_what_a_browser_sends_of_an_unchanged_input_changes_nothing(typed: Page) -> None:
    started = typed.do("start", at="2026-03-01T01:00", day="")
    assert json.loads(typed.path)[0][2]["day"] is None
    assert "waits for a worker" in started

    typed.do("complete:0", ok="true", at="2026-03-01T01:00")

    assert json.loads(typed.path)[1][2] == {"ok": "true"}
    assert re.search(r'value="2026-03-01T01:00:00"[^>]*type="datetime-local"', typed.page)


@pytest.mark.parametrize("rule", [{}, {"predicate": None}, {"transition": 5, "predicate": "amount > 0"}])
def test_a_half_typed_definition_says_why_it_cannot_be_tried(
    alice: Client, loan: str, rule: dict[str, Any]
) -> None:
    found = api.drafts.open(loan, actor="alice")
    half = {"attributes": [*found.definition["attributes"], {}], "triggers": [rule]}
    api.drafts.save(found.at, half, actor="alice")

    page = Page(alice, loan)
    page.do("start")
    assert "note-error" in page.page and page.path == "[]"
