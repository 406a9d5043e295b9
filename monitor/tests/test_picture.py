"""The live picture of a flow: its figures are those of the lists that it links to."""

from __future__ import annotations

import json
import re
from typing import Any

from django.test import Client

from flows.models import Trigger
from flows.queries.graph import graph
from monitor.tests.conftest import Parcels, text_of


def figures(browser: Client, parcels: Parcels) -> dict[str, Any]:
    html = browser.get(f"/flows/{parcels.flow}/picture/").content.decode()
    found = re.search(r'<script id="picture-figures"[^>]*>(.*?)</script>', html, re.DOTALL)
    assert found is not None
    shown: dict[str, Any] = json.loads(found[1])
    answer = browser.get(f"/live/flows/{parcels.flow}/picture/").json()
    assert answer["figures"] == shown and set(answer["parts"]) == {"places", "lacks"}
    return shown


def ids(parcels: Parcels) -> dict[str, str]:
    found = Trigger.objects.filter(flow__name=parcels.flow)
    return {"final" if each.final else each.transition or "": str(each.tgid) for each in found}


def test_each_figure_is_the_length_of_its_list(alice: Client, parcels: Parcels) -> None:
    wids = [parcels.start() for _ in range(3)]
    parcels.do("tr_label", wids[0], extra={"a": 1})
    parcels.do("tr_pack", wids[0], stage="packed")
    found, node = figures(alice, parcels), ids(parcels)

    for transition, n in (("tr_pack", 2), ("tr_label", 2), ("tr_send", 1)):
        figure = found[node[transition]]
        assert (figure["n"], figure["holds"]) == (n, n) and figure["oldest"]
        listed = alice.get(figure["href"]).content.decode()
        assert listed.count('<tr id="job-') == n
    assert found[node["final"]]["n"] == 0 and "oldest" not in found[node["final"]]


def test_a_condition_can_hold_without_a_job(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.connection.execute("delete from wedsql.job_pool where wid = %s and trname = 'tr_pack'", [wid])
    figure = figures(alice, parcels)[ids(parcels)["tr_pack"]]

    assert (figure["n"], figure["holds"]) == (0, 1)


def test_exceptions_are_listed_by_what_they_lack(alice: Client, parcels: Parcels) -> None:
    lost = [parcels.start(), parcels.start()]
    for wid in lost:
        parcels.make_exception(wid)
    html = alice.get(f"/flows/{parcels.flow}/picture/").content.decode()
    lacks = html[html.index('data-part="lacks"') :]

    assert "2 exceptions" in text_of(lacks)
    assert re.findall(r'href="/instances/(\d+)/why/"', lacks) == [str(wid) for wid in reversed(lost)]
    assert "Stage is" in text_of(lacks)


def test_a_flow_that_is_not_visible_is_not_found(mallory: Client, parcels: Parcels) -> None:
    for path in ("flows", "live/flows"):
        assert mallory.get(f"/{path}/{parcels.flow}/picture/").status_code == 404


def test_the_rule_that_failed_has_the_number_of_its_exceptions(alice: Client, parcels: Parcels) -> None:
    """In the live picture as a figure of its box, and in the picture of what happened as its edge."""
    wid = parcels.start()
    parcels.park("tr_pack", wid, "no box")
    node = ids(parcels)
    assert figures(alice, parcels)[node["tr_pack"]]["failed"] == 1
    assert "failed" not in figures(alice, parcels)[node["tr_label"]]
    edges = {(edge.source, edge.target): edge.count for edge in graph(parcels.flow_id).observed}
    assert edges[node["tr_pack"], "exception"] == 1
    assert not [ends for ends in edges if ends[0] == "other"]
