"""The page that says why an instance is where it is, and the command that says the same."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from monitor.tests.conftest import Parcels, get, text_of


def test_it_says_what_each_job_waits_for_and_what_each_rule_needs(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    page = text_of(get(alice, f"/instances/{wid}/why/"))
    assert "No worker serves this transition." in page
    assert "Stage is &#x27;packed&#x27;" in page and "Stage = &#x27;new&#x27;" in page and "step 1" in page
    assert f"/instances/{wid}/why/" in get(alice, f"/instances/{wid}/")


def test_an_exception_shows_the_nearest_rule_first(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    html = get(alice, f"/instances/{wid}/why/")
    assert "People have to repair the instance." in html
    nearest = html[html.index('id="nearest-title"') :]
    assert nearest.index("Pack it") < nearest.index("tr_label")
    assert "Pack it" in nearest and "since" in nearest


def test_an_earlier_step_and_one_that_does_not_exist(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    page = get(alice, f"/instances/{wid}/why/?step=1")
    assert "After step 1" in page and '?step=2"' in page and "What it waits for" not in page
    assert alice.get(f"/instances/{wid}/why/?step=99").status_code == 404
    for odd in ("-1", "x", "9" * 40, "%00"):
        assert alice.get(f"/instances/{wid}/why/?step={odd}").status_code in (200, 404)


def test_it_is_portuguese_for_portuguese_readers(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    page = alice.get(f"/instances/{wid}/why/", headers={"accept-language": "pt-br"}).content.decode()
    assert "Por que a instância" in page and "Nenhum trabalhador atende esta transição." in page


@pytest.mark.django_db(transaction=True)
def test_the_command_says_the_same(parcels: Parcels) -> None:
    wid = parcels.start()
    said = StringIO()
    call_command("explain", str(wid), stdout=said)
    assert "tr_pack is pending" in said.getvalue() and "No worker serves" in said.getvalue()
    assert "Stage is 'packed' (stage is 'new' since step 1, written by _INIT" in said.getvalue()
    said = StringIO()
    call_command("explain", str(wid), "--json", stdout=said)
    found = json.loads(said.getvalue())
    assert (found["wid"], found["flow"], len(found["jobs"])) == (wid, parcels.flow, 2)
    with pytest.raises(CommandError, match="There is no instance 2000000000"):
        call_command("explain", "2000000000", stdout=StringIO(), stderr=StringIO())
