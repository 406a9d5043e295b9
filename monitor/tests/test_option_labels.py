"""Options and queues by their labels in each language, and back: files, forms, searches, mails."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from flows import api
from flows.capabilities.cases import mails
from flows.capabilities.cases.api import CaseRule
from flows.capabilities.cases.digests import DueDigest
from flows.starts import csv_rows
from monitor.tests.conftest import Parcels, client_of, get, person, text_of
from monitor.tests.filters.test_export import fetched, sheet, table

LABELS = ["new = Fresh", "new [pt-br] = Recente", "lost [pt] = Perdido", "packed = In its box"]
QUEUES = ["cards = Card company", "cards [pt-br] = Operadora"]
PT = {"accept-language": "pt-br"}


@pytest.fixture(autouse=True)
def labelled(parcels: Parcels) -> None:
    """The stages of parcels have labels, one of them in Portuguese only."""
    change = "update wedsql.attr set option_labels = %s where flow_id = %s and aname = 'stage'"
    parcels.connection.execute(change, [LABELS, parcels.flow_id])
    parcels.connection.execute(
        "update wedsql.flow set queue_labels = %s where id = %s", [QUEUES, parcels.flow_id]
    )


@pytest.fixture
def clerk(parcels: Parcels, site: None) -> Client:
    return client_of(person("clerk", f"flow:{parcels.flow}:handle", f"flow:{parcels.flow}:operate"))


def portuguese(client: Client, address: str) -> str:
    return text_of(client.get(address, headers=PT).content)


def test_each_language_has_its_labels(clerk: Client, parcels: Parcels) -> None:
    lost = parcels.start(customer="Ana")
    new = parcels.start(customer="Bea")
    parcels.make_exception(lost)
    listed = f"/flows/{parcels.flow}/?columns=stage"
    page = text_of(get(clerk, listed))
    assert "Fresh" in page and "lost" in page, "an option without a label is shown as it is"
    assert "Recente" in portuguese(clerk, listed) and "Perdido" in portuguese(clerk, listed)
    for page in (f"/instances/{new}/", f"/instances/{new}/steps/1/", f"/instances/{new}/why/"):
        assert "Fresh" in text_of(get(clerk, page)) and "Recente" in portuguese(clerk, page)


def test_forms_offer_the_labels_and_send_the_options(clerk: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana")
    parcels.make_exception(wid)
    for page in (f"/instances/{wid}/repair/", f"/flows/{parcels.flow}/start/"):
        assert '<option value="new">Fresh</option>' in get(clerk, page).replace(" selected", ""), page


def test_files_for_people_have_labels_and_those_for_programs_options(clerk: Client, parcels: Parcels) -> None:
    parcels.start(customer="Ana")
    names = {"csv": lambda data: table(data)[1], "xlsx": lambda data: sheet(data)[1]}
    for ending, read in names.items():
        data = fetched(clerk, _file(parcels, ending))
        assert read(data)[-1] == "Fresh", ending
    (line,) = fetched(clerk, _file(parcels, "jsonl")).decode().splitlines()
    assert json.loads(line)["stage"] == "new"
    answer = clerk.get(f"/api/v1/flows/{parcels.flow}/instances").json()
    assert answer["items"][0]["values"]["stage"] == "new"


def _file(parcels: Parcels, ending: str) -> str:
    return f"/flows/{parcels.flow}/export.{ending}?columns=stage"


def test_a_label_finds_what_has_the_option(clerk: Client, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana")
    answer = clerk.get("/search/results/", {"q": "fresh"}).json()
    assert any(f"/instances/{wid}/" == each["address"] for g in answer["groups"] for each in g["results"])
    page = get(clerk, f"/flows/{parcels.flow}/?a=stage&op=eq&v=fresh")
    assert f'id="wid-{wid}"' in page and "“Fresh”" in text_of(page)
    assert 'list="filter-options-new"' in page and "[&quot;new&quot;, &quot;Fresh&quot;]" in page


def test_a_file_of_starts_may_have_labels(site: None, parcels: Parcels) -> None:
    definition = api.flows.definition(parcels.flow)
    upload = csv_rows.read(b"customer,stage\nAna,In its box\nBea,new\nCid,gone\n", definition)
    assert [row.state["stage"] for row in upload.rows] == ["packed", "new", "gone"]


def test_queues_have_their_labels_on_pages_and_in_mails(clerk: Client, parcels: Parcels) -> None:
    api.cases.save_rules(parcels.flow, [CaseRule("cards")], "ann")
    parcels.make_exception(parcels.start(customer="Ana"))
    assert "Card company" in text_of(get(clerk, "/cases/")) and "Operadora" in portuguese(clerk, "/cases/")
    assert ">cards<" not in get(clerk, "/cases/?queue=cards")
    assert '<option value="cards">Card company</option>' in get(clerk, "/cases/digests/")
    user = person("reader", f"flow:{parcels.flow}:handle")
    try:
        assert "Card company" in _mail(user, parcels, "en") and "Operadora" in _mail(user, parcels, "pt-br")
    finally:
        api.cases.delete_digests(user.pk)


def _mail(user: Any, parcels: Parcels, language: str) -> str:
    api.cases.save_digest(user.pk, parcels.flow, "cards", "day", language, 6)
    items = api.cases.list_digests(user.pk)
    found = mails.message(user, DueDigest(user.pk, language, datetime.now(UTC), items))
    assert found is not None
    return str(found["text"])
