"""The health page: which invariants hold, which instances violate them, and the state of the database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from flows import api, kernel
from flows.queries.server import invariants, storage
from flows.tests.pages import unique
from monitor import labels
from monitor.tests.conftest import Parcels, client_of, person, text_of
from testkit.slow import slow_statements

FORGET = "delete from wedsql.beat where name = 'invariants'"


@pytest.fixture
def unchecked(parcels: Parcels) -> Iterator[Parcels]:
    parcels.connection.execute(FORGET)
    yield parcels
    parcels.connection.execute(FORGET)


def shown(client: Client) -> str:
    return text_of(client.get("/health/").content)


def test_a_check_runs_on_request_and_its_result_is_shown(alice: Client, unchecked: Parcels) -> None:
    unchecked.start()
    assert "They have not been checked yet." in shown(alice) and "not checked" in shown(alice)
    answer = alice.post("/health/check/", {"scope": "sample"}, follow=True)
    page = text_of(answer.content)
    assert answer.redirect_chain == [("/health/", 302)]
    assert "All hold." in page and "newest and the longest waiting instances" in page, page
    assert page.count("✓ holds") == len(labels.INVARIANT)
    alice.post("/health/check/", {"scope": "all"})
    assert "on every instance" in shown(alice)


def test_instances_that_violate_an_invariant_are_named_and_linked(alice: Client, unchecked: Parcels) -> None:
    wids = [unchecked.start() for _ in range(invariants.EXAMPLES + 3)]
    unchecked.connection.execute("delete from wedsql.job_pool where wid = any(%s)", [wids])
    alice.post("/health/check/", {"scope": "sample"})
    html = alice.get("/health/").content.decode()
    page = text_of(html)
    assert "invariants are broken" in page and "! broken" in page and str(len(wids)) in page
    linked = [wid for wid in wids if f'href="/instances/{wid}/"' in html]
    assert len(linked) == invariants.EXAMPLES, "the first ones, and not all of them"
    assert alice.get(f"/instances/{linked[0]}/").status_code == 200


def test_opening_the_page_checks_nothing(alice: Client, unchecked: Parcels) -> None:
    alice.get("/health/")
    assert invariants.last_check() is None
    assert alice.get("/health/check/").status_code == 405


def test_only_users_who_see_every_flow_see_the_page(
    alice: Client, carol: Client, mallory: Client, unchecked: Parcels, site: None
) -> None:
    reader = client_of(person("reader", permission="view_flow"))
    who = (alice, reader, carol, mallory)
    assert [c.get("/health/").status_code for c in who] == [200, 200, 404, 404]
    assert [b'href="/health/"' in c.get("/").content for c in who] == [True, True, False, False]
    for client, code in ((carol, 404), (mallory, 404), (Client(), 302)):
        assert client.post("/health/check/", {"scope": "all"}).status_code == code
    assert invariants.last_check() is None
    assert Client().get("/health/")["Location"].startswith("/accounts/login/")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = alice.cookies
    assert strict.post("/health/check/", {"scope": "all"}).status_code == 403


def test_a_check_that_takes_too_long_is_reported(alice: Client, unchecked: Parcels) -> None:
    with slow_statements("wedsql.check_invariants"):
        page = text_of(alice.post("/health/check/", {"scope": "all"}, follow=True).content)
    assert "The check timed out after 30 seconds" in page and invariants.last_check() is None


def test_two_checks_do_not_run_at_once(alice: Client, unchecked: Parcels) -> None:
    with unchecked.connection.transaction():
        unchecked.connection.execute("select wedsql.check_invariants(1)")
        page = text_of(alice.post("/health/check/", {"scope": "sample"}, follow=True).content)
    assert "Another check is running" in page


def test_every_invariant_and_warning_has_a_label(site: None, parcels: Parcels) -> None:
    kernel = parcels.connection.execute("select name from wedsql.violations(0)").fetchall()
    assert [(name,) for name in labels.INVARIANT] == kernel
    assert set(labels.WARNING) == set(storage.WARNINGS)


def test_the_storage_is_shown(alice: Client, unchecked: Parcels) -> None:
    page = shown(alice)
    assert "wedsql.job_pool" in page and "300,0" in page


GOOD = storage.StorageStatus(
    database_bytes=1,
    tables=(storage.Table("t", 10, 10, 300_005, 1, None),),
    vacuum_blocker=None,
    months_ahead=2,
    in_default=0,
    steps=0,
    queue_usage=0.0,
)
BAD = {
    "dead_rows": {"tables": (storage.Table("t", 10, 300_006, 300_005, 1, None),)},
    "held_back": {"vacuum_blocker": storage.VacuumBlocker("transaction", "x", timedelta(minutes=6))},
    "months": {"months_ahead": 0},
    "in_default": {"in_default": 1},
    "queue": {"queue_usage": 0.2},
}


@pytest.mark.parametrize("kind", storage.WARNINGS)
def test_each_storage_problem_has_a_warning(kind: str) -> None:
    assert list(GOOD.warnings()) == []
    assert list(replace(GOOD, **BAD[kind]).warnings()) == [kind]


def test_normal_storage_has_no_warning() -> None:
    blocker = storage.VacuumBlocker("transaction", "x", timedelta(minutes=4))
    assert list(replace(GOOD, vacuum_blocker=blocker).warnings()) == []
    blocker = storage.VacuumBlocker("slot", "x", None)
    assert list(replace(GOOD, vacuum_blocker=blocker).warnings()) == ["held_back"]


@pytest.mark.parametrize("kind", [None, *storage.WARNINGS])
def test_the_page_warns_of_that_and_of_nothing_else(
    alice: Client, unchecked: Parcels, monkeypatch: pytest.MonkeyPatch, kind: str | None
) -> None:
    monkeypatch.setattr(storage, "storage_status", lambda: replace(GOOD, **BAD[kind]) if kind else GOOD)
    page = unescape(shown(alice))
    assert [word for word, sentence in labels.WARNING.items() if str(sentence) in page] == [kind][
        : bool(kind)
    ]


# The text of each section above the page, and a change of the database that makes it appear.
TOP = {
    "nearly full": "select wedsql.report_disk(49, 1000)",
    "The reaper is silent": "update wedsql.beat set seen_at = now() - interval '31 seconds'"
    " where name = 'reaper'",
    "set back": "update wedsql.beat set detail = jsonb_build_object('latest', now() + interval '20 seconds')"
    " where name = 'reaper'",
    "Keep the database": "update wedsql.beat set detail = jsonb_set(detail, '{findings,0,found}', '1')"
    " where name = 'invariants'",
}


@pytest.mark.parametrize("wrong", [None, *TOP])
def test_each_section_is_there_when_it_must_be_and_alone(
    alice: Client, unchecked: Parcels, wrong: str | None
) -> None:
    unchecked.start()
    conn = unchecked.connection
    conn.execute("select wedsql.report_disk(51, 1000)")
    conn.execute("select wedsql.reap()")
    conn.execute("select wedsql.check_invariants(1)")
    try:
        conn.execute(TOP[wrong] if wrong else "select 1")
        page = shown(alice)
    finally:
        conn.execute("delete from wedsql.disk; delete from wedsql.beat")
    assert [sentence for sentence in TOP if sentence in page] == [wrong][: bool(wrong)]


def test_rights_that_the_server_withholds_are_named(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "pg_signal_backend" not in shown(alice)
    monkeypatch.setattr(kernel, "SERVER_RIGHTS", ("pg_signal_backend", "pg_write_server_files"))
    page = shown(alice)
    assert "grant pg_write_server_files to wed_owner;" in page and "pg_signal_backend" not in page


def test_the_health_page_shows_the_resources_of_the_process(alice: Client, parcels: Parcels) -> None:
    page = text_of(alice.get("/health/").content)
    assert "Database connections in use no pool" in page and "Requests under way" in page
    assert "Open files" in page and "Memory" in page


def test_what_the_reaper_cannot_do_is_shown_with_flow_and_reason(alice: Client, unchecked: Parcels) -> None:
    wid = unchecked.start()
    assert "The reaper cannot do everything" not in shown(alice)
    unchecked.connection.execute(
        "select count(*) from wedsql.lease(%s, '{tr_pack}', 1, 'bob', interval '1 millisecond',"
        " array(select id from wedsql.job_pool where wid = %s))", [unchecked.flow, wid]
    )  # fmt: skip
    poison = (
        "create function public.poison() returns trigger language plpgsql as"
        " $$ begin raise exception 'a poisoned item'; end $$;"
        " create trigger poison after insert on wedsql.job_log for each row execute function public.poison()"
    )
    unchecked.connection.execute(poison)
    try:
        unchecked.connection.execute("select wedsql.reap()")
        page = shown(alice)
        metrics = alice.get("/metrics").content.decode()
    finally:
        unchecked.connection.execute("drop trigger poison on wedsql.job_log; drop function public.poison()")
    for words_of_it in (unchecked.flow, "An expired lease is not given back", f"instance {wid}"):
        assert words_of_it in page
    assert "P0001 a poisoned item" in page and "1 try" in page
    assert f'wedsql_reaper_troubles{{flow="{unchecked.flow}",kind="expired"}} 1' in metrics
    unchecked.connection.execute("update wedsql.trouble set retry_at = now()")
    unchecked.connection.execute("select wedsql.reap()")
    assert "The reaper cannot do everything" not in shown(alice)


def test_a_role_of_tasks_that_no_user_has_is_shown_with_its_flow(alice: Client, unchecked: Parcels) -> None:
    name = unique("claims")
    api.flows.create(name)
    task = {"transition": "look", "predicate": "a is null", "performer": "person", "role": "Night <shift>"}
    done = {"predicate": "a is not null", "final": True}
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": [task, done]})
    try:
        html = alice.get("/health/").content.decode()
        assert "Night &lt;shift&gt;" in html and f'href="/flows/{name}/"' in html
        assert re.search(r"\d+ roles? of tasks ha(s|ve) no user who may log in\.", text_of(html.encode()))
        user = person("nina", "role:Night <shift>")
        assert "Night &lt;shift&gt;" not in alice.get("/health/").content.decode()
        user.is_active = False
        user.save()
        assert "Night &lt;shift&gt;" in alice.get("/health/").content.decode(), (
            "one who is locked performs nothing"
        )
    finally:
        api.flows.drop(name, force=True)
