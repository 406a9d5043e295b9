"""Ad-hoc sub-processes: people begin what is in one, until its condition holds or one says so."""

from __future__ import annotations

import pytest

from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_running import publish
from flows.tests.kernel.bpmn.test_k_bpmn_choices import choose
from flows.tests.kit import Kit, broken
from flows.tests.people import done

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
ONE, TWO = node("userTask", "one", name="One"), node("userTask", "two", name="Two")
JOB = node("serviceTask", "job")
COMPLETE = "<bpmn:completionCondition>=n >= 2</bpmn:completionCondition>"


def ad_hoc(kit: Kit, *inner: str, beside: str = "", **options: str) -> int:
    """Publish a process with an ad-hoc sub-process of these parts, and start an instance."""
    publish(kit, file(
        attributes(attribute("n", type="integer", default="0")), node("startEvent", "s"),
        node("adHocSubProcess", "h", "".join(inner), **options), node("task", "after"),
        flows("s h", "h after"), beside,
    ))  # fmt: skip
    return kit.start()


def test_what_is_in_it_is_performed_in_any_order_and_again_until_a_person_says_so(kit: Kit) -> None:
    wid = ad_hoc(kit, ONE, TWO)
    assert sorted(kit.jobs(wid)) == ["h_done", "one", "two"]
    for name in ("two", "two", "one"):
        done(kit, name, wid)
        assert sorted(kit.jobs(wid)) == ["h_done", "one", "two"], "each is there again"
    done(kit, "h_done", wid)
    assert kit.jobs(wid) == ["after"] and broken(kit) == []


def test_a_person_begins_what_a_worker_performs(kit: Kit) -> None:
    wid = ad_hoc(kit, ONE, JOB)
    assert sorted(kit.jobs(wid)) == ["h_done", "h_job_begin", "one"]
    done(kit, "h_job_begin", wid)
    assert sorted(kit.jobs(wid)) == ["h_done", "job", "one"]
    kit.run("job", wid)
    assert sorted(kit.jobs(wid)) == ["h_done", "h_job_begin", "one"]
    done(kit, "h_done", wid)
    assert kit.jobs(wid) == ["after"] and broken(kit) == []


def test_the_condition_is_examined_after_each_activity_and_withdraws_the_rest(kit: Kit) -> None:
    wid = ad_hoc(kit, ONE, TWO, COMPLETE)
    assert sorted(kit.jobs(wid)) == ["one", "two"]
    done(kit, "one", wid, n=1)
    assert sorted(kit.jobs(wid)) == ["one", "two"]
    done(kit, "one", wid, n=2)
    assert kit.jobs(wid) == ["after"] and broken(kit) == []


def test_what_is_left_is_still_performed_where_it_is_not_cancelled(kit: Kit) -> None:
    wid = ad_hoc(kit, ONE, TWO, COMPLETE, cancelRemainingInstances="false")
    done(kit, "one", wid, n=2)
    assert kit.jobs(wid) == ["two"], "the sub-process waits for it"
    done(kit, "two", wid)
    assert kit.jobs(wid) == ["after"] and broken(kit) == []


def test_a_person_chooses_what_is_next_where_one_follows_the_other(kit: Kit) -> None:
    wid = ad_hoc(kit, ONE, TWO, ordering="Sequential")
    for chosen, job in (("One", "one"), ("Two", "two"), ("One", "one")):
        (choice,) = kit.jobs(wid)
        choose(kit, choice, wid, chosen)
        assert kit.jobs(wid) == [job]
        done(kit, job, wid)
    (choice,) = kit.jobs(wid)
    choose(kit, choice, wid, "h complete")
    assert kit.jobs(wid) == ["after"] and broken(kit) == []


def test_what_follows_an_activity_is_performed_after_it_while_it_is_there_again(kit: Kit) -> None:
    wid = ad_hoc(kit, ONE, TWO, flows("one two"))
    assert sorted(kit.jobs(wid)) == ["h_done", "one"]
    done(kit, "one", wid)
    assert sorted(kit.jobs(wid)) == ["h_done", "one", "two"]
    done(kit, "two", wid)
    assert sorted(kit.jobs(wid)) == ["h_done", "one"]
    done(kit, "h_done", wid)
    assert kit.jobs(wid) == ["after"] and broken(kit) == []


def test_an_event_at_its_border_takes_all_that_is_there(kit: Kit) -> None:
    border = node("boundaryEvent", "b", event("signal", signalRef="g"), attachedToRef="h") + node(
        "task", "late"
    )
    wid = ad_hoc(kit, ONE, TWO, beside=border + flows("b late"))
    kit.run("g", wid)
    assert kit.jobs(wid) == ["late"] and broken(kit) == []


def test_a_task_that_leads_to_itself_is_there_again(kit: Kit) -> None:
    publish(kit, file(
        node("startEvent", "s"), node("userTask", "t"), flows("s t", "t t"),
        node("boundaryEvent", "b", timer("PT1H"), attachedToRef="t"), node("endEvent", "e"), flows("b e"),
    ))  # fmt: skip
    wid = kit.start()
    for _time in range(3):
        done(kit, "t", wid)
        assert "t" in kit.jobs(wid)
    assert broken(kit) == []
