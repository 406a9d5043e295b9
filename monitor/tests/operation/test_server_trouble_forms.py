"""A trouble of the server is answered by its status, and never shown as a fault of what a form sent."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from django.test import Client

from monitor.tests.conftest import Parcels, client_of, person
from wedsql_site.environment import CHECKOUT

PACKAGES = ("flows/designer", "flows/admin", "monitor/views", "pages", "wedsql_site", "flows/starting")
# Handlers that answer programs, or that have to continue without a database.
ALL_ERRORS = {
    "flows/designer/editor/conditions.py",  # answers the editor in JSON, with 503
    "wedsql_site/templatetags/site.py",  # the page says what is wrong with the database
}
TROUBLES = ("53100", "53200", "58030", "XX000")


@pytest.fixture
def olga(parcels: Parcels, site: None) -> Client:
    client = client_of(person("olga", f"flow:{parcels.flow}:operate", f"flow:{parcels.flow}:repair"))
    client.raise_request_exception = False
    return client


@pytest.fixture
def short(parcels: Parcels) -> Iterator[Parcels]:
    """The flow's table fails with the code in the first row of a table; '' is no failure."""
    flow = parcels.flow
    parcels.connection.execute(
        f"create table {flow}.fails (code text);"
        f"create function {flow}.fail() returns trigger language plpgsql security definer as $$"
        f" declare c text := (select max(code) from {flow}.fails); begin"
        " if c is not null then raise exception 'could not extend file' using errcode = c; end if;"
        " return new; end $$;"
        f"create trigger short before insert or update on {flow}.wed_flow"
        f" for each row execute function {flow}.fail()"
    )
    yield parcels
    parcels.connection.execute(f"drop trigger short on {flow}.wed_flow; drop table {flow}.fails;"
                               f"drop function {flow}.fail()")  # fmt: skip


@pytest.mark.parametrize("code", TROUBLES)
def test_forms_about_an_instance_answer_by_status(code: str, short: Parcels, olga: Client) -> None:
    wid = short.start(customer="ann")
    short.connection.execute(f"insert into {short.flow}.fails values (%s)", [code])
    forms = {
        f"/flows/{short.flow}/start/": {"customer": "bob"},
        f"/instances/{wid}/repair/": {
            "operation": "patch",
            "a_customer": "cid",
            "reason": "r",
            "do": "apply",
        },
    }
    for address, sent in forms.items():
        answer = olga.post(address, sent)
        if address.endswith("start/"):
            assert answer.status_code == (500 if code == "XX000" else 503), address
        assert b"could not extend file" not in answer.content, address


def test_a_conflict_is_shown_beside_what_was_typed(short: Parcels, olga: Client) -> None:
    short.connection.execute(f"insert into {short.flow}.fails values ('40001')")
    answer = olga.post(f"/flows/{short.flow}/start/", {"value-customer": "bob the first"}).content
    assert b"in conflict with this one; try again" in answer
    assert b"bob the first" in answer


def test_only_listed_handlers_of_pages_catch_troubles() -> None:
    found = set()
    for path in (one for package in PACKAGES for one in (CHECKOUT / package).rglob("*.py")):
        name = str(path.relative_to(CHECKOUT))
        if "/tests/" not in name and any(map(_catches_all, ast.walk(ast.parse(path.read_text())))):
            found.add(name)
    assert found == ALL_ERRORS


def _catches_all(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler) or node.type is None:
        return False
    caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(ast.unparse(one) == "WedError" for one in caught)
