"""Looks at masked values on pages and over HTTP, and the audit that lists them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client

from flows import api
from flows.capabilities.looks.api import Asked, Look
from monitor.tests.api.test_docs_api import included
from monitor.tests.conftest import Parcels, client_of, get, person, text_of
from monitor.tests.server.programs import problem, program

NAME = "Marta Silva"


@pytest.fixture
def secret(parcels: Parcels, site: None) -> int:
    """An instance whose customer is masked and whose weight is hidden."""
    for name, visibility in (("customer", "masked"), ("weight", "hidden")):
        parcels.connection.execute(
            f"update {parcels.flow}.wed_attr set visibility = %s where aname = %s", [visibility, name]
        )
    return parcels.start(customer=NAME, weight="4815")


def one_of(parcels: Parcels, name: str, *actions: str) -> User:
    return person(name, *(f"flow:{parcels.flow}:{each}" for each in actions))


@pytest.fixture
def sena(parcels: Parcels, secret: int) -> User:
    """A senior clerk, who may look at masked values."""
    return one_of(parcels, "sena", "handle", "repair", "look")


@pytest.fixture
def eva(parcels: Parcels, secret: int) -> User:
    """An auditor."""
    return one_of(parcels, "eva", "reveal")


def recorded(parcels: Parcels, **asked: Any) -> list[Look]:
    return api.looks.list(parcels.flow, Asked(**asked))


def file(client: Client, address: str) -> str:
    answer: Any = client.get(address)
    return b"".join(answer.streaming_content).decode("utf-8-sig")


def show(client: Client, wid: int, reason: str, name: str = "customer", **headers: str) -> Any:
    return client.post(f"/instances/{wid}/looks/", {"attribute": name, "reason": reason}, headers=headers)


def test_a_masked_value_is_shown_to_who_gives_a_reason(parcels: Parcels, secret: int, sena: User) -> None:
    client = client_of(sena)
    page = get(client, f"/instances/{secret}/")
    assert NAME not in page and "This value is masked." in page and "data-look" in page
    assert recorded(parcels) == []
    answer = show(client, secret, "She called.", accept="application/json")
    assert NAME in answer.json()["values"]["customer"]
    (row,) = recorded(parcels)
    assert (row.actor, row.wid, row.attributes, row.way) == (sena.username, secret, ["customer"], "page")
    assert (row.reason, row.instances) == ("She called.", 1)
    page = show(client, secret, "Once more.").content.decode()  # without JavaScript
    assert NAME in page and "This look is recorded" in page and "4815" not in page
    assert len(recorded(parcels)) == 2 and NAME not in get(client, f"/instances/{secret}/")
    page = get(client, f"/instances/{secret}/repair/")
    assert f'action="/instances/{secret}/looks/"' in page and "data-look" in page and NAME not in page


@pytest.mark.parametrize(
    ("reason", "name"), [("", "customer"), ("x" * 201, "customer"), ("x", "weight"), ("x", "no")]
)
def test_no_value_is_shown_without_what_a_look_needs(
    reason: str, name: str, parcels: Parcels, secret: int, sena: User
) -> None:
    answer = show(client_of(sena), secret, reason, name, accept="application/json")
    assert answer.status_code == 400 and set(answer.json()) == {"error"}
    page = show(client_of(sena), secret, reason, name)
    assert page.status_code == 400 and NAME not in page.content.decode() and recorded(parcels) == []


def test_who_may_never_see_a_value_gets_no_button(parcels: Parcels, secret: int) -> None:
    client = client_of(one_of(parcels, "carl", "handle", "operate", "repair"))
    page = get(client, f"/instances/{secret}/")
    assert "You may not see this value." in page and "data-look" not in page
    assert "data-look" not in get(client, f"/instances/{secret}/repair/")
    assert show(client, secret, "x").status_code == 403 and recorded(parcels) == []
    other = client_of(person("olaf", "flow:other:look"))
    texts = {text_of(show(other, wid, "x").content).replace(str(wid), "N") for wid in (secret, 2**31 - 1)}
    assert len(texts) == 1 and show(other, secret, "x").status_code == 404
    assert Client().post(f"/instances/{secret}/looks/").status_code == 302


def test_looks_over_http(parcels: Parcels, secret: int, sena: User, eva: User) -> None:
    path, asked = f"/instances/{secret}/looks", {"attributes": ["customer"], "reason": "A letter."}
    problem(program(sena, "repair").post(path, asked), 403)
    caller = program(sena, "look")
    assert caller.post(path, asked).json()["values"] == {"customer": NAME}
    problem(caller.post(path, asked | {"attributes": ["weight"]}), 422)
    problem(caller.post(path, asked | {"reason": " "}), 422)
    problem(caller.post(path, asked | {"attributes": ["customer"] * 51}), 422)
    both = program(eva, "look").post(path, asked | {"attributes": ["customer", "weight"]}).json()["values"]
    assert both == {"customer": NAME, "weight": 4815}
    looks = f"/flows/{parcels.flow}/looks"
    problem(caller.get(looks), 403)
    auditor = program(eva)
    first = auditor.get(f"{looks}?limit=1").json()
    assert [each["actor"] for each in first["items"]] == [eva.username]
    second = auditor.get(f"{looks}?cursor={first['next']}").json()
    assert [(each["reason"], each["way"]) for each in second["items"]] == [("A letter.", "http")]
    assert second["next"] is None
    query = {"actor": sena.username, "wid": secret, "attribute": "customer"}
    found = auditor.get(f"{looks}?{urlencode(query)}").json()
    assert found["items"] == second["items"]
    assert len(recorded(parcels)) == 2, "the list of looks shows no values"


def test_what_a_role_shows_is_recorded_too(parcels: Parcels, secret: int, eva: User) -> None:
    client = client_of(eva)
    for _again in range(2):
        assert NAME in get(client, f"/instances/{secret}/")
    (row,) = recorded(parcels)
    assert (row.wid, row.way, row.reason, row.address) == (secret, "page", "", f"/instances/{secret}/")
    assert row.attributes == ["customer", "weight"]
    address = f"/flows/{parcels.flow}/export.csv?q=customer~Marta"
    for _again in range(2):
        assert NAME in file(client, address)
    found = [each for each in recorded(parcels) if each.way == "file"]
    assert [(each.wid, each.instances, each.address) for each in found] == [(None, 1, address)] * 2
    assert NAME in str(client.get(f"/api/v1/flows/{parcels.flow}/instances").json())
    assert recorded(parcels)[0].way == "http" and recorded(parcels)[0].instances == 1
    parcels.connection.execute(f"update {parcels.flow}.wed_attr set visibility = 'everyone'")
    count = len(recorded(parcels))
    get(client, f"/instances/{secret}/?view=tree")
    assert len(recorded(parcels)) == count, "nothing is masked"


def test_the_audit_lists_looks_and_changes(parcels: Parcels, secret: int, sena: User, eva: User) -> None:
    address = f"/flows/{parcels.flow}/audit/"
    client = client_of(eva)
    assert "No look at masked values yet" in get(client, address)
    assert "No change by a person yet" in get(client, f"{address}?kind=changes")
    show(client_of(sena), secret, "She called.")
    api.operations.suspend(secret, "She waits.", actor="bob")
    text = text_of(get(client, address))
    assert "She called." in text and sena.username in text and str(secret) in text and "Page" in text
    text = text_of(get(client, f"{address}?kind=changes"))
    assert "She waits." in text and "Suspended" in text and "bob" in text
    for query, found in (
        ("actor=x", False), (f"actor={sena.username}&wid={secret}", True), ("from=2199-01-01", False),
        ("to=2001-01-01", False), ("attribute=weight", False), ("from=x&wid=x&before=x", True),
    ):  # fmt: skip
        assert ("She called." in get(client, f"{address}?{query}")) is found, query
    assert "Nothing was found" in get(client, f"{address}?actor=x")
    csv = file(client, f"/flows/{parcels.flow}/audit.csv")
    assert "She called." in csv and csv.startswith("at,actor,way,wid,attributes,reason,address,instances")
    csv = file(client, f"/flows/{parcels.flow}/audit.csv?kind=changes")
    assert "She waits." in csv and "_SUSPEND" in csv
    assert [each.actor for each in recorded(parcels)] == [sena.username], "the audit shows no values"
    assert client_of(sena).get(address).status_code == 403
    assert f'href="{address}"' in get(client, f"/flows/{parcels.flow}/")
    assert f'href="{address}"' not in get(client_of(sena), f"/flows/{parcels.flow}/")


@pytest.mark.parametrize("kind", ["looks", "changes"])
def test_the_audit_is_read_in_pages(kind: str, parcels: Parcels, secret: int, eva: User) -> None:
    for n in range(26):
        api.operations.suspend(secret, f"reason {2 * n}.", actor="bob")
        api.operations.resume(secret, f"reason {2 * n + 1}.", actor="bob")
    for n in range(52):
        parcels.connection.execute(
            "select wedsql.look_at(%s, '{customer}', %s, 'bob')", [secret, f"reason {n}."]
        )
    client, address, seen = client_of(eva), f"/flows/{parcels.flow}/audit/", []
    query: str | None = f"?kind={kind}"
    while query:
        page = get(client, address + query)
        seen += re.findall(r"reason (\d+)\.", page)
        following = re.search(r'rel="next" href="(\?[^"]*)"', page)
        query = following[1].replace("&amp;", "&") if following else None
    assert seen == [str(n) for n in reversed(range(52))]


def test_it_is_portuguese_for_portuguese_readers(
    parcels: Parcels, secret: int, sena: User, eva: User
) -> None:
    portuguese = {"accept-language": "pt-br"}
    text = text_of(client_of(sena).get(f"/instances/{secret}/", headers=portuguese).content)
    assert "Este valor está mascarado." in text
    text = text_of(client_of(eva).get(f"/flows/{parcels.flow}/audit/", headers=portuguese).content)
    assert "Nenhuma consulta a valores mascarados ainda" in text


def test_the_example_of_looks_answers_as_written(parcels: Parcels, site: None) -> None:
    """The worked example of docs/roles.md."""
    page = (Path(__file__).parents[3] / "docs" / "roles.md").read_text()
    definition = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    requests = re.findall(r"(GET|POST) /api/v1(/\S+) +as (\w+)\n(?:(\{.*\})\n)?\n(\d+) (\{.*\})\n", page)
    assert len(requests) == 3
    name, session = f"{parcels.flow}_tax", parcels.connection
    api.flows.create(name, conn=session)
    try:
        rule = {"transition": "tr_x", "predicate": "tax_number is not null"}
        api.flows.publish(name, definition | {"triggers": [rule]}, conn=session)
        wid = api.instances.start(name, {"tax_number": "48-151-623", "income": 1}, conn=session)
        rights = {"Sena": "look", "Eva": "reveal"}
        callers = {who: program(person(who, f"flow:{name}:{right}"), "look") for who, right in rights.items()}
        for method, path, who, body, status, answer in requests:
            path = path.replace("/tax/", f"/{name}/").replace("/instances/1", f"/instances/{wid}")
            answer = answer.replace('"wid": 1', f'"wid": {wid}').replace('"sena"', '"Sena in monitor"')
            found = getattr(callers[who], method.lower())(path, *([json.loads(body)] if body else []))
            assert found.status_code == int(status) and included(json.loads(answer), found.json())
    finally:
        session.execute("select wedsql.drop_flow(%s, true)", [name])
