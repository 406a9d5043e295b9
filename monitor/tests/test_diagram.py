"""The diagram of a flow that was imported from BPMN: what is at its elements, as the lists say."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from flows import api
from flows.loading.bpmn import prepare_bpmn, publish_bpmn
from flows.tests.bpmn_files import ORDER
from flows.tests.pages import unique
from monitor.tests.conftest import Parcels, text_of


@pytest.fixture
def order(parcels: Parcels) -> Iterator[str]:
    """The name of a flow that was imported, with two instances that wait."""
    name = unique()
    publish_bpmn(name, prepare_bpmn(name, ORDER), "anna")
    for amount in (5000, 6000):
        api.start(name, {"amount": amount})
    yield name
    api.drop_flow(name, force=True)


def row(html: str, name: str) -> str:
    found = re.search(rf'<th role="rowheader" scope="row">{name}</th>(.*?)</tr>', html, re.DOTALL)
    assert found is not None
    return found[1]


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


def test_the_tokens_of_one_instance_are_shown(alice: Client, order: str) -> None:
    wid = api.start(order, {"amount": 1})
    html = alice.get(f"/flows/{order}/diagram/?instance={wid}").content.decode()
    names = ("Approve the order", "Charge the card", "pack")
    assert [text_of(row(html, name)).split()[0] for name in names] == ["0", "1", "1"]
    assert f"instance={wid}" in html and alice.get(f"/flows/{order}/diagram/?instance=1").status_code == 404


def test_a_flow_without_a_diagram_says_so(alice: Client, parcels: Parcels, order: str) -> None:
    assert "not imported from BPMN" in alice.get(f"/flows/{parcels.flow}/diagram/").content.decode()
    assert alice.get(f"/live/flows/{parcels.flow}/diagram/").json() == {"parts": {}}
    link = "/flows/{}/diagram/"
    for flow, linked in ((order, True), (parcels.flow, False)):
        assert (link.format(flow) in alice.get(f"/flows/{flow}/picture/").content.decode()) is linked
