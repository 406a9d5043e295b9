"""Two sessions that create the same at once: one thing is created, and no limit is passed (K-14)."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from flows.tests.kit import Connection, Kit
from testkit.waiting import until

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

ALERT = {"name": "%s", "kind": "exception_age", "sign": ">", "threshold": 1}
SLA = {"name": "%s", "start_when": "a = '1'", "stop_when": "a = '2'", "duration": 3600}
HOURS = {str(day): [["08:00", "16:00"]] for day in range(1, 6)}
CALENDAR = {"name": "%s", "zone": "UTC", "hours": HOURS}
WEBHOOK = {"url": "https://example.org/%s", "secret": "s", "events": ["final"]}
SAVED = "select wedsql.{}({{n}}, %s, 'ann')"

# What creates something with a name, or up to a limit: the call, with one parameter for its name, and the
# table and condition by which what there is of the owner is counted, with the limit. A text says why a
# function needs no such test.
CREATES: dict[str, tuple[str, Any, str, int] | str] = {
    "save_alert_rule": (SAVED.format("save_alert_rule"), ALERT, "alert_rule t where flow_id = %(flow)s", 100),
    "save_sla": (SAVED.format("save_sla"), SLA, "sla t where flow_id = %(flow)s", 20),
    "save_calendar": (SAVED.format("save_calendar"), CALENDAR, "calendar t where flow_id = %(flow)s", 20),
    "save_webhook": (SAVED.format("save_webhook"), WEBHOOK, "webhook t where flow_id = %(flow)s", 20),
    "save_case_digest": ("select wedsql.save_case_digest(7, {n}, %s, 'day', 'en', 8)", "%s",
                         "case_digest t where user_id = 7", 50),
    "set_absence": ("select wedsql.set_absence('ana', %s, current_date + 2, current_date + 3, 'ana')", "%s",
                    "absence t where person = 'ana'", 20),
    "save_view": ("select wedsql.save_view('ann', {n}, %s, '')", "%s",
                  "saved_view t where owner = 'ann'", 200),
    "signal": ("select wedsql.signal({n}, 'wait', p_key => 'none', p_token => %s)", "%s",
               "signal t where flow_id = %(flow)s", 100),
    "request_index": ("select wedsql.request_index({n}, %s)", "i%s",
                      "attr_index t where flow_id = %(flow)s", 10),
    "open_draft": ("select wedsql.open_draft({n}, %s)", "d%s", "draft t where flow = {n}", 20),
    "save_scenario": ("select wedsql.save_scenario({n}, %s, 0, jsonb_build_object('story', '', 'attributes',"
                      " '{}'::jsonb, 'steps', jsonb_build_array(jsonb_build_object('do', 'start'))))", "%s",
                      "scenario t where flow = {n}", 200),
    "save_named_objects": ("select wedsql.save_named_objects({n}, %s, 'ann')", [
        {"kind": "condition", "name": "%s", "content": {"predicate": "a = '1'"}}],
        "named_object t where flow_id = %(flow)s", 0),
    "acknowledge_finding": ("select wedsql.acknowledge_finding({n}, %s, 0, 'So.', 'ann')", "x-00000000000%s",
                            "acknowledgement t where flow = {n}", 0),
    "create_worker_key": ("select wedsql.create_worker_key(%s, jsonb_build_object({n}, '[]'::jsonb))", "k%s",
                          "worker_key t where name like 'k%%'", 0),
    "submit_definition": ("select wedsql.submit_definition(%s, jsonb_build_object('triggers', '[]'::jsonb,"
                          " 'attributes', jsonb_build_array(jsonb_build_object('name', 'a'))))",
                          "submitted_%s", "flow t where name like 'submitted%%'", 0),
    "create_flow": ("select wedsql.create_flow(%s)", "created_%s", "flow t where name like 'created%%'", 0),
}  # fmt: skip
"""A limit of 0: there is none that a test can reach, and only the name is tried."""
KNOWN = "the row is locked, or written by `on conflict`"
CREATES |= {
    "approve_repair": "the proposal is locked", "reject_repair": "the proposal is locked",
    "approve_as_administrator": "the proposal is locked", "delegate_approvals": "each call is one of its own",
    "request_bulk": "each call is one of its own", "save_case_rules": "the flow's row is locked",
    "save_policies": "the flow's row is locked", "attach_case_file": "the case is locked",
    "queue_case_digest": KNOWN, "preview_repair": "it is rolled back", "fail_task": "the task is locked",
    "keep_task_draft": "the task is locked", "set_task_settings": "the instance is locked",
    "extend_task_deadline": "the task is locked", "person_seen": KNOWN,
    "test_webhook": "the webhook is locked",
    "queue_webhook_steps": "the webhook is locked", "fill_vocabulary": "an installation is alone",
    "watch": "each call is one of its own", "release": "the job is locked",
    "fail_many": "the jobs are locked",
    "release_job": "the job is locked", "keep_source": KNOWN, "keep_draft_source": KNOWN,
    "prepare_filter": KNOWN,
    "register_worker": KNOWN, "reap": KNOWN, "check_invariants": KNOWN, "report_disk": KNOWN,
    "check_commit": KNOWN, "count_times": KNOWN,
    "set_task_list": KNOWN, "attach_task_file": "the flow is locked",
    "attach_offline_file": "the device and the flow are locked", "_find_follower": "the device is locked",
    "place_task": "the places of the person are locked",
    "queue_message_mail": "the mail is locked", "read_package": "the device is locked",
    "prefetch_package": "the device is locked", "share_package": "the device is locked",
    "give_offline_result": "the device is locked",
    "keep_installation": KNOWN, "hand_over": "the instance is locked", "take_back": "the instance is locked",
    "save_peer": "installations are registered one after another",
    "receive_package": "the moves of an instance wait for each other",
    "receive_decision": "the moves of an instance wait for each other",
    "receive_receipt": "the instance is locked",
    "go_offline": "the device and the tasks are locked",
    "keep_offline_result": "the device is locked", "skip_offline_results": "the device is locked",
}  # fmt: skip
AGAIN = {"submit_definition", "save_named_objects", "save_webhook"}
"""What creates what is missing: two at once are both right."""
TRIED = {name: given for name, given in CREATES.items() if not isinstance(given, str)}


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b", *(f"i{n}" for n in range(12)))
    kit.trig("tr_x", "a = '1'")
    kit.trig("wait", "a = '2'", signal=True, keep="1 day")
    kit.final("a = 'end'")
    return kit


def call(kit: Kit, name: str, number: int, conn: Connection | None = None) -> str:
    """Create a thing of this number, and return the SQLSTATE with which that was rejected, else ''."""
    statement, value, _table, _limit = TRIED[name]
    try:
        kit.rows(statement, [_named(value, number)], conn)
    except psycopg.Error as error:
        return error.sqlstate or "?"
    return ""


def _named(value: Any, number: int) -> Any:
    if isinstance(value, str):
        return value.replace("%s", str(number))
    text = Jsonb(value).obj
    return Jsonb(_filled(text, number))


def _filled(value: Any, number: int) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, number) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, number) for each in value]
    return value.replace("%s", str(number)) if isinstance(value, str) else value


def count(kit: Kit, name: str) -> int:
    table = TRIED[name][2].replace("%(flow)s", str(kit.id)).replace("%%", "%")
    return int(kit.one(f"select count(*) from wedsql.{table.replace('{n}', repr(kit.name))}"))


def at_once(kit: Kit, name: str, first: int, second: int) -> list[str]:
    """Create two things by two sessions at once: the first commits while the second waits, if it does."""
    one, two = kit.connect(), kit.connect()
    found: list[str] = []
    pid = two.info.backend_pid
    with one.transaction():
        found.append(call(kit, name, first, one))
        thread = threading.Thread(target=lambda: found.append(call(kit, name, second, two)))
        thread.start()
        until(lambda: not thread.is_alive()
              or kit.one("select cardinality(pg_blocking_pids(%s)) > 0", [pid]), 30, "neither")  # fmt: skip
    thread.join()
    return found


def test_each_function_that_creates_is_tried_or_needs_no_test(shop: Kit) -> None:
    found = shop.rows(
        "select proname from pg_proc where pronamespace = 'wedsql'::regnamespace and proname !~ '^_'"
        " and prosrc ~ 'insert into wedsql[.]' and prorettype <> 'trigger'::regtype"
    )
    assert {each.proname for each in found} <= {*CREATES}, "add it to CREATES"


@pytest.mark.parametrize("name", TRIED)
def test_the_same_is_created_once(shop: Kit, name: str) -> None:
    before = count(shop, name)
    found = at_once(shop, name, 1, 1)
    assert found[0] == "" and (found[1] == "" or found[1].startswith("WD")), found
    assert found[1] == "" or name not in AGAIN, "what is there already is what was asked for"
    assert count(shop, name) - before == (2 if name == "save_webhook" else 1)


@pytest.mark.parametrize("name", [name for name, given in TRIED.items() if given[3]])
def test_no_limit_is_passed_by_two_at_once(shop: Kit, name: str) -> None:
    limit = TRIED[name][3]
    done = count(shop, name)
    for number in range(2, 2 + limit - 1 - done):
        assert call(shop, name, number) == ""
    assert count(shop, name) == limit - 1
    found = at_once(shop, name, 300, 301) if name != "request_index" else at_once(shop, name, 0, 11)
    assert found[0] == "" and found[1].startswith("WD"), found
    assert count(shop, name) == limit


def test_a_calendar_is_not_removed_while_an_sla_that_uses_it_is_saved(shop: Kit) -> None:
    number = shop.one("select wedsql.save_calendar({n}, %s, 'ann') -> 'id'", [Jsonb(CALENDAR)])
    shop.clock("0 seconds")
    one, two = shop.connect(), shop.connect()
    found: list[str] = []

    def remove() -> None:
        try:
            shop.rows("select wedsql.delete_calendar({n}, %s)", [number], two)
        except psycopg.Error as error:
            found.append(error.sqlstate or "?")

    thread = threading.Thread(target=remove)
    with one.transaction():
        sla = Jsonb(SLA | {"calendar": "%s"})
        shop.rows("select wedsql.save_sla({n}, %s, 'ann')", [sla], one)
        thread.start()
        blocked = "select cardinality(pg_blocking_pids(%s)) > 0"
        until(lambda: not thread.is_alive() or shop.one(blocked, [two.info.backend_pid]), 30, "neither")
    thread.join()
    assert found == ["WD512"]
