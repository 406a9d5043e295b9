"""Links from cases to other systems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from flows import api
from flows.errors import BadCase
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor.cases.tests.test_cases_page import bea, case_of, lost
from monitor.links import links_of, save_links
from monitor.tests.conftest import Parcels, get

__all__ = ["bea", "lost"]
DOCS = Path(__file__).parents[3] / "docs" / "cases.md"


@pytest.fixture
def shipping(parcels: Parcels, site: None) -> FlowInfo:
    found = flow_by_name(parcels.flow)
    assert found is not None
    return found


def test_the_example_of_the_documentation(
    bea: Client, shipping: FlowInfo, lost: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = DOCS.read_text().partition("## Links to other systems")[2].partition("```json\n")[2]
    path = tmp_path / "links.json"
    path.write_text(text.partition("```")[0])
    call_command("caselinks", flow=shipping.name, file=path, json=True)
    assert json.loads(capsys.readouterr().out) == json.loads(path.read_text())
    wid = lost[0]
    address = f"/instances/{wid}/repair/"
    assert "crm.example" not in get(bea, address), "without a value there is no link"
    changes = {"customer": "a/b?c=d&e#f \"'<é"}
    api.repairs.repair(wid, "patch", {"changes": changes}, "A test.", actor="carl")
    url = f"https://crm.example/c/a%2Fb%3Fc%3Dd%26e%23f%20%22%27%3C%C3%A9?from={wid}"
    assert f'<a href="{url}" rel="noopener noreferrer">Customer in the CRM</a>' in get(bea, address)


def test_links_are_chosen_by_cause_or_reason_code(shipping: FlowInfo, lost: list[int]) -> None:
    codes = ("", "STUCK", "ATTEMPTS", "declined")
    save_links(
        shipping, [{"label": f"for {each}", "url": "https://a.example/", "cause": each} for each in codes]
    )
    case = case_of(lost[0])
    assert [label for label, _url in links_of(shipping, case, {})] == ["for ", "for STUCK"]
    case = api.cases.change(case.number, {"reason_code": "declined"}, "ann")
    assert [label for label, _url in links_of(shipping, case, {})] == ["for ", "for STUCK", "for declined"]
    save_links(shipping, [{"label": "one", "url": "https://a.example/{customer}/x"}])
    for value in ("", None, ".", ".."):
        assert links_of(shipping, case, {"customer": value}) == []


@pytest.mark.parametrize(
    "link",
    [
        {"url": "javascript:alert(1)"},
        {"url": "https://{customer}.example/"},
        {"url": "https://a.example{customer}/"},
        {"url": "{customer}://a.example/"},
        {"url": "https://a.example:{customer}/"},
        {"url": "https://user@a.example/"},
        {"url": "https:///path"},
        {"url": "//a.example/"},
        {"url": "https://a.example\\@b.example/"},
        {"url": "https://a.example/ x"},
        {"url": "https://a.example/{nothing}"},
        {"url": "https://a.example/{customer"},
        {"url": "https://a.example/" + "x" * 1000},
        {"url": "https://a.example:99999/"},
        {"url": 1},
        {"label": ""},
        {"label": "x" * 81},
        {"cause": "a b"},
        {"colour": "red"},
    ],
)
def test_an_address_that_could_lead_elsewhere_is_rejected(shipping: FlowInfo, link: dict[str, Any]) -> None:
    with pytest.raises(BadCase):
        save_links(shipping, [{"label": "one", "url": "https://a.example/"} | link])


def test_a_flow_has_a_bounded_number_of_links(shipping: FlowInfo) -> None:
    with pytest.raises(BadCase):
        save_links(shipping, [{"label": "one", "url": "https://a.example/"}] * 21)
