"""The pages of SLAs: the forms, what is refused, who may see them, and the clocks of an instance."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from monitor.tests.conftest import Parcels, text_of

SLA = {"name": "pack", "time": "4h", "calendar": "office", "start_when": "stage = 'new'",
       "stop_when": "stage <> 'new'", "enabled": "on"}  # fmt: skip
OFFICE = {"name": "office", "zone": "Europe/Berlin", "day1": "09:00-12:30, 13:30-18:00", "day7": "0:00-24:00",
          "holidays": "2026-12-25 Christmas\n2027-01-01 New Year\n"}  # fmt: skip


@pytest.fixture
def root(site: None) -> Client:
    from django.contrib.auth.models import User

    from monitor.tests.conftest import HERE

    client = Client()
    client.force_login(User.objects.create_superuser("root" + HERE))
    return client


def shown(client: Client, address: str) -> str:
    return " ".join(text_of(client.get(address).content).split())


def test_an_sla_with_a_calendar_is_defined_shown_changed_and_removed(
    root: Client, carol: Client, parcels: Parcels
) -> None:
    flow = f"/flows/{parcels.flow}/"
    assert "No SLAs" in shown(root, flow + "slas/")
    assert root.post(flow + "calendars/edit/", OFFICE).status_code == 302
    assert root.post(flow + "slas/edit/", SLA).status_code == 302
    (sla,) = api.sla.list([parcels.flow], conn=parcels.connection)
    (calendar,) = api.sla.list_calendars([parcels.flow], conn=parcels.connection)
    assert (sla.duration, sla.calendar) == (4 * 3600, "office")
    assert calendar.holidays == {"2026-12-25": "Christmas", "2027-01-01": "New Year"}
    wid = parcels.start()
    api.sla.advance(conn=parcels.connection)
    page = shown(root, f"/instances/{wid}/")
    assert "SLA pack" in page and "of 4 hours used, due " in page and "running" in page
    assert f">{wid}<" in root.get(flow + "?q=sla:pack%3Drunning").content.decode()
    assert "computed" in shown(carol, flow + "slas/")
    for address in ("slas/", "slas/edit/", "calendars/edit/"):
        assert carol.post(flow + address, SLA | {"sla": str(sla.id)}).status_code == 403
    page = root.get(flow + f"calendars/edit/?id={calendar.id}").content.decode()
    assert "2027-01-01 New Year" in page and "09:00-12:30, 13:30-18:00" in page
    root.post(flow + f"slas/edit/?id={sla.id}", SLA | {"time": "90m", "calendar": ""})
    assert "1h30m" in shown(root, flow + "slas/")
    root.post(flow + "slas/", {"sla": str(sla.id)})
    root.post(flow + "slas/", {"calendar": str(calendar.id)})
    assert "No SLAs" in shown(root, flow + "slas/")
    assert "SLA pack" not in shown(root, f"/instances/{wid}/")


@pytest.mark.parametrize(
    ("form", "field", "value", "said"),
    [
        ("slas", "time", "soon", "duration such as"),
        ("slas", "name", "\x00", "1 to 80 characters"),
        ("slas", "start_when", "stag = 'new'", "stag"),
        ("slas", "pause_when", "<script>alert(1)</script>", "&lt;script"),
        ("slas", "calendar", "none", "no calendar"),
        ("calendars", "zone", "Europe/Atlantis", "no time zone"),
        ("calendars", "day1", "nine to five", "nine to five"),
        ("calendars", "holidays", "Christmas", "Christmas"),
        ("calendars", "day1", "18:00-09:00", "cannot be read"),
    ],
)
def test_a_form_that_makes_no_sense_says_why_and_keeps_what_was_written(
    root: Client, parcels: Parcels, form: str, field: str, value: str, said: str
) -> None:
    fields = SLA | {"calendar": ""} if form == "slas" else OFFICE
    answer = root.post(f"/flows/{parcels.flow}/{form}/edit/", fields | {field: value})
    page = answer.content.decode()
    assert answer.status_code == 200 and 'role="alert"' in page and said in page
    assert "<script>alert(1)" not in page
    assert api.sla.list([parcels.flow], conn=parcels.connection) == []


def test_what_there_is_not_cannot_be_changed(root: Client, parcels: Parcels) -> None:
    for address in ("slas", "calendars"):
        for number in ("999999", "x", "-1", "9" * 30):
            assert root.get(f"/flows/{parcels.flow}/{address}/edit/?id={number}").status_code == 404
    assert root.post(f"/flows/{parcels.flow}/slas/", {"sla": "999999"}).status_code == 302
    assert root.post(f"/flows/{parcels.flow}/slas/", {}).status_code == 302
