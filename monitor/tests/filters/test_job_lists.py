"""Lists of jobs of a flow: filters and orders."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from django.test import Client

from flows import api
from flows.filters import parse
from flows.filters.fields import PARTS
from flows.queries import chosen_jobs, jobs
from flows.queries.base import snapshot
from flows.queries.chosen_jobs import ORDERS, Listing
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor.tests.conftest import Parcels, client_of, get, person


@pytest.fixture
def ben(parcels: Parcels, site: None) -> Client:
    """A person who sees the parcels."""
    return client_of(person("ben", f"flow:{parcels.flow}"))


@pytest.fixture
def waiting(parcels: Parcels) -> list[int]:
    """Six instances, of which two are of equal weight, with different priorities and attempts."""
    wids = [parcels.start(customer=f"C-{n}", weight=n // 2) for n in range(6)]
    for n, wid in enumerate(wids):
        parcels.connection.execute(
            "update wedsql.job_pool set priority = %s, attempts = %s,"
            " fired_at = fired_at - %s * interval '1 hour' where wid = %s",
            [n % 3 - 1, n % 2, n % 4, wid],
        )
    return wids


@pytest.fixture
def known(parcels: Parcels, site: None) -> FlowInfo:
    found = flow_by_name(parcels.flow)
    assert found is not None
    return found


def shown(client: Client, parcels: Parcels, **query: str) -> list[int]:
    """Return the jobs of a list in its order."""
    found = get(client, f"/flows/{parcels.flow}/jobs/?{urlencode(query)}")
    return [int(number) for number in re.findall(r'<tr id="job-(\d+)"', found)]


def jobs_of(parcels: Parcels, *wids: int, transition: str = "") -> set[int]:
    found = parcels.connection.execute(
        "select id from wedsql.job_pool where wid = any (%s) and tgid <> 0 and (%s = '' or trname = %s)",
        [list(wids), transition, transition],
    )
    return {number for (number,) in found}


@pytest.mark.parametrize("text", ["", "weight>=0", "job.priority>=-9", "weight>=0 or job.attempts>=0"])
def test_a_filter_that_all_jobs_meet_changes_no_list(
    parcels: Parcels, waiting: list[int], known: FlowInfo, text: str
) -> None:
    """The order of the queue is that of the list without a filter; each order is followed page by page."""
    whole = jobs.listed(known.id, "pending")[0]
    assert len(whole) == 12
    expected = {
        "queue": [one.id for one in whole],
        "oldest": [one.id for one in sorted(whole, key=lambda one: (one.fired_at, one.id))],
        "newest": [one.id for one in sorted(whole, key=lambda one: (one.fired_at, one.id), reverse=True)],
        "attempts": [one.id for one in sorted(whole, key=lambda one: (one.attempts, one.id), reverse=True)],
    }
    assert set(expected) == set(ORDERS)
    for order, wanted in expected.items():
        listing, paged, behind = Listing("pending", order), [], ""
        while True:
            with snapshot():
                page, behind = chosen_jobs.selected(
                    parse(text, known).of_list("jobs"), listing, listing.place(behind), 5
                )
            paged += [one.id for one in page]
            if not behind:
                break
        assert paged == wanted, order


def test_jobs_are_found_by_what_they_and_their_instances_have(
    ben: Client, parcels: Parcels, waiting: list[int]
) -> None:
    for text, found in {
        "weight:1": jobs_of(parcels, *waiting[2:4]),
        "job.transition:tr_pack weight>0": jobs_of(parcels, *waiting[2:], transition="tr_pack"),
        "job.attempts>0 customer:(C-1, C-2)": jobs_of(parcels, waiting[1]),
        "job.priority:0": jobs_of(parcels, waiting[1], waiting[4]),
        "job.fired<-150m": jobs_of(parcels, waiting[3]),
        "no:job.worker no:job.assigned": jobs_of(parcels, *waiting),
        "job.transition!=tr_pack job.transition!=tr_label": set(),
        'where:"weight % 2 = 1"': jobs_of(parcels, *waiting[2:4]),
        "status:running did:tr_pack": set(),
        str(waiting[5]): jobs_of(parcels, waiting[5]),
    }.items():
        listed = shown(ben, parcels, q=text)
        assert set(listed) == found and len(listed) == len(found), text
    wids = {"job.priority:0": [waiting[1], waiting[4]], "has:job.worker": [], "job.attempts>0": waiting[1::2]}
    for text, wanted in wids.items():
        page = get(ben, f"/flows/{parcels.flow}/?{urlencode({'q': text})}")
        assert set(re.findall(r'<tr id="wid-(\d+)"', page)) == set(map(str, wanted)), text
    only = shown(ben, parcels, q="weight:1", transition="tr_pack", sort="newest")
    assert set(only) == jobs_of(parcels, *waiting[2:4], transition="tr_pack")
    assert shown(ben, parcels, q="weight:1", role="unknown") == []
    assert "No job meets the filter" in get(ben, f"/flows/{parcels.flow}/jobs/?q=weight:77")


def test_the_states_of_a_filtered_list_are_those_of_the_list(
    ben: Client, parcels: Parcels, waiting: list[int], known: FlowInfo
) -> None:
    lost = parcels.start(weight=50, extra={})
    parcels.connection.execute("update wedsql.job_pool set priority = 9 where wid = %s", [lost])
    parcels.park("tr_pack", lost, "no box")
    parcels.connection.execute("update wedsql.job_pool set late = true where wid = %s", [waiting[3]])
    for state in jobs.JOB_STATES:
        plain = [one.id for one in jobs.listed(known.id, state)[0]]
        assert shown(ben, parcels, q="weight>=0", state=state) == plain, state
    [parked] = shown(ben, parcels, q="weight>=0", state="parked")
    assert parked in jobs_of(parcels, lost) and not shown(ben, parcels, q="weight>99", state="parked")


def test_each_part_of_a_job_can_be_asked_for(ben: Client, parcels: Parcels, waiting: list[int]) -> None:
    """Every operator of every part is SQL that runs, over jobs and over instances."""
    values = {"integer": "1", "timestamptz": "today", "text": "x", "name": "x"}
    for name, part in PARTS.items():
        for operator in part.operators if name.startswith("job.") else ():
            value = values[part.kind]
            text = {"has": f"has:{name}", "no": f"no:{name}", "range": f"{name}:{value}..{value}"}.get(
                operator, f"{name}{operator}{value}"
            )
            for page in (f"/flows/{parcels.flow}/", f"/flows/{parcels.flow}/jobs/"):
                assert 'id="filter-error"' not in get(ben, f"{page}?{urlencode({'q': text})}"), text


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("weight>", ""), ("colour:red", "colour:red"), ("job.fired:soon", "job.fired:soon"),
        ("job.colour:x", "job.colour:x"), ("job.priority~5", "job.priority~5"),
        ("weight:heavy", "weight:heavy"),
        ('where:"nothing = 1"', "nothing"),
    ],
)  # fmt: skip
def test_an_error_of_a_filter_is_shown_at_its_place_and_the_text_is_kept(
    ben: Client, parcels: Parcels, waiting: list[int], text: str, marked: str
) -> None:
    query = {"state": "late", "q": f"customer:C-1 {text}", "sort": "newest"}
    page = get(ben, f"/flows/{parcels.flow}/jobs/?{urlencode(query)}")
    assert 'id="filter-error"' in page and '<tr id="job-' not in page
    found = re.search(r"<mark>(.*?)</mark>", page)
    assert (found[1] if found else "") == marked, "what is missing at the end has no place"
    kept = text.replace(">", "&gt;").replace('"', "&quot;")
    assert f'value="customer:C-1 {kept}"' in page
    assert 'name="sort" value="newest"' in page and 'name="state" value="late"' in page


def test_odd_places_begin_the_list(ben: Client, parcels: Parcels, waiting: list[int]) -> None:
    numbers = ("x", "~", "~~", "a~1~x", f"tr~{2**40}~1", f"2026-01-01~{2**70}",
               "9999999999-01-01~1", "1~2~3~4",
               "0001-01-01T00:00:00+23:59~1", "\x00~1~1", "inf~1", "²~1")  # fmt: skip
    for order in ORDERS:
        for place in numbers:
            query = urlencode({"q": "weight:1", "sort": order, "behind": place})
            assert ben.get(f"/flows/{parcels.flow}/jobs/?{query}").status_code == 200, (order, place)


@pytest.mark.parametrize(
    ("order", "place"),
    [("queue", f"tr~{2**40}~1"), ("oldest", f"2026-01-01~{2**70}"), ("attempts", f"{-(2**40)}~1")],
)
def test_a_place_out_of_range_begins_the_list(
    ben: Client, parcels: Parcels, waiting: list[int], order: str, place: str
) -> None:
    assert len(shown(ben, parcels, q="weight:1", sort=order, behind=place)) == 4


def test_a_condition_is_added_by_the_form_and_keeps_the_list(
    ben: Client, parcels: Parcels, waiting: list[int]
) -> None:
    added = {"state": "pending", "sort": "oldest", "transition": "tr_pack", "q": "weight:1"}
    added |= {"a": "job.attempts", "op": "gt", "v": "0", "part": "new"}
    answer = ben.get(f"/flows/{parcels.flow}/jobs/?{urlencode(added)}")
    assert answer.status_code == 302
    for kept in ("weight%3A1+job.attempts%3E0", "sort=oldest", "transition=tr_pack"):
        assert kept in answer["Location"], kept
    assert "Attempts of the job" in get(ben, answer["Location"])


def test_texts_of_errors_cannot_be_asked_for(ben: Client, parcels: Parcels, payments: str) -> None:
    """They may quote values that are masked."""
    assert not [name for name in PARTS if name.startswith("job.") and "error" in name]
    reader = client_of(person("rea", f"flow:{payments}"))
    api.instances.start(payments, {"card": "4711"}, key="placed")
    for text in ("card:4711", 'where:"card is null"', "job.error~4711"):
        assert 'id="filter-error"' in get(reader, f"/flows/{payments}/jobs/?{urlencode({'q': text})}"), text
