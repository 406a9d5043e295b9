"""The values that a form of a filter offers; columns, views and keys of lists of jobs and cases."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from flows import api
from flows.capabilities.alerts.api import AlertRule
from flows.filters.fields import PARTS, fields
from flows.filters.relations import KINDS
from flows.queries.base import snapshot
from flows.queries.definitions import flow_by_name
from flows.queries.lists.field_values import MOST, field_values
from monitor.tests.conftest import Parcels, client_of, get, person, text_of


@pytest.fixture
def bea(parcels: Parcels, site: None) -> Client:
    """A clerk, who sees and repairs the parcels."""
    return client_of(person("bea", f"flow:{parcels.flow}", permission="change_job"))


def offered(client: Client, **query: str) -> list[str]:
    answer = client.get(f"/views/values/?{urlencode(query)}")
    assert answer.status_code == 200, query
    values: list[list[Any]] = answer.json()["values"]
    return [value for value, _title in values]


def test_the_values_that_there_are_are_offered_the_frequent_ones_first(bea: Client, parcels: Parcels) -> None:
    for customer in ("Ana", "Bob", "Bob", ""):
        parcels.start(customer=customer)
    lost = parcels.start(customer="Zoe")
    parcels.make_exception(lost)
    rule = AlertRule("Many", "count", ">", 1, query="status:running")
    api.alerts.save_rule(parcels.flow, rule, "olga")
    for field, values in {
        "customer": ["Bob", "Ana", "Zoe"], "key": [], "job.transition": ["tr_label", "tr_pack"],
        "case.cause": ["STUCK"], "case.queue": ["default"], "pending": ["tr_label", "tr_pack", "tr_send"],
        "alert.name": ["Many"], "alert.author": ["olga"], "approval.maker": [], "flow": [parcels.flow],
        "status": [], "started": [], "colour": [], "where": [], "": [], "x" * 500: [], "attr.customer": None,
    }.items():  # fmt: skip
        found = offered(bea, flow=parcels.flow, field=field)
        if values is not None and field not in ("key", "pending"):
            assert found == values, field
    assert set(offered(bea, flow=parcels.flow, field="pending")) >= {"tr_label", "tr_pack"}
    assert offered(bea, field="case.queue") == ["default"], "of all flows that the user sees"


def test_the_newest_rows_are_read_and_few_values_are_offered(bea: Client, parcels: Parcels) -> None:
    for n in range(MOST + 5):
        parcels.start(customer=f"C-{n:03}")
    assert len(offered(bea, flow=parcels.flow, field="customer")) == MOST
    plan = "\n".join(
        line for (line,) in parcels.connection.execute(
            "explain select left(f.customer::text, 201) from " + parcels.flow + ".wed_flow f"
            " where true order by f.wid desc limit 1000"
        )
    )  # fmt: skip
    assert "Limit" in plan


def test_every_field_answers(site: None, parcels: Parcels) -> None:
    """Each field of each list is either offered by SQL that runs, or has no values."""
    parcels.make_exception(parcels.start(customer="Ana"))
    flow = flow_by_name(parcels.flow)
    assert flow is not None
    for field in [*fields(flow), *PARTS.values()]:
        with snapshot():
            assert len(field_values(field, flow, [parcels.flow])) <= MOST
            assert len(field_values(field, None, [parcels.flow])) <= MOST
    named = {name for kind in KINDS for name in (*kind.columns, *(kind.special or ()))}
    assert named == {name for name in PARTS if "." in name and name != "error.group"}


def test_nobody_is_offered_what_they_may_not_see(bea: Client, parcels: Parcels, payments: str) -> None:
    api.instances.start(payments, {"card": "4711"}, key="placed")
    parcels.make_exception(parcels.start(customer="Ana"))
    stranger = client_of(person("mal", f"flow:{payments}"))
    assert stranger.get(f"/views/values/?flow={parcels.flow}&field=customer").status_code == 404
    assert offered(stranger, field="case.cause") == [] and offered(stranger, field="flow") == [payments]
    assert offered(stranger, flow=payments, field="card") == [], "a masked value is not offered"
    newcomer = client_of(person("new"))
    assert offered(newcomer, field="case.cause") == offered(newcomer, field="flow") == []


def test_a_form_of_a_filter_has_the_address_of_the_values(bea: Client, parcels: Parcels) -> None:
    parcels.start()
    own = f'data-filter-form="/views/values/?flow={parcels.flow}&amp;field='
    for page in (f"/flows/{parcels.flow}/", f"/flows/{parcels.flow}/jobs/"):
        assert own in get(bea, page), page
    for page in ("/instances/", "/cases/", "/cases/approvals/", "/tasks/"):
        assert 'data-filter-form="/views/values/?' in get(bea, page), page


def test_jobs_have_business_key_columns_and_whom_they_wait_for(bea: Client, parcels: Parcels) -> None:
    parcels.start(customer="Ana", weight=7)
    address = f"/flows/{parcels.flow}/jobs/"
    plain = get(bea, address)
    assert ">a worker<" in plain and ">Waiting for<" in plain
    chosen = get(bea, f"{address}?columns=instance,priority,attr.weight,attr.unknown,nonsense")
    heads = re.findall(r'<th role="columnheader" scope="col"[^>]*>([^<]*)</th>', chosen)
    assert heads == ["Job", "Instance", "Priority", "weight"] and ">a worker<" not in chosen
    form = {"list": "jobs", "flow": parcels.flow, "name": "Heavy", "q": "weight>5", "shared": "mine",
            "sort": "newest", "columns": "attr.weight"}  # fmt: skip
    assert bea.post("/views/", form).status_code == 302
    page = get(bea, f"/views/?list=jobs&flow={parcels.flow}&counted=1")
    (href,) = set(re.findall(rf'href="({address}\?[^"]*)">Heavy', page))
    listed = get(bea, href.replace("&amp;", "&"))
    number = len(re.findall(r'<tr id="job-', listed))
    assert number > 0 and re.search(rf">Heavy</a></th>\s*<td.*?>\s*<a[^>]*>{number}<", page, re.DOTALL)
    assert "Heavy" in get(bea, address) and "Heavy" not in get(bea, f"/views/?flow={parcels.flow}")
    assert bea.get("/views/?list=jobs").status_code == 404, "a list of jobs is of one flow"
    bad = form | {"q": "weight>"}
    assert (
        "filter" in text_of(bea.post("/views/", bad).content) and bea.post("/views/", bad).status_code == 200
    )


def test_cases_have_columns_and_whom_they_wait_for(bea: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana", weight=7)
    parcels.make_exception(wid)
    assert ">default<" in get(bea, "/cases/").replace("\n", ""), "it waits in its queue"
    api.cases.claim(api.cases.list(None, {"wid": wid})[0].number, "cleo", 30)
    assert ">cleo<" in get(bea, "/cases/").replace("\n", "")
    page = get(bea, "/cases/?columns=priority&columns=attr.customer")
    assert "Ana" in page and ">cleo<" not in page
    form = {
        "list": "cases",
        "name": "Ana's",
        "q": "customer:Ana",
        "shared": "mine",
        "columns": "attr.customer",
    }
    assert bea.post("/views/", form).status_code == 302
    (href,) = set(re.findall(r'href="(/cases/\?[^"]*)">Ana', get(bea, "/views/?list=cases")))
    assert "columns=attr.customer" in href and "Ana" in get(bea, href.replace("&amp;", "&"))
