"""The picture of a flow: its edges from declarations and from the history, its table, its exports."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.designer import mermaid
from flows.designer.picture import name as node_name
from flows.models import Flow, Trigger
from flows.queries.graph import EXCEPTION, OTHER, START, Graph, Node, Rule, assemble, graph
from flows.tests.commands import run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

LOOP = """
insert into wed_attr (aname, type) values ('n', 'integer'), ('note', 'text');
insert into wed_attr (aname, adv, type, options) values ('state', 'new', 'enum', '{new,done,odd}');
insert into wed_trig (tgname, trname, cname, cpred, writes) values
  ('g_count', 'tr_count', 'few', $$state = 'new' and coalesce(n, 0) < 2$$, '{n,note}'),
  ('g_close', 'tr_close', 'enough', $$n >= 2 and state = 'new'$$, '{state}');
insert into wed_trig (cpred, cfinal) values ($$state = 'done'$$, true);
"""


@pytest.fixture
def loop(alice: Client, tmp_path: Any) -> str:
    """A flow that counts to two and closes; its transitions declare what they write."""
    path = tmp_path / "loop.sql"
    path.write_text(LOOP)
    flow = unique()
    run("loadflow", str(path), "--flow", flow, "--actor", "alice")
    return flow


def perform(flow: str, transition: str, **changes: Any) -> None:
    job = api.take(flow, [transition], actor="worker")
    assert job is not None
    api.complete(job, changes, actor="worker")


def ids(flow: str) -> dict[str, str]:
    """Return the node of each transition."""
    return {t.transition or "": str(t.tgid) for t in Trigger.objects.filter(flow__name=flow)}


def drawn(flow: str) -> Graph:
    return graph(Flow.objects.get(name=flow).pk)


def counts(flow: str) -> dict[tuple[str, str], int]:
    return {(edge.source, edge.target): edge.count for edge in drawn(flow).edges if edge.count}


def test_an_edge_counts_what_followed(loop: str) -> None:
    for last in ("done", "odd"):
        api.start(loop)
        perform(loop, "tr_count", n=1)
        perform(loop, "tr_count", n=2)
        perform(loop, "tr_close", state=last)
    node = ids(loop)

    assert counts(loop) == {
        (START, node["tr_count"]): 2,
        (node["tr_count"], node["tr_count"]): 2,
        (node["tr_count"], node["tr_close"]): 2,
        (node["tr_close"], node["_FINAL"]): 1,
        (node["tr_close"], EXCEPTION): 1,
    }
    shares = {e.target: e.share for e in drawn(loop).edges if e.source == node["tr_close"] and e.count}
    assert shares == {node["_FINAL"]: 0.5, EXCEPTION: 0.5}
    assert (drawn(loop).instances, drawn(loop).steps) == (2, 8)


def test_a_repair_follows_from_the_exception_and_a_new_definition_from_elsewhere(loop: str) -> None:
    for _ in range(2):
        api.start(loop)
        perform(loop, "tr_count", n=2)
        perform(loop, "tr_close", state="odd")
    node = ids(loop)
    perform(loop, "_EXCPT", state="new")
    odd = Trigger.objects.create(
        flow=Flow.objects.get(name=loop), transition="tr_odd", predicate="state = 'odd'"
    )
    api.rematch(loop)

    found = counts(loop)

    assert found[EXCEPTION, node["tr_close"]] == 1
    assert found[OTHER, str(odd.tgid)] == 1


def test_a_declared_edge_names_the_attributes(loop: str) -> None:
    node = ids(loop)
    edges = {(e.source, e.target): e.attributes for e in drawn(loop).edges}

    assert edges[node["tr_count"], node["tr_close"]] == ("n",)
    assert edges[node["tr_close"], node["tr_count"]] == ("state",)
    assert edges[node["tr_close"], node["_FINAL"]] == ("state",)
    assert (node["tr_count"], node["_FINAL"]) not in edges


def test_counts_of_rules_that_were_deleted_are_left_out(loop: str) -> None:
    api.start(loop)
    perform(loop, "tr_count", n=2)
    run_away = ids(loop)["tr_close"]
    perform(loop, "tr_close", state="done")
    Trigger.objects.filter(tgid=run_away).delete()

    assert run_away not in {end for edge in drawn(loop).edges for end in (edge.source, edge.target)}


def test_only_the_newest_instances_are_counted(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        api.start(loop)
    monkeypatch.setattr("flows.queries.graph.NEWEST_INSTANCES", 3)

    assert counts(loop) == {(START, ids(loop)["tr_count"]): 3}


def address(flow: str) -> str:
    return reverse("admin:flows_flow_picture", args=[Flow.objects.get(name=flow).pk])


def test_the_page_has_the_same_content_as_a_table(alice: Client, loop: str) -> None:
    api.start(loop)
    perform(loop, "tr_count", n=2)
    node = ids(loop)

    html = alice.get(address(loop)).content.decode()

    data = re.search(r'<script id="picture-data" type="application/json">(.*?)</script>', html)
    assert data is not None
    sent = json.loads(data[1])
    assert {n["id"] for n in sent["nodes"]} == {START, *node.values()}
    ends = {"source": node["tr_count"], "target": node["tr_close"]}
    assert ends | {"attributes": ["n"], "count": 1, "share": 1.0} in sent["edges"]
    row = re.search(rf'<tr role="row" id="node-{node["tr_count"]}">.*?</tr>', html, re.DOTALL)
    assert row is not None and f'href="#node-{node["tr_close"]}"' in row[0] and "(100 %)" in row[0]


def test_a_flow_without_rules_says_what_the_picture_will_show(alice: Client) -> None:
    flow = unique()
    api.create_flow(flow)

    html = alice.get(address(flow)).content.decode()

    assert "This flow has no rules yet" in html and "picture-data" not in html


def test_the_mermaid_export_quotes_what_would_end_a_text(alice: Client, loop: str) -> None:
    Trigger.objects.filter(flow__name=loop, transition="tr_count").update(label='say "hi" <b>#1</b>')
    answer = alice.get(address(loop), {"format": "mermaid"})

    text = answer.content.decode()
    assert answer["Content-Disposition"] == f'attachment; filename="{loop}.mmd"'
    assert text.startswith("flowchart LR\n")
    assert 'n1["say #34;hi#34; #60;b#62;#35;1#60;/b#62;"]' in text
    assert 'n2 -.->|"state"| n1' in text


def test_a_frequent_edge_is_solid_in_mermaid() -> None:
    rule = Rule("7", "tr_a", "c", "a = 1", "", False, True, frozenset({"a"}), frozenset({"b"}))
    found = assemble([rule], {(START, "7"): 3}, 3, 3)

    assert mermaid.text(found, node_name).splitlines()[-1] == '  n0 -->|"3"| n1'
    assert found.node("7") == Node("7", "rule", rule)


def test_users_who_may_not_see_definitions_get_not_found(loop: str) -> None:
    browser = Client()
    browser.force_login(User.objects.create_user("mallory", is_staff=True))

    assert browser.get(address(loop)).status_code == 404
