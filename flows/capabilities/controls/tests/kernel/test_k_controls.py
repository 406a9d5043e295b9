"""The changes of controls are kept for auditors, whoever makes them and by whatever door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from flows import api
from flows.capabilities.alerts.api import AlertRule
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.cases.api import CaseRule
from flows.capabilities.controls.api import AskedControls, ControlChange
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.capabilities.sla.api import Calendar, Sla
from flows.capabilities.webhooks.api import Webhook
from flows.tests.kit import Connection, Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
SITE = ("wed_web", "wed_worker", "wed_reaper", "wed_monitor", "wed_view")
HOOK = Webhook("https://example.org/", ("final",), secret="old-secret")
RULE = ApprovalRule(1, title="Large", condition="a = '9'", approvers="finance")
# Tables of the kernel that control nothing: what they have instead.
NONE = {
    "runs of instances": (
        "instance job_pool job_log timer wed_trace wed_trace_default recovery skipped repaired late_result"
        " child child_job signal task task_draft care condition_error_sum condition_failure lock_seen trouble"
        " applying commit_by task_setting task_watch device_package device_result instance_number"
        " task_performers host_use task_application task_file file_content moved moved_job move"
    ),
    "the record itself, and others that only grow": "control_change look proposal_vote table_change",
    "work of people, which has its own history": (
        "repair_case case_event case_file proposal proposal_person bulk bulk_row alert alert_event delivery"
    ),
    "definitions: each version is kept, with who published it": (
        "trig flow_version flow_source draft draft_base draft_revision publication named_object scenario"
        " acknowledgement item_order rematch_run rematch_held attr_index start_time"
    ),
    "lists and mails of one's own": "saved_view case_digest message absence task_list task_place",
    "computed": (
        "calendar_span sla_clock sla_state figure figure_state figure_timing timing policy_run policy_wait"
        " worker_key_use filter_predicate failure failure_flow failure_hour failure_instance"
    ),
    "processes": "worker paper_client watch disk beat person device",
    "written by the installation": "refusal vocabulary",
}


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = '2'")
    return kit


@pytest.fixture
def changes(shop: Kit) -> Iterator[Callable[..., list[ControlChange]]]:
    """Return the changes of one control of the flow since the test began, the oldest first."""
    since = max((each.id for each in api.controls.list_changes(limit=1, conn=shop.conn)), default=0)

    def read(control: str, conn: Connection | None = None) -> list[ControlChange]:
        asked = AskedControls(flow=shop.name, control=control)
        found = api.controls.list_changes(asked, limit=1000, conn=conn or shop.conn)
        return [each for each in reversed(found) if each.id > since]

    yield read


Changes = Callable[..., list[ControlChange]]


def test_every_table_is_a_control_or_has_a_reason_not_to_be_one(shop: Kit) -> None:
    found = {
        name
        for (name,) in shop.rows(
            "select c.relname::text from pg_class c where c.relnamespace = 'wedsql'::regnamespace"
            " and c.relkind in ('r', 'p') and c.relowner = 'wed_owner'::regrole"
            " and (not c.relispartition or c.relname = 'wed_trace_default')"
        )
    }
    none = [name for names in NONE.values() for name in names.split()]
    controls = set(api.controls.list(conn=shop.conn))
    assert len(none) == len(set(none)) and not controls & set(none)
    assert found - controls == set(none)
    triggers = shop.rows(
        "select c.relname::text, count(*) from pg_trigger t join pg_class c on c.oid = t.tgrelid"
        " where t.tgfoid = 'wedsql._record_control()'::regprocedure and t.tgenabled = 'O' group by 1"
    )
    assert {name for name, count in triggers if count == 3} == controls & found


def test_each_column_is_recorded_or_listed_as_measured(shop: Kit) -> None:
    listed = shop.rows(
        "select c.name, k from wedsql._controls() c, unnest(c.key || c.ignored || c.secret || c.kept) k"
        " where to_regclass('wedsql.' || c.name) is not null"
        " and not exists (select from pg_attribute a where a.attname = k"
        "                 and a.attrelid = ('wedsql.' || c.name)::regclass)"
    )
    assert listed == [], "a column of this name is not there"


def empty(shop: Kit, maker: str, conn: Connection) -> None:
    """Delete the rules, by a proposal of one person that another one approves."""
    made = api.approvals.propose_rules(shop.name, [], "Why.", actor=maker, conn=conn)
    assert api.approvals.approve(made.number, "eve", made.approvers, conn=conn).state == "applied"


def test_rules_that_are_emptied_used_and_put_back_leave_a_trace(shop: Kit, changes: Changes) -> None:
    web = shop.connect("wed_web")
    api.approvals.save_rules(shop.name, [RULE], "ann", conn=web)
    empty(shop, "bob", web)
    api.approvals.save_rules(shop.name, [RULE], "bob", conn=web)
    first, emptied, back = changes("approval_rule", web)
    assert (first.actor, first.before, emptied.actor, emptied.after) == ("ann", None, "bob", None)
    assert first.after == emptied.before == back.after
    assert first.after is not None and first.after["condition"] == "a = '9'" and back.actor == "bob"
    assert (first.role, first.flow, first.item) == ("wed_web", shop.name, "1")
    assert "approvals" in emptied.different


def test_what_is_saved_again_unchanged_is_no_change(shop: Kit, changes: Changes) -> None:
    two = ApprovalRule(1, title="Larger")
    api.approvals.save_rules(shop.name, [RULE, two], "ann", conn=shop.conn)
    api.approvals.save_rules(shop.name, [RULE, two], "bob", conn=shop.conn)
    assert [each.actor for each in changes("approval_rule")] == ["ann", "ann"]
    api.approvals.save_rules(shop.name, [RULE, ApprovalRule(2, title="Larger")], "bob", conn=shop.conn)
    *_old, last = changes("approval_rule")
    assert (last.actor, last.item, last.different) == ("bob", "2", ["approvals"])
    assert last.before is not None and last.before["approvals"] == 1
    assert last.after == {**last.before, "approvals": 2}


def test_a_change_that_is_rolled_back_is_not_recorded(shop: Kit, changes: Changes) -> None:
    with refused("WD521"):
        api.approvals.save_rules(shop.name, [RULE, ApprovalRule(1, attributes=("zz",))], "x", conn=shop.conn)
    assert changes("approval_rule") == []


def _alert(kit: Kit, conn: Connection) -> None:
    rule = AlertRule(name="many", kind="count", sign=">", query="status:running", threshold=3)
    made = api.alerts.save_rule(kit.name, rule, "ann", conn=conn)
    api.alerts.silence(made.id, datetime.now(UTC) + timedelta(hours=1), "bob", conn=conn)
    api.alerts.delete_rule(made.id, "eve", conn=conn)


def _webhook(kit: Kit, conn: Connection) -> None:
    made = api.webhooks.save(kit.name, HOOK, "ann", conn=conn)
    api.webhooks.save(kit.name, replace(HOOK, url="https://other.org/"), "bob", made.id, conn=conn)
    api.webhooks.delete(made.id, "eve", conn=conn)


def _sla(kit: Kit, conn: Connection) -> None:
    made = api.sla.save(kit.name, Sla("fast", 3600), "ann", conn=conn)
    api.sla.save(kit.name, Sla("fast", 9999), "bob", made.id, conn=conn)
    api.sla.delete(kit.name, made.id, "eve", conn=conn)


def _calendar(kit: Kit, conn: Connection) -> None:
    hours = {"1": [["09:00", "17:00"]]}
    made = api.sla.save_calendar(kit.name, Calendar("week", "UTC", hours), "ann", conn=conn)
    later = Calendar("week", "UTC", {"1": [["10:00", "17:00"]]})
    api.sla.save_calendar(kit.name, later, "bob", made.id, conn=conn)
    api.sla.delete_calendar(kit.name, made.id, "eve", conn=conn)


def _delegation(kit: Kit, conn: Connection) -> None:
    until = datetime.now(UTC) + timedelta(days=1)
    made = api.approvals.delegate(kit.name, "ann", "cleo", until, actor="ann", conn=conn)
    api.approvals.end_delegation(made.id, actor="bob", conn=conn)


def _case_rules(kit: Kit, conn: Connection) -> None:
    api.cases.save_rules(kit.name, [CaseRule("q", priority=9)], "ann", conn=conn)
    api.cases.save_rules(kit.name, [CaseRule("q", priority=8)], "bob", conn=conn)
    api.cases.save_rules(kit.name, [], "eve", conn=conn)


def _policies(kit: Kit, conn: Connection) -> None:
    one = RecoveryPolicy("again", "retry", times=1, cause="ATTEMPTS")
    api.repairs.save_policies(kit.name, [one], "ann", conn=conn)
    api.repairs.save_policies(
        kit.name, [RecoveryPolicy("again", "retry", times=2, cause="ATTEMPTS")], "bob", conn=conn
    )
    api.repairs.save_policies(kit.name, [], "eve", conn=conn)


WAYS: dict[str, Callable[[Kit, Connection], None]] = {
    "alert_rule": _alert, "webhook": _webhook, "sla": _sla, "calendar": _calendar,
    "delegation": _delegation, "case_rule": _case_rules, "recovery_policy": _policies,
}  # fmt: skip


@pytest.mark.parametrize("control", WAYS)
def test_each_change_has_its_author_with_what_was_before_and_after(
    shop: Kit, changes: Changes, control: str
) -> None:
    web = shop.connect("wed_web")
    WAYS[control](shop, web)
    found = changes(control, web)
    assert [each.actor for each in found] == ["ann", "bob", "eve"][: len(found)] and len(found) > 1
    assert found[0].before is None and found[1].before == found[0].after
    assert found[1].different and (len(found) == 2 or found[2].after is None)
    assert {each.role for each in found} == {"wed_web"}


def test_no_secret_is_in_a_record_but_that_it_changed_is(shop: Kit, changes: Changes) -> None:
    made = api.webhooks.save(shop.name, HOOK, "ann", conn=shop.conn)
    shop.rows("update wedsql.webhook set secret = 'hush-hush' where id = %s", [made.id])
    added, changed = changes("webhook")
    assert not {"old-secret", "hush-hush"} & {*str([added, changed]).split("'")} and changed.different == [
        "secret"
    ]


def test_what_the_reaper_measures_is_no_change(shop: Kit, changes: Changes) -> None:
    rule = AlertRule(name="many", kind="count", sign=">", query="status:running", threshold=3)
    api.alerts.save_rule(shop.name, rule, "ann", conn=shop.conn)
    shop.rows("update wedsql.alert_rule set value = 7, measured_at = now(), since = now(), next_at = now()")
    assert len(changes("alert_rule")) == 1


def test_visibility_and_options_of_the_flow_are_recorded(shop: Kit, changes: Changes) -> None:
    web = shop.connect("wed_web")
    with web.transaction():
        web.execute("select set_config('wedsql.actor', 'dora', true)")
        web.execute("update wedsql.attr set visibility = 'hidden' where flow_id = %s", [shop.id])
    with web.transaction():
        web.execute("select set_config('wedsql.actor', 'dora', true)")
        web.execute("update wedsql.flow set worker_keys = true where id = %s", [shop.id])
    (attr,), (flow,) = changes("attr", web), changes("flow", web)
    assert (attr.actor, attr.different, attr.after and attr.after["visibility"]) == (
        "dora", ["visibility"], "hidden",
    )  # fmt: skip
    assert (flow.actor, flow.different) == ("dora", ["worker_keys"])


def test_keys_of_workers_are_recorded_with_their_names(shop: Kit, changes: Changes) -> None:
    name = f"key-{shop.name}"[:40]
    api.workers.create_key(name, {shop.name: []}, actor="ann", conn=shop.conn)
    api.workers.rotate_key(name, "bob", conn=shop.conn)
    api.workers.revoke_key(name, "lost", actor="eve", conn=shop.conn)
    (scope,) = changes("worker_key_flow")
    assert scope.after is not None and scope.after["key"] == name
    asked = AskedControls(control="worker_key")
    last, first, *_rest = api.controls.list_changes(asked, conn=shop.conn)
    assert (first.actor, last.actor, last.after and last.after["revoked_for"]) == ("ann", "eve", "lost")
    secrets = api.controls.list_changes(AskedControls(control="worker_secret"), limit=3, conn=shop.conn)
    assert [each.actor for each in secrets] == ["bob", "bob", "ann"]
    assert all("digest" not in each.different or each.before is None for each in secrets)


@pytest.mark.parametrize(
    "change",
    [
        "update wedsql.control_change set actor = 'x'",
        "delete from wedsql.control_change",
        "truncate wedsql.control_change",
        "insert into wedsql.control_change (at, control, item, actor, role, xid, began_at)"
        " values (now(), 'sla', '1', 'x', 'x', 1, now())",
        "select * from wedsql.control_change",
        "alter table wedsql.approval_rule disable trigger all",
        "drop trigger z_control_deleted on wedsql.approval_rule",
    ],
)
def test_no_role_changes_what_is_recorded(change: str, shop: Kit, changes: Changes) -> None:
    api.approvals.save_rules(shop.name, [RULE], "ann", conn=shop.conn)
    for role in SITE:
        with refused("42501"), shop.conn.transaction():
            shop.rows(f"set local role {role}")
            shop.rows(change)
    if change.startswith(("update", "delete", "truncate")):  # not even its owner, nor its transaction
        with refused("WD551"):
            shop.rows(change)
        with refused("WD551"), shop.conn.transaction():
            empty(shop, "bob", shop.conn)
            shop.rows(change)
    assert [each.actor for each in changes("approval_rule")] == ["ann"]


def test_only_the_web_reads_them(shop: Kit) -> None:
    for role in SITE[1:4]:
        with refused("42501"):
            api.controls.list_changes(conn=shop.connect(role))
    with refused("WD551"):
        shop.rows("select wedsql.list_control_changes('{\"wid\": 1}')")


def test_pages_of_records_follow_each_other(shop: Kit) -> None:
    for n in range(1, 8):
        rule = CaseRule("q", priority=n)
        api.cases.save_rules(shop.name, [rule], "ann", conn=shop.conn)
    asked, seen, before = AskedControls(flow=shop.name, control="case_rule"), [], None
    while found := api.controls.list_changes(asked, before=before, limit=3, conn=shop.conn):
        seen += [each.after and each.after["priority"] for each in found]
        before = found[-1].id
    assert seen == [7, 6, 5, 4, 3, 2, 1]


def test_records_outlive_the_flow_with_its_name(shop: Kit, changes: Changes) -> None:
    api.approvals.save_rules(shop.name, [RULE], "ann", conn=shop.conn)
    shop.rows("select set_config('wedsql.actor', 'dan', false)")
    api.flows.drop(shop.name, force=True, conn=shop.conn)
    made, dropped = changes("approval_rule")
    assert (made.after, dropped.before, dropped.after) == (dropped.before, made.after, None)
    assert changes("flow")[-1].after is None and changes("flow")[-1].before is not None
