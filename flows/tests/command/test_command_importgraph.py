"""importgraph: publishes a graph as a flow that runs, with its source; or says what is wrong, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows import api
from flows.models import Flow, Job
from flows.queries.workers import unserved
from flows.tests.commands import answer, refused, run, write
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

ORDERS = """
attributes:
- {name: amount, type: integer, default: 0}
edges:
- [r1, received, check]
- {edge: r2, from: check, to: approve, condition: amount > 1000}
- {edge: r3, from: check, to: ship, default: true}
- [r4, approve, ship]
- [r5, ship, done]
nodes:
- {node: check, type: exclusive}
- {node: approve, options: {label: Approve the order, max_attempts: 2}}
- {node: ship, type: task}
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return write(tmp_path, ORDERS, "orders.yaml")


def test_a_graph_is_published_with_its_source(path: str) -> None:
    name = unique()
    assert run("importgraph", path, "--flow", name).startswith(
        f"Flow {name} is at version 1: 5 nodes, 5 edges;"
    )
    source = api.flows.read_source(name)
    assert source is not None and (source["language"], source["format"], source["text"]) == (
        "graph",
        "yaml",
        ORDERS,
    )
    assert source["map"]["attributes"]["t_r2"] == "r2" and source["map"]["transitions"]["ship"] == "ship"
    rule = next(each for each in api.flows.definition(name)["triggers"] if each["transition"] == "approve")
    assert (rule["label"], rule["max_attempts"]) == ("Approve the order", 2)
    wid = api.instances.start(name, {"amount": 2000})
    assert [*Job.objects.filter(wid=wid).values_list("transition", flat=True)] == ["approve"]
    assert api.flows.read_source(name, 7) is None
    flow = Flow.objects.get(name=name)
    assert sorted({each.transition for each in unserved([flow.pk])}) == ["approve", "ship"]


def test_the_history_of_an_instance_is_shown_in_its_graph(path: str) -> None:
    name = unique()
    run("importgraph", path, "--flow", name)
    wid = api.instances.start(name, {"amount": 2000})
    found = answer("graph", "history", str(wid))["steps"]
    assert [(step["node"], step["address"]) for step in found] == [
        (None, "received(r1)"),
        ("check", "received(r2)"),
    ]
    assert run("graph", "history", str(wid)).splitlines()[-1].split() == [
        "2",
        "check",
        "r1",
        "r2",
        "received(r2)",
    ]
    refused("graph", "history", "x", code=2)
    assert "There is no instance" in refused("graph", "history", "2000000000")
    plain = unique()
    api.flows.create(plain)
    api.flows.publish(
        plain, {"attributes": [{"name": "a"}], "triggers": [{"transition": "t", "predicate": "a is null"}]}
    )
    assert "was not imported" in refused("graph", "history", str(api.instances.start(plain)))


def test_a_dry_run_changes_nothing(path: str) -> None:
    name = unique()
    found = answer("importgraph", path, "--flow", name, "--dry-run")
    assert found["triggers"] == 6 and "version" not in found and found["warnings"] == []
    assert "can be published" in run("importgraph", path, "--flow", name, "--dry-run")
    assert not Flow.objects.filter(name=name).exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "amount > 1000}",
            "amont > 1000}",
            'column 51: error: Conditions name attributes that are not declared: "amont" (edge “r2”).',
        ),
        (
            "amount > 1000}",
            "amount + 1}",
            "line 6, column 51: error: The condition of edge “r2” is not accepted",
        ),
        ("type: exclusive", "type: parallel", "error: Edge “r2” has a condition"),
        ("max_attempts: 2", "max_attempts: many", "line 12, column 3: error:"),
        ("name: amount", "name: t_r1", "is needed for an edge or a node"),
        ("[r5, ship, done]", "[r5, ship, check]", "has no node without outgoing edges"),
        ("type: integer", "type: colour", "line 3, column 24: error:"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_nothing_is_made(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    name = unique()
    wrong = write(tmp_path, ORDERS.replace(old, new), "orders.yaml")
    assert said in refused("importgraph", wrong, "--flow", name)
    assert not Flow.objects.filter(name=name).exists()


@pytest.mark.parametrize("name", ["Orders", "wedsql", "pg_orders", "", "../orders"])
def test_a_dry_run_rejects_the_name_that_publishing_rejects(path: str, name: str) -> None:
    for more in (["--dry-run"], []):
        assert "name" in refused("importgraph", path, f"--flow={name}", *more)
    assert not Flow.objects.filter(name=name).exists()


def test_the_consequences_for_living_instances_are_said_before_and_after(path: str) -> None:
    name = unique()
    api.flows.create(name)
    rule = {"transition": "t", "predicate": "a is null"}
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": [rule]})
    wid = api.instances.start(name)
    said = [
        "Attributes that are removed with their values: 1.",
        "Living instances: 1.",
        "Transitions that fire for them: check (1).",
    ]
    assert run("importgraph", path, "--flow", name, "--dry-run").splitlines()[1:] == said
    assert [*Job.objects.filter(wid=wid).values_list("transition", flat=True)] == ["t"]
    assert api.drafts.running_definition(name)[0] == 1
    report = answer("importgraph", path, "--flow", name)["report"]
    assert (report["attributes_removed"], report["fired"], report["dry_run"]) == (1, {"check": 1}, False)


def test_what_a_flow_that_needs_approval_imports_waits_for_it(path: str) -> None:
    name = unique()
    api.flows.create(name)
    api.flows.publish(name, {"attributes": [], "triggers": [], "needs_approval": True})
    assert "can be published" in run("importgraph", path, "--flow", name, "--dry-run")
    assert api.drafts.list(name) == []
    assert "waits for approval" in run("importgraph", path, "--flow", name, "--actor", "ana")
    (waiting,) = api.publications.list(name, only_open=True)
    assert (waiting.requested_by, waiting.status) == ("ana", "requested")
    assert api.drafts.running_definition(name)[0] == 1 and api.flows.read_source(name) is None
    assert answer("importgraph", path, "--flow", name, "--json")["status"] == "requested"
    assert len(api.drafts.list(name)) == 2, "each waits in a draft of its own"
    assert api.publications.approve(waiting.id, actor="ben").status == "published"
    source = api.flows.read_source(name)
    assert source is not None and source["language"] == "graph"
