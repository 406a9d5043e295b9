"""An operator suspends and resumes an instance, and operates on its jobs, each with a reason."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from monitor.tests.conftest import Parcels, client_of, get, person, text_of


@pytest.fixture
def olga(parcels: Parcels, site: None) -> Client:
    """An operator of the flow."""
    return client_of(person("olga", f"flow:{parcels.flow}:operate"))


def job_of(parcels: Parcels, wid: int, transition: str = "tr_pack") -> int:
    found = parcels.connection.execute(
        "select id from wedsql.job_pool where wid = %s and trname = %s", [wid, transition]
    ).fetchone()
    assert found is not None
    return int(found[0])


def last(parcels: Parcels, wid: int) -> tuple[str, str, str, str]:
    found = parcels.connection.execute(
        "select trw, actor, reason, status::text from wedsql.wed_trace where wid = %s"
        " order by seq desc limit 1",
        [wid],
    ).fetchone()
    assert found is not None
    return found


def page_of(name: str, wid: int, job: int | None = None) -> str:
    return f"/instances/{wid}/operate/{name}/" + (f"?job={job}" if job else "")


def test_an_instance_is_suspended_and_resumed(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    assert page_of("suspend", wid) in get(olga, f"/instances/{wid}/")
    assert "results of jobs that run now are rejected" in get(olga, page_of("suspend", wid))
    assert "needs a reason" in olga.post(page_of("suspend", wid), {"reason": " "}).content.decode()
    page = olga.post(page_of("suspend", wid), {"reason": "Wait."}, follow=True).content.decode()
    assert "The instance is suspended." in page and page_of("resume", wid) in page
    assert "nothing happens until it is resumed" in page and "/operate/withdraw/" not in page
    assert last(parcels, wid) == ("_SUSPEND", "olga in monitor", "Wait.", "S")
    assert "is suspended already" in olga.post(page_of("suspend", wid), {"reason": "x"}).content.decode()
    olga.post(page_of("resume", wid), {"reason": "Go on."})
    assert last(parcels, wid) == ("_RESUME", "olga in monitor", "Go on.", "R")


def test_withdrawing_says_what_will_happen_and_it_happens(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = job_of(parcels, wid)
    assert page_of("withdraw", wid, job) in get(olga, f"/instances/{wid}/")
    assert "becomes an exception" in get(olga, page_of("withdraw", wid, job))
    page = olga.post(page_of("withdraw", wid), {"reason": "Twice.", "job": job}, follow=True)
    assert "The job is withdrawn." in page.content.decode()
    assert "job withdrawn" in text_of(page.content) or "withdrawn although" in text_of(page.content)
    other = parcels.start()
    job = job_of(parcels, other, "tr_label")
    parcels.do("tr_pack", other, stage="packed")
    assert "no longer holds" in get(olga, page_of("withdraw", other, job))


def test_a_job_is_retried_released_and_prioritized(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = job_of(parcels, wid)
    api.jobs.lease_many(parcels.flow, ["tr_pack"], 1, "ann", conn=parcels.connection)
    assert page_of("release", wid, job) in get(olga, f"/instances/{wid}/")
    olga.post(page_of("release", wid), {"reason": "Lost.", "job": job})
    assert last(parcels, wid)[0] == "_RECOVER:release"
    olga.post(page_of("priority", wid), {"reason": "VIP.", "job": job, "priority": "7"})
    assert last(parcels, wid)[2] == "tr_pack 0 -> 7: VIP."
    parcels.connection.execute(
        "update wedsql.job_pool set not_before = wedsql.now() + interval '1 hour' where id = %s", [job]
    )
    olga.post(page_of("retry", wid), {"reason": "Again.", "job": job})
    assert last(parcels, wid)[:3] == ("_RECOVER:retry", "olga in monitor", "Again.")


def test_what_changed_meanwhile_is_refused(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = job_of(parcels, wid)
    get(olga, page_of("withdraw", wid, job))
    parcels.do("tr_pack", wid, stage="packed")
    answer = olga.post(page_of("withdraw", wid), {"reason": "x", "job": job}).content.decode()
    assert "is no longer pending" in answer and last(parcels, wid)[0] == "tr_pack"
    for odd in ("", "0", "-1", "x", "9" * 30, "\x00", "²"):
        assert olga.post(page_of("withdraw", wid), {"reason": "x", "job": odd}).status_code == 200
    assert olga.get(page_of("nothing", wid)).status_code == 404


def test_a_parked_job_is_retried_by_those_who_may_repair(olga: Client, parcels: Parcels, site: None) -> None:
    wid = parcels.start()
    parcels.park("tr_pack", wid, "broken")
    job = job_of(parcels, wid)
    assert olga.post(page_of("retry", wid), {"reason": "x", "job": job}).status_code == 403
    rita = client_of(person("rita", f"flow:{parcels.flow}:repair"))
    assert rita.post(page_of("retry", wid), {"reason": "x", "job": job}).status_code == 302
    assert last(parcels, wid)[3] == "R"


def test_a_viewer_may_not(carol: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = job_of(parcels, wid)
    assert "/operate/" not in get(carol, f"/instances/{wid}/")
    for name in ("suspend", "resume", "retry", "release", "withdraw", "priority", "extend", "reassign"):
        assert carol.post(page_of(name, wid), {"reason": "x", "job": job}).status_code == 403


def test_a_job_gets_more_time(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = job_of(parcels, wid)
    assert page_of("extend", wid, job) in get(olga, f"/instances/{wid}/")
    assert "also while a worker performs it" in get(olga, page_of("extend", wid, job))
    form = {"reason": "Slow.", "job": job}
    for time, said in (("x", "is no number"), ("0", "more than 0 seconds"), ("31d", "at most 30 days")):
        assert said in text_of(olga.post(page_of("extend", wid), form | {"time": time}).content)
    page = olga.post(page_of("extend", wid), form | {"time": "10m"}, follow=True)
    assert "The time limit is prolonged." in page.content.decode()
    assert last(parcels, wid) == ("_RECOVER:extend", "olga in monitor", "tr_pack +00:10:00: Slow.", "R")


def test_a_job_is_assigned_to_a_worker_and_given_back(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = job_of(parcels, wid)
    assert page_of("reassign", wid, job) in get(olga, f"/instances/{wid}/")
    assert "No worker serves the transition now" in get(olga, page_of("reassign", wid, job))
    serves = [f"{parcels.flow}:tr_pack"]
    worker = api.workers.register("test", "press@hall:7", "hall", 7, serves, conn=parcels.connection)
    assert '<option value="press@hall">' in get(olga, page_of("reassign", wid, job))
    form = {"reason": "Its printer.", "job": job}
    said = text_of(olga.post(page_of("reassign", wid), form | {"to": "x" * 300}).content)
    assert "at most 200 characters" in said
    page = text_of(olga.post(page_of("reassign", wid), form | {"to": "press@hall"}, follow=True).content)
    assert "The job is assigned." in page and "It is assigned to press@hall, by olga in monitor" in page
    assert "no worker of this name" not in page
    assert last(parcels, wid)[2] == "tr_pack * -> press@hall: Its printer."
    api.workers.unregister(worker, conn=parcels.connection)
    assert "no worker of this name serves" in text_of(get(olga, f"/instances/{wid}/"))
    olga.post(page_of("reassign", wid), form | {"to": ""})
    assert last(parcels, wid)[2] == "tr_pack press@hall -> *: Its printer."
    assert "Assigned to" not in text_of(get(olga, f"/instances/{wid}/"))


def test_jobs_that_are_assigned_to_a_worker_that_is_gone_are_seen(olga: Client, parcels: Parcels) -> None:
    """On the overview and by the filter of what no worker serves, though another worker serves the rest."""
    wids = parcels.start_many(2)
    serves = [f"{parcels.flow}:{name}" for name in ("tr_pack", "tr_label", "tr_send", "tr_lost")]
    worker = api.workers.register("test", "press", "hall", 7, serves, conn=parcels.connection)
    unserved = f"/flows/{parcels.flow}/?q=is:unserved&exact=1"
    assert "No instance" in text_of(get(olga, unserved)) and "All is well" in text_of(get(olga, "/"))
    api.operations.reassign_job(wids[0], job_of(parcels, wids[0]), "gone", "x", conn=parcels.connection)
    assert f"/instances/{wids[0]}/" in get(olga, unserved) and f"/instances/{wids[1]}/" not in get(
        olga, unserved
    )
    parcels.connection.execute(
        "update wedsql.job_pool set assigned_at = assigned_at - interval '1 minute' where wid = %s", [wids[0]]
    )
    said = f"No worker gone, to which jobs of Pack it of {parcels.flow} are assigned"
    assert said in text_of(get(olga, "/"))
    api.workers.unregister(worker, conn=parcels.connection)
