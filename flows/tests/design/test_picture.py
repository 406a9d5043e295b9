"""The picture of a flow: its edges from declarations and from the history, its table, its exports."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from flows import api
from flows.designer.picture import mermaid
from flows.designer.picture.drawings import name as node_name
from flows.models import Flow, Trigger
from flows.queries.graph import EXCEPTION, OTHER, START, Graph, Node, Rule, assemble, graph
from flows.queries.rule_groups import rule_groups
from flows.tests.commands import run
from flows.tests.pages import unique
from workers.gallery.loan import handlers

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
    job = api.jobs.take(flow, [transition], actor="worker")
    assert job is not None
    api.jobs.complete(job, changes, actor="worker")


def ids(flow: str) -> dict[str, str]:
    """Return the node of each transition."""
    return {t.transition or "": str(t.tgid) for t in Trigger.objects.filter(flow__name=flow)}


def drawn(flow: str) -> Graph:
    return graph(Flow.objects.get(name=flow).pk)


def counts(flow: str) -> dict[tuple[str, str], int]:
    return {(edge.source, edge.target): edge.count for edge in drawn(flow).edges if edge.count}


def test_an_edge_counts_what_followed(loop: str) -> None:
    for last in ("done", "odd"):
        api.instances.start(loop)
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
        api.instances.start(loop)
        perform(loop, "tr_count", n=2)
        perform(loop, "tr_close", state="odd")
    node = ids(loop)
    perform(loop, "_EXCPT", state="new")
    odd = Trigger.objects.create(
        flow=Flow.objects.get(name=loop), transition="tr_odd", predicate="state = 'odd'"
    )
    api.instances.rematch(loop)

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
    api.instances.start(loop)
    perform(loop, "tr_count", n=2)
    run_away = ids(loop)["tr_close"]
    perform(loop, "tr_close", state="done")
    Trigger.objects.filter(tgid=run_away).delete()

    assert run_away not in {end for edge in drawn(loop).edges for end in (edge.source, edge.target)}


def test_only_the_newest_instances_are_counted(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        api.instances.start(loop)
    monkeypatch.setattr("flows.queries.graph.NEWEST_INSTANCES", 3)

    assert counts(loop) == {(START, ids(loop)["tr_count"]): 3}


def address(flow: str) -> str:
    return reverse("admin:flows_flow_picture", args=[Flow.objects.get(name=flow).pk])


def test_the_page_has_the_same_content_as_a_table(alice: Client, loop: str) -> None:
    api.instances.start(loop)
    perform(loop, "tr_count", n=2)
    node = ids(loop)

    html = alice.get(address(loop)).content.decode()

    data = re.search(r'<script id="picture-data" type="application/json">(.*?)</script>', html)
    assert data is not None
    sent = json.loads(data[1])
    assert {n["id"] for n in sent["nodes"]} == {START, *node.values()}
    assert [node["tr_count"], node["tr_close"], 1] in sent["edges"]
    one = next(each for each in sent["nodes"] if each["id"] == node["tr_count"])
    assert [sent["attributes"][place] for place in one["writes"]] == ["n", "note"]
    row = re.search(rf'<tr role="row" id="node-{node["tr_count"]}">.*?</tr>', html, re.DOTALL)
    assert row is not None and f'href="#node-{node["tr_close"]}"' in row[0]
    assert "(100\N{NO-BREAK SPACE}%)" in row[0]
    assert "0 pending" in row[0] and f"/flows/{loop}/jobs/?transition=tr_count" in row[0]
    place = re.search(r'href="([^"#]*\?rule=id:\d+)#panel"', row[0])
    assert place is not None
    assert "state = &#x27;new&#x27; and coalesce(n, 0)" in alice.get(place[1]).content.decode()


def test_what_is_declared_and_never_happened_is_in_the_table(alice: Client, loop: str) -> None:
    html = alice.get(address(loop)).content.decode()

    row = re.search(rf'<tr role="row" id="node-{ids(loop)["tr_close"]}">.*?</tr>', html, re.DOTALL)
    assert row is not None and row[0].count("never; may write state") == 2


def test_a_handler_is_shown_with_its_file_and_line(alice: Client, tmp_path: Any) -> None:
    path = tmp_path / "pay.sql"
    path.write_text(
        "insert into wed_trig (trname, cname, cpred) values ('sample_loan_grant', 'any', 'true');"
    )
    flow = unique()
    run("loadflow", str(path), "--flow", flow, "--actor", "alice")

    found = re.search(r"workers/gallery/loan/handlers\.py:(\d+)", alice.get(address(flow)).content.decode())

    assert found is not None
    line = Path(handlers.__file__).read_text().splitlines()[int(found[1]) - 1]
    assert line.startswith("@transition(") and "sample_loan_grant" in line


def test_the_picture_of_another_definition_than_the_draft_says_so(alice: Client, loop: str) -> None:
    assert "and not the draft" not in alice.get(address(loop)).content.decode()
    api.drafts.open(loop, actor="alice")

    assert "which runs, and not the draft" in alice.get(address(loop)).content.decode()


def test_a_flow_without_rules_says_what_the_picture_will_show(alice: Client) -> None:
    flow = unique()
    api.flows.create(flow)

    html = alice.get(address(flow)).content.decode()

    assert "This flow has no rules yet" in html and "picture-data" not in html


def test_the_mermaid_export_quotes_what_would_end_a_text(alice: Client, loop: str) -> None:
    Trigger.objects.filter(flow__name=loop, transition="tr_count").update(label='say "hi"\n <b>#1</b>')
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


def rule(number: int, reads: str, **options: Any) -> Rule:
    given = {"transition": f"tr_{number}", "condition": f"c{number}", "predicate": "true", "label": ""}
    given |= {"final": False, "enabled": True, "writes": None}
    return Rule(str(number), reads=frozenset(reads), **given | options)


def test_a_large_flow_is_grouped_by_what_its_conditions_read() -> None:
    many = [rule(n, "a" + ("b" if n < 30 else "c" if n < 40 else "")) for n in range(80)]
    final = rule(80, "b", final=True)

    found = rule_groups([*many, final], {"b": "Payment"})

    # All read a: too many for a group. What is in no group is cut in the order of definition.
    assert [(g.title, len(g.rules)) for g in found] == [
        ("Payment", 30), ("c", 10), ("c40 … c59", 20), ("c60 … c79", 20),
    ]  # fmt: skip
    assert [r.id for g in found for r in g.rules] == [str(n) for n in range(80)]


def test_a_small_flow_has_no_groups() -> None:
    assert rule_groups([rule(n, "a") for n in range(60)], {}) == ()


def test_a_mermaid_text_has_subgraphs_and_not_more_edges_than_mermaid_draws() -> None:
    many = [rule(n, "a", writes=frozenset("a")) for n in range(70)]
    drawn = assemble(many, {("3", "4"): 7}, 1, 1)

    lines = mermaid.text(drawn, node_name, rule_groups(many, {})).splitlines()

    assert sum(line.count("|") == 2 for line in lines) == mermaid.MOST_EDGES
    assert any(line.startswith("  %% Further edges are left out") for line in lines)
    assert '  n4 -->|"7"| n5' in lines and sum(line.startswith("  subgraph g") for line in lines) == 4


def test_the_edges_that_never_happened_are_those_of_a_search_through_all_pairs() -> None:
    draw = random.Random(5)  # noqa: S311 - a test
    many = [
        rule(n, "".join(draw.sample("abcdef", 2)), writes=frozenset(draw.sample("abcdef", 2)))
        for n in range(12)
    ]
    drawn = assemble(many, {("1", "2"): 3, (START, "0"): 3}, 3, 3)

    expected = {(a.id, b.id) for a in many for b in many if a is not b and a.writes & b.reads} - {("1", "2")}  # type: ignore[operator]

    assert {(e.source, e.target) for e in drawn.edges if not e.count} == expected


def test_users_who_may_not_see_the_flow_get_not_found(loop: str) -> None:
    browser = Client()
    browser.force_login(User.objects.create_user("mallory"))

    assert browser.get(address(loop)).status_code == 404
