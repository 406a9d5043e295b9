"""The diagram of a flow that was imported from BPMN or a graph: what is at its elements, as the lists say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.test import Client

from flows import api
from flows.loading.bpmn import prepare_bpmn
from flows.loading.graphs import prepare_graph
from flows.loading.pdl import prepare_pdl
from flows.loading.processes import publish_file
from flows.models import Flow, Job
from flows.queries import jobs
from flows.queries.definitions import flow_by_name
from flows.tests.bpmn.files.bpmn_files import ORDER, attribute, attributes, file, flows, node
from flows.tests.pages import unique
from flows.tests.pdl.pdl import texts
from monitor import places
from monitor.tests.conftest import Parcels, client_of, person, text_of
from monitor.tests.server.programs import problem, program


@pytest.fixture
def order(parcels: Parcels) -> Iterator[str]:
    """The name of a flow that was imported, with two instances that wait."""
    name = unique()
    publish_file(name, prepare_bpmn(name, ORDER), "anna", "")
    for amount in (5000, 6000):
        api.instances.start(name, {"amount": amount})
    yield name
    api.flows.drop(name, force=True)


@pytest.fixture
def packed(site: None) -> Iterator[tuple[str, int]]:
    """A flow that was imported from a graph, and an instance of it that is packed and not yet paid."""
    name = unique()
    publish_file(name, prepare_graph(name, GRAPH, "yaml"), "anna", "")
    wid = api.instances.start(name)
    job = Job.objects.get(wid=wid, transition="pack")
    api.repairs.repair(wid, "complete", {"job": job.pk}, "It is packed.", actor="anna")
    yield name, wid
    api.flows.drop(name, force=True)


def row(html: str, name: str) -> str:
    found = re.search(rf'<th role="rowheader" scope="row">{name}</th>(.*?)</tr>', html, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_work_queue_has_no_transitions_that_the_database_performs(db: None, order: str) -> None:
    performed = {
        trigger["transition"]
        for trigger in api.flows.definition(order)["triggers"]
        if trigger.get("performer") == "database"
    }
    listed = {queue.transition for queue in jobs.queues(Flow.objects.get(name=order).pk)}
    assert performed and "approve" in listed and not performed & listed


def test_each_element_has_the_instances_that_are_there(alice: Client, order: str) -> None:
    html = alice.get(f"/flows/{order}/diagram/").content.decode()
    assert "<svg" in html and "style=" not in html
    approve = row(html, "Approve the order")
    assert text_of(approve).split() == ["2", "2"]
    (address,) = re.findall(r'href="([^"]+)"', approve)
    assert alice.get(address.replace("&amp;", "&")).content.decode().count('<tr id="job-') == 2
    assert text_of(row(html, "pack")).split() == ["0", "0"]
    assert html.count('class="node kind-activity busy"') == 1
    changes = alice.get(f"/live/flows/{order}/diagram/").json()["parts"]["diagram"]
    assert changes.strip() in html


def used_up(connection: psycopg.Connection[Any], flow: str, transition: str, wid: int) -> None:
    """Fail the last attempt of a job."""
    with connection.transaction():
        connection.execute("update wedsql.job_pool set attempts = 99 where wid = %s", [wid])
        taken = connection.execute("select job_id from wedsql.take(%s, %s)", [flow, [transition]]).fetchone()
        failing = "select parked from wedsql.fail_many(%s, %s, %s, '{null}', '{no line}')"
        assert taken and connection.execute(failing, [flow, [wid], [taken[0]]]).fetchall() == [(True,)]


def test_an_element_has_the_jobs_of_its_own_rules_that_are_out_of_attempts(
    alice: Client, site: None, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    name, parts = unique(), [node("serviceTask", id_, camunda_topic="mail") for id_ in ("first", "second")]
    both = file(node("startEvent", "s"), *parts, node("endEvent", "e"),
                flows("s first", "first second", "second e"))  # fmt: skip
    publish_file(name, prepare_bpmn(name, both), "anna", "")
    wid, _other = (api.instances.start(name) for _n in range(2))
    calm = alice.get(f"/flows/{name}/diagram/").content.decode()
    assert "out of attempts" not in calm and 'class="count failures"' not in calm
    mail = Job.objects.get(wid=wid).transition
    used_up(connect(), name, mail, wid)
    html = alice.get(f"/flows/{name}/diagram/").content.decode()
    assert "1 out of attempts" in text_of(row(html, "first"))
    assert "out of attempts" not in text_of(row(html, "second"))
    assert html.count('class="count failures"') == 1
    assert re.search(r"first: \d instances?, 1 out of attempts", html)
    (address,) = re.findall(r'class="bad" href="([^"]+)"', row(html, "first"))
    listed = alice.get(address.replace("&amp;", "&")).content.decode()
    assert listed.count('<tr id="job-') == 1 and "no line" in listed
    api.flows.drop(name, force=True)


def test_the_page_of_a_flow_leads_to_its_diagram(alice: Client, order: str, parcels: Parcels) -> None:
    assert f'href="/flows/{order}/diagram/"' in alice.get(f"/flows/{order}/").content.decode()
    assert "/diagram/" not in alice.get(f"/flows/{parcels.flow}/").content.decode()


def test_the_tokens_of_one_instance_are_shown(alice: Client, order: str) -> None:
    wid = api.instances.start(order, {"amount": 1})
    html = alice.get(f"/flows/{order}/diagram/?instance={wid}").content.decode()
    names = ("Approve the order", "Charge the card", "pack")
    assert [text_of(row(html, name)).split()[0] for name in names] == ["0", "1", "1"]
    assert f"instance={wid}" in html and alice.get(f"/flows/{order}/diagram/?instance=1").status_code == 404


def test_the_tokens_of_an_instance_that_ended_are_not_drawn(alice: Client, order: str) -> None:
    wid = api.instances.start(order, {"amount": 1})
    address = f"/flows/{order}/diagram/?instance={wid}"
    alive = alice.get(address).content.decode()
    api.instances.cancel(wid, "Not wanted.", actor="ann")
    html = alice.get(address).content.decode()
    assert f"Instance {wid} has ended: Cancelled." in text_of(html)
    names = ("Approve the order", "Charge the card", "pack")
    assert [text_of(row(html, name)).split()[0] for name in names] == ["0", "1", "1"]
    assert "Tokens when it ended" in html and "1 token" in alive and "1 token" not in html


def test_tasks_with_one_type_of_job_have_the_jobs_of_their_own(alice: Client, site: None) -> None:
    name, parts = unique(), [node("serviceTask", id_, camunda_topic="mail") for id_ in ("first", "second")]
    both = file(node("startEvent", "s"), *parts, node("endEvent", "e"),
                flows("s first", "first second", "second e"))  # fmt: skip
    publish_file(name, prepare_bpmn(name, both), "anna", "")
    wid, _other, _third = (api.instances.start(name) for _n in range(3))
    api.repairs.repair(wid, "complete", {"job": Job.objects.get(wid=wid).pk}, "It is sent.", actor="anna")
    html = alice.get(f"/flows/{name}/diagram/").content.decode()
    assert [text_of(row(html, each)).split() for each in ("first", "second")] == [["2", "2"], ["1", "1"]]
    api.flows.drop(name, force=True)


GRAPH = """
edges: [[r1, a, s], [r2, s, pack], [r3, s, charge], [r4, pack, j], [r5, charge, j], [r6, j, w], [r7, w, k],
        [r8, k, z]]
nodes: [{node: charge, options: {label: Charge the card}}, {node: w, type: event}]
"""


def test_a_graph_is_drawn_with_the_tokens_of_an_instance(alice: Client, packed: tuple[str, int]) -> None:
    name, wid = packed
    api.instances.start(name)
    html = alice.get(f"/flows/{name}/diagram/").content.decode()
    assert text_of(row(html, "Charge the card")).split() == ["2", "2"]
    assert text_of(row(html, "pack")).split() == ["1", "1"]
    assert f"/flows/{name}/diagram/?instance={wid}" in alice.get(f"/instances/{wid}/").content.decode()
    html = alice.get(f"/flows/{name}/diagram/?instance={wid}").content.decode()
    names = ("pack", "Charge the card", "j", "w")
    assert [text_of(row(html, each)).split()[0] for each in names] == ["0", "1", "1", "0"]


def test_a_workflow_in_pdl_is_drawn_with_its_ready_tasks(alice: Client, site: None) -> None:
    name = unique()
    publish_file(name, prepare_pdl(name, texts()), "anna", "")
    wid, _other = api.instances.start(name), api.instances.start(name)
    api.repairs.repair(wid, "complete", {"job": Job.objects.get(wid=wid).pk}, "It is written.", actor="anna")
    html = alice.get(f"/flows/{name}/diagram/").content.decode()
    tasks = ("CriarOrdemServico", "VisitarCliente", "GerarOrdemPagamento")
    assert [text_of(row(html, each)).split() for each in tasks] == [["1", "1"], ["1", "1"], ["0", "0"]]
    html = alice.get(f"/flows/{name}/diagram/?instance={wid}").content.decode()
    assert [text_of(row(html, each)).split()[0] for each in tasks] == ["0", "1", "0"]
    api.flows.drop(name, force=True)


def test_the_history_in_a_graph_is_a_tree_and_a_walk_over_http(packed: tuple[str, int]) -> None:
    name, wid = packed
    viewer = program(person("vera", f"flow:{name}:see"), "operate")
    found = viewer.get(f"/instances/{wid}/graph").json()
    last = found["steps"][-1]
    assert (last["node"], last["consumed"], last["produced"]) == ("pack", ["r2"], ["r4"])
    assert sorted(last["waiting"]) == ["r3", "r4"] and not found["cut"] and found["walk"] is None
    walk = viewer.get(f"/instances/{wid}/graph?walk=true").json()["walk"]
    assert [step["executed"] for step in walk["steps"]] == [None, "r1", "r2"]
    assert walk["outcome"] == "undecided" and walk["waiting"] == ["charge"]


def test_a_flow_that_is_no_graph_has_no_history_in_one(site: None, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ann")
    viewer = program(person("vera", f"flow:{parcels.flow}:see"), "operate")
    assert "graph" in problem(viewer.get(f"/instances/{wid}/graph"), 404)["detail"]


def test_a_flow_without_a_diagram_says_so(alice: Client, parcels: Parcels, order: str) -> None:
    assert "not imported from BPMN" in alice.get(f"/flows/{parcels.flow}/diagram/").content.decode()
    assert alice.get(f"/live/flows/{parcels.flow}/diagram/").json() == {"parts": {}}
    link = "/flows/{}/diagram/"
    for flow, linked in ((order, True), (parcels.flow, False)):
        assert (link.format(flow) in alice.get(f"/flows/{flow}/picture/").content.decode()) is linked


CHOICE = file(
    attributes(attribute("amount", type="integer")),
    node("startEvent", "s"),
    node("task", "ask"),
    node("exclusiveGateway", "g", name="Large?"),
    node("task", "a"),
    node("endEvent", "e"),
    flows("s ask", "ask g", "g a amount &gt; 100", "g e amount &lt; 101", "a e"),
)


FORK = file(
    attributes(attribute("amount", type="integer")),
    node("startEvent", "s"),
    node("task", "ask", name="Large?"),
    node("task", "a"),
    node("endEvent", "e"),
    flows("s ask", "ask a amount &gt; 100", "ask e amount &lt; 101", "a e"),
)


@pytest.mark.parametrize("content", [CHOICE, FORK], ids=["a gateway", "a task"])
def test_an_exception_names_the_element_at_which_no_way_leads_on(
    parcels: Parcels, site: None, content: bytes
) -> None:
    name = unique()
    publish_file(name, prepare_bpmn(name, content), "anna", "")
    wid = api.instances.start(name)
    alice = client_of(person("rita", f"flow:{name}", f"flow:{name}:repair"))
    said = "At “Large?” no condition of a way on holds."
    assert said not in text_of(alice.get(f"/instances/{wid}/").content)
    job = Job.objects.get(wid=wid, transition="ask")
    api.repairs.repair(
        wid, "complete", {"job": job.pk}, "STUCK", actor="anna"
    )  # a reason that a person gives
    for page in ("", "why/", "repair/"):
        assert said in text_of(alice.get(f"/instances/{wid}/{page}").content), page
    assert said not in text_of(
        alice.get(f"/instances/{wid}/why/?step={api.reasons.explain_instance(wid).seq}").content
    )
    api.repairs.repair(wid, "patch", {"changes": {"amount": 5}}, "It is known.", actor="anna")
    assert said not in text_of(alice.get(f"/instances/{wid}/").content)
    api.flows.drop(name, force=True)


def test_only_gateways_that_choose_are_undecided_and_only_where_no_way_leads_on(
    parcels: Parcels, site: None
) -> None:
    name, nameless = unique(), CHOICE.replace(b' name="Large?"', b"")
    publish_file(name, prepare_bpmn(name, nameless), "anna", "")
    flow, source = flow_by_name(name), api.flows.read_source(name)
    assert flow is not None and source is not None
    everywhere = dict.fromkeys(source["map"]["attributes"], 1)
    assert places.undecided(flow, everywhere, "STUCK") == ["g"]
    assert places.undecided(flow, everywhere, "ATTEMPTS") == []
    api.flows.publish(name, api.flows.definition(name) | {"label": "Changed by hand"})
    api.flows.keep_source(name, {"language": "wsql", "format": "wsql", "text": "", "map": {}})
    assert places.undecided(flow, everywhere, "STUCK") == []
    api.flows.drop(name, force=True)
