"""Publishing a changed definition: dry run, counts, re-match, and errors that change nothing.

K-17, K-20, K-21, K-42, K-54.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused
from flows.types import Completion, PublishReport

pytestmark = pytest.mark.kernel
Change = Callable[[dict[str, Any]], Any]

BASE: dict[str, Any] = {
    "attributes": [{"name": "a"}, {"name": "b"}, {"name": "unused"}],
    "triggers": [
        {"name": "one", "transition": "tr_one", "condition": "c1", "predicate": "a = '1'"},
        {"name": "two", "transition": "tr_two", "condition": "c2", "predicate": "b = '1'"},
        {"predicate": "a = 'end'", "final": True},
    ],
}


@pytest.fixture
def base(kit: Kit) -> Kit:
    """A published flow with one instance of each kind: running, exception, final, cancelled.

    Their numbers are in kit.wids.
    """
    kit.publish(BASE)
    running, stuck, final, cancelled = (kit.start(a=a) for a in ("1", "1", "end", "1"))
    kit.run("tr_one", stuck, a="lost")
    api.instances.cancel(cancelled, "not wanted", conn=kit.conn)
    kit.wids = (running, stuck, final, cancelled)  # type: ignore[attr-defined]
    return kit


def wids(kit: Kit) -> tuple[int, int, int, int]:
    """Return the numbers of the running, stuck, final and cancelled instance."""
    return kit.wids  # type: ignore[attr-defined,no-any-return]


def published(kit: Kit, change: Change | None = None, **options: Any) -> PublishReport:
    """Publish the base definition with a change."""
    definition = copy.deepcopy(BASE)
    if change:
        change(definition)
    return api.flows.publish(kit.name, definition, conn=kit.conn, **options)


def new_trigger(definition: dict[str, Any]) -> None:
    """Add a trigger that matches the running, the stuck and the cancelled instance."""
    definition["triggers"].append({"name": "new", "transition": "tr_new", "predicate": "a in ('1', 'lost')"})


def everything(kit: Kit) -> list[Any]:
    """Return everything that a publish may change, for comparison."""
    return [
        kit.rows("select * from wedsql.attr where flow_id = %s order by aid", [kit.id]),
        kit.rows("select to_jsonb(t) from wedsql.trig t where flow_id = %s order by tgid", [kit.id]),
        kit.rows("select * from wedsql.flow where id = %s", [kit.id]),
        kit.rows("select * from wedsql.flow_version where flow_id = %s order by version", [kit.id]),
        kit.rows("select * from wedsql.instance where flow_id = %s order by wid", [kit.id]),
        kit.rows("select * from wedsql.job_pool where flow_id = %s order by id", [kit.id]),
        kit.rows("select * from wedsql.wed_trace where flow_id = %s order by wid, seq", [kit.id]),
        kit.rows("select * from {f}.wed_flow order by wid"),
        kit.rows(
            "select p.oid::regprocedure::text, p.prosrc from pg_proc p"
            " where p.pronamespace = %s::regnamespace or p.pronamespace ="
            " 'wed_match'::regnamespace order by 1",
            [kit.name],
        ),
    ]


def test_k17_running_and_exception_are_matched_again(base: Kit) -> None:
    running, stuck, final, cancelled = wids(base)
    report = published(base, new_trigger, actor="ann", reason="a way out")
    assert base.jobs(running) == ["tr_one", "tr_new"]
    assert (base.status(stuck), base.jobs(stuck)) == ("R", ["tr_new"]), (
        "it left the exception without any update"
    )
    assert (base.status(final), base.status(cancelled)) == ("F", "C")
    assert (report.triggers_added, report.left_exception, report.reopened) == (1, 1, 0)
    assert report.fired == {"tr_new": 2}
    for wid in (running, stuck):
        row = base.trace(wid)[-1]
        assert (row.trw, row.trf, row.before, row.actor) == ("_REMATCH", ["tr_new"], {}, "ann")
        assert "a way out" in row.reason


def test_k17_a_dry_run_reports_the_same_and_does_nothing(base: Kit) -> None:
    before = everything(base)
    dry = published(base, new_trigger, dry_run=True)
    assert everything(base) == before
    real = published(base, new_trigger)
    assert dry.dry_run and not real.dry_run
    assert (dry.fired, dry.left_exception, dry.checked, dry.changed, dry.triggers_added, dry.version) == (
        real.fired, real.left_exception, real.checked, real.changed, real.triggers_added, real.version,
    )  # fmt: skip


def test_k17_by_plain_sql_on_the_views(base: Kit) -> None:
    running, stuck, final, _ = wids(base)
    base.trig("tr_new", "a in ('1', 'lost')")
    assert base.jobs(running) == ["tr_one", "tr_new"]
    assert [base.status(wid) for wid in (stuck, final)] == ["R", "F"]
    assert base.story(stuck)[-1] == ("_REMATCH", ["tr_new"], "R")


def test_k17_several_changes_in_one_transaction_are_one_version(base: Kit) -> None:
    version = api.flows.definition(base.name, conn=base.conn)["version"]
    with base.conn.transaction():
        base.attr("c", "x")
        base.trig("tr_new", "c = 'x'")
        base.trig("tr_newer", "c = 'x'")
    assert api.flows.definition(base.name, conn=base.conn)["version"] == version + 1
    assert len([row for row in base.trace(wids(base)[0]) if row.trw == "_REMATCH"]) == 1


def test_k17_publishing_the_same_again_changes_no_instance(base: Kit) -> None:
    before = [base.trace(wid) for wid in wids(base)]
    report = published(base)
    assert (report.changed, report.fired) == (0, {})
    assert [base.trace(wid) for wid in wids(base)] == before


def more_after_the_end(definition: dict[str, Any]) -> None:
    """Change the definition so that the final instance is not final and has something to do."""
    definition["triggers"][2] = {"predicate": "a = 'over'", "final": True}
    definition["triggers"].append({"name": "more", "transition": "tr_more", "predicate": "a = 'end'"})


def test_k54_final_instances_are_reopened_only_if_asked(base: Kit) -> None:
    final = wids(base)[2]
    assert published(base, more_after_the_end).reopened == 0
    assert base.status(final) == "F"
    report = published(base, more_after_the_end, reopen_final=True, reason="forgot a step")
    assert (report.reopened, report.fired) == (1, {"tr_more": 1})
    assert (base.status(final), base.jobs(final)) == ("R", ["tr_more"])
    assert base.instance(final).finished_at is None


def test_k54_rematch_can_reopen_too(base: Kit) -> None:
    final = wids(base)[2]
    published(base, more_after_the_end)
    assert api.instances.rematch(base.name, [final], conn=base.conn)["reopened"] == 0
    assert api.instances.rematch(base.name, [final], reopen_final=True, conn=base.conn)["reopened"] == 1
    assert base.jobs(final) == ["tr_more"]


def test_k17_an_instance_may_become_final_by_a_new_condition(base: Kit) -> None:
    stuck = wids(base)[1]
    report = published(base, lambda d: d["triggers"][2].update(predicate="a in ('end', 'lost')"))
    assert (report.final, base.status(stuck), base.jobs(stuck)) == (1, "F", [])


def test_k17_a_new_final_condition_does_not_close_over_pending_work(base: Kit) -> None:
    running = wids(base)[0]
    published(base, lambda d: d["triggers"][2].update(predicate="a in ('end', '1')"))
    assert (base.status(running), base.jobs(running)) == ("R", ["tr_one"])


def test_k42_jobs_of_a_removed_trigger_are_withdrawn(base: Kit) -> None:
    running = wids(base)[0]
    report = published(base, lambda d: d["triggers"].pop(0))
    assert report.triggers_removed == 1
    assert (base.status(running), base.jobs(running)) == ("E", ["_EXCPT"])
    assert base.logged(running) == ["withdrawn"]


def test_k42_a_leased_job_of_a_removed_trigger_is_refused(base: Kit) -> None:
    running = wids(base)[0]
    job = base.lease("tr_one")
    published(base, lambda d: (d["triggers"].pop(0), new_trigger(d)))
    with refused("WD205"):
        base.complete(job, {"a": "9"})
    assert base.state(running)["a"] == "1"


def test_k41_pending_jobs_of_a_changed_trigger_stay(base: Kit) -> None:
    running = wids(base)[0]
    job = base.pending(running)[0]
    report = published(
        base, lambda d: d["triggers"][0].update(timeout="2 hours", predicate="a = '1' or a = '0'")
    )
    assert (report.triggers_changed, report.triggers_added, report.triggers_removed) == (1, 0, 0)
    assert base.pending(running)[0].id == job.id


def test_k20_rename_with_was(base: Kit) -> None:
    running = wids(base)[0]

    def rename(definition: dict[str, Any]) -> None:
        definition["attributes"][0] = {"name": "alpha", "was": "a"}
        for trigger in definition["triggers"]:
            trigger["predicate"] = trigger["predicate"].replace("a =", "alpha =")

    report = published(base, rename)
    assert (report.attributes_changed, report.attributes_added, report.attributes_removed) == (1, 0, 0)
    assert base.state(running) == {"alpha": "1", "b": None, "unused": None}
    assert base.run("tr_one", running, alpha="end").status == "F"


def test_k21_removing_an_unused_attribute(base: Kit) -> None:
    running = wids(base)[0]
    report = published(base, lambda d: d["attributes"].pop(2))
    assert report.attributes_removed == 1
    assert base.state(running) == {"a": "1", "b": None}


def test_k21_removing_one_in_use_is_refused_with_the_places(base: Kit) -> None:
    before = everything(base)
    with refused("WD007") as why:
        published(base, lambda d: d["attributes"].pop(1))
    assert why.facts["places"] == ["two.predicate"]
    assert everything(base) == before


def test_k52_a_type_change_re_checks_predicates(base: Kit) -> None:
    before = everything(base)
    with refused("WD003", "WD006", "WD005"):
        published(base, lambda d: d["attributes"][0].update(type="integer"))
    assert everything(base) == before


def test_k52_an_enum(base: Kit) -> None:
    options = ["1", "lost", "end", "2"]
    published(base, lambda d: d["attributes"][0].update(type="enum", options=options))
    with refused("WD003"):
        base.start(a="3")
    assert base.run("tr_one", wids(base)[0], a="2", b="1").status == "R"
    with refused("WD003"):
        published(base, lambda d: d["attributes"][0].update(type="enum", options=["1", "end", "2"]))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda d: d["triggers"][1].update(predicate="b = "), "WD005"),
        (lambda d: d["triggers"][1].update(predicate="nothing = '1'"), "WD005"),
        (lambda d: d["triggers"].append({"predicate": "b = 'x'", "final": True}), "WD008"),
        (lambda d: d["triggers"][1].update(transition="Bad Name"), "WD004"),
        (lambda d: d["attributes"].append({"name": "wid"}), "WD004"),
        (lambda d: d["attributes"].append({"name": "n", "type": "integer", "default": "x"}), "WD003"),
        (lambda d: d["triggers"][1].update(writes=["nothing"]), "WD002"),
        (lambda d: d["triggers"][1].update(due_attr="b"), "WD009"),
        (lambda d: d["triggers"][1].update(timeout="-1 minute"), "WD009"),
        (lambda d: d["triggers"][1].update(tiemout="1 minute"), "WD009"),
        (lambda d: d["attributes"][1].update(tpye="text"), "WD009"),
        (lambda d: d.pop("triggers"), "WD009"),
        (lambda d: d.update(attributes="a"), "WD009"),
    ],
)
def test_k17_an_error_leaves_everything_as_it_was(base: Kit, change: Change, code: str) -> None:
    before = everything(base)
    with refused(code):
        published(base, lambda d: (new_trigger(d), change(d)))
    assert everything(base) == before


def test_w010_a_thousand_exceptions_leave_by_one_publish(kit: Kit) -> None:
    kit.publish(BASE)
    api.instances.start_many(kit.name, [{"a": "1"}] * 1100, conn=kit.conn)
    with kit.conn.transaction():
        jobs = api.jobs.take_many(kit.name, ["tr_one"], 1100, conn=kit.conn)
        api.jobs.complete_many(kit.name, [Completion(job, {"a": "lost"}) for job in jobs], conn=kit.conn)
    report = published(kit, new_trigger)
    assert (report.left_exception, report.fired) == (1100, {"tr_new": 1100})
    assert kit.one("select count(*) from wedsql.instance where flow_id = %s and status <> 'R'", [kit.id]) == 0


def test_k17_definition_round_trip(base: Kit) -> None:
    found = api.flows.definition(base.name, conn=base.conn)
    report = api.flows.publish(base.name, found, conn=base.conn)
    assert (report.triggers_changed, report.attributes_changed, report.changed) == (0, 0, 0)
    again = api.flows.definition(base.name, conn=base.conn)
    assert {k: v for k, v in found.items() if k != "version"} == {
        k: v for k, v in again.items() if k != "version"
    }


def test_w110_publish_gives_up_when_a_transaction_stands_in_the_way(base: Kit) -> None:
    other = base.connect()
    with other.transaction():
        base.rows("lock table {f}.wed_flow in access exclusive mode", conn=other)
        with refused("WD010"):
            published(base, new_trigger)


def test_k54_flow_options_are_published(base: Kit) -> None:
    published(base, lambda d: d.update(final_when_pending="cancel", label="Base", max_firings=7))
    found = api.flows.definition(base.name, conn=base.conn)
    assert (found["final_when_pending"], found["label"], found["max_firings"]) == ("cancel", "Base", 7)


def test_attributes_and_triggers_keep_the_order_of_the_definition(kit: Kit) -> None:
    attributes = [{"name": name, "type": "text"} for name in "abc"]
    triggers = [{"transition": f"tr_{name}", "predicate": f"{name} = '1'"} for name in "abc"]
    kit.publish({"attributes": attributes, "triggers": triggers})
    numbers = {row.trname: row.tgid for row in kit.rows("select trname, tgid from {f}.wed_trig")}
    other = {"attributes": attributes[::-1], "triggers": [triggers[2], triggers[0], triggers[1]]}

    kit.publish(other)

    found = api.flows.definition(kit.name, conn=kit.conn)
    assert [each["name"] for each in found["attributes"]] == ["c", "b", "a"]
    assert [each["transition"] for each in found["triggers"]] == ["tr_c", "tr_a", "tr_b"]
    assert numbers == {row.trname: row.tgid for row in kit.rows("select trname, tgid from {f}.wed_trig")}
    kit.trig("tr_new", "a = '2'")
    last = api.flows.definition(kit.name, conn=kit.conn)["triggers"]
    assert [each["transition"] for each in last] == ["tr_c", "tr_a", "tr_b", "tr_new"]
