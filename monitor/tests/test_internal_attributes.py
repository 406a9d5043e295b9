"""People are not asked for attributes that only the database writes, such as tokens of a process."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from flows import api
from flows.loading.bpmn import prepare_bpmn
from flows.loading.graphs import prepare_graph
from flows.loading.processes import publish_file
from flows.models import Job
from flows.queries.definitions import flow_by_name
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.command.test_command_importgraph import ORDERS
from flows.tests.pages import unique
from monitor.tests.conftest import client_of, person, text_of

DATA = {"amount", "packed", "number"}


@pytest.fixture
def order(site: None) -> Iterator[str]:
    """The name of a flow that was imported from BPMN."""
    name = unique()
    publish_file(name, prepare_bpmn(name, ORDER), "anna", "")
    yield name
    api.flows.drop(name, force=True)


@pytest.fixture
def olga(order: str) -> Client:
    """A person who operates and repairs this flow."""
    return client_of(person("olga", f"flow:{order}:operate", f"flow:{order}:repair"))


def asked(html: str) -> set[str]:
    """Return the attributes that a form asks for."""
    return set(re.findall(r'name="value-(\w+)"', html))


def test_the_form_of_a_new_instance_has_the_data_only(olga: Client, order: str) -> None:
    page = olga.get(f"/flows/{order}/start/").content.decode()
    assert DATA <= asked(page) and not asked(page) & flow_internal(order) and "tokens" not in text_of(page)
    answer = olga.post(f"/flows/{order}/start/", {"value-amount": "7000"}, follow=True).content.decode()
    (wid,) = Job.objects.filter(flow__name=order).values_list("wid", flat=True).distinct()
    assert f"Instance {wid} is started." in answer
    assert api.reasons.explain_instance(wid).state["amount"] == 7000


def test_signals_and_results_are_asked_for_the_data_only(olga: Client, order: str) -> None:
    wid = api.instances.start(order, {"amount": 5000})
    job = Job.objects.get(wid=wid)
    result = olga.get(f"/instances/{wid}/repair/?operation=complete&job={job.pk}").content.decode()
    signal = olga.get(f"/flows/{order}/signals/").content.decode()
    assert DATA <= asked(result) == asked(signal) and not asked(result) & flow_internal(order)
    patch = olga.get(f"/instances/{wid}/repair/?operation=skip&job={job.pk}").content.decode()
    assert flow_internal(order) <= asked(patch)


def test_pages_of_instances_show_the_data_first(olga: Client, order: str) -> None:
    wid = api.instances.start(order, {"amount": 5000})
    listed = olga.get(f"/flows/{order}/").content.decode()
    head = text_of("".join(re.findall(r"<thead.*?</thead>", listed, re.DOTALL)))
    assert "amount" in head and "tokens" not in head and "→" not in head
    page = olga.get(f"/instances/{wid}/").content.decode()
    count = len(flow_internal(order))
    assert f"{count} attributes of the process, such as tokens" in text_of(page)
    history = text_of(page[page.index('id="step-1"') :])
    assert "amount 5,000" in history and "ordered → check 1 tokens 1 check" in history


def test_a_graph_has_tokens_that_only_the_database_writes(site: None) -> None:
    name = unique()
    publish_file(name, prepare_graph(name, ORDERS, "yaml"), "anna", "")
    found = flow_by_name(name)
    assert found is not None and [one.name for one in found.data] == ["amount"]
    api.flows.drop(name, force=True)


def flow_internal(name: str) -> frozenset[str]:
    found = flow_by_name(name)
    assert found is not None and len(found.internal) > 10
    return found.internal
