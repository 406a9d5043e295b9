"""Every error has a page in the look of the site with a way back, whatever the address and the method."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from monitor.tests.conftest import Parcels, client_of, person, text_of
from testkit.cases import pairs
from tests.addresses import filled, patterns

ERRORS = {400, 403, 404, 405, 500, 503}
# Programs and probes, which read no pages, and what scripts fetch as JSON.
NO_PAGES = ("/api/", "/healthz", "/readyz", "/metrics")


def problem_of(response: object) -> str:
    """Return what an error lacks of a page; "" for none, and for an answer that is no error."""
    status, kind = response.status_code, response.headers.get("Content-Type", "")  # type: ignore[attr-defined]
    if status not in ERRORS or kind.startswith("application/json"):
        return ""
    html = response.content.decode()  # type: ignore[attr-defined]
    for part in ("<main", "<h1", 'href="/"', "stylesheet"):
        if part not in html:
            return f"{status} without {part}: {html[:80]!r}"
    return ""


@pytest.mark.parametrize(
    ("who", "method"), pairs(["viewer", "stranger", "anonymous"], ["get", "post", "put", "delete"], 2)
)
def test_every_error_has_a_page(parcels: Parcels, site: None, who: str, method: str) -> None:
    groups = {"viewer": [f"flow:{parcels.flow}"], "stranger": [], "anonymous": []}[who]
    client = Client() if who == "anonymous" else client_of(person(who, *groups))
    client.raise_request_exception = False
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    wid = parcels.start()
    values = {"name": parcels.flow, "wid": str(wid), "flow_id": str(parcels.flow_id), "operation": "suspend"}
    problems = {}
    for route, pattern in patterns():
        address = filled(route, pattern, values)
        if route and not address.startswith(NO_PAGES):
            problems[f"{method} {address}"] = problem_of(getattr(client, method)(address, headers=browser))
    assert {address: each for address, each in problems.items() if each} == {}


def test_the_sentence_of_a_view_is_on_the_page_of_its_error(carol: Client, parcels: Parcels) -> None:
    response = carol.get(f"/bulk/new/?flow={parcels.flow}&q=status:exception")
    assert response.status_code == 403
    assert "You may see these instances, but not operate them." in text_of(response.content)


def test_the_way_back_is_the_page_before(carol: Client, parcels: Parcels) -> None:
    def back(referer: str) -> list[str]:
        page = carol.get("/nope/", headers={"referer": referer}).content.decode()
        return re.findall(r'class="button" href="([^"]+)"', page)

    assert back(f"http://testserver/flows/{parcels.flow}/?q=a&sort=id") == [
        f"/flows/{parcels.flow}/?q=a&amp;sort=id", "/",
    ]  # fmt: skip
    for elsewhere in (
        "https://example.org/x",
        "http://testserver/nope/",
        "",
        "//testserver//example.org/",
        "x:",
    ):
        assert back(elsewhere)[-1] == "/" and not any("example" in each for each in back(elsewhere))


def test_what_a_browser_is_shown_names_the_methods_of_the_address(carol: Client, parcels: Parcels) -> None:
    response = carol.post("/exceptions/")
    assert response.status_code == 405 and response.headers["Allow"] == "GET, HEAD"
    assert "receives no forms" in text_of(response.content)
    assert "only receives forms" in text_of(carol.get("/theme/").content)


def test_a_script_that_asks_for_json_gets_no_page(carol: Client, parcels: Parcels) -> None:
    response = carol.post("/exceptions/", headers={"accept": "application/json"})
    assert response.status_code == 405 and b"<main" not in response.content
