"""Why an instance is where it is: its rules part by part, what its jobs wait for, who wrote the values."""

from __future__ import annotations

import pytest

from flows import api
from flows.capabilities.reasons.api import InstanceReasons, RuleReason
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attr("payment", "open")
    kit.attr("n", None, "integer")
    kit.trig("tr_pay", "payment = 'open'")
    kit.trig("tr_ship", "payment = 'paid' and (n > 5 or n is null)")
    kit.final("payment = 'closed' and not n = 7")
    return kit


def rule(found: InstanceReasons, transition: str) -> RuleReason:
    return next(one for one in found.rules if one.transition == transition)


def test_each_rule_says_what_it_needs_and_who_wrote_it(shop: Kit) -> None:
    wid = shop.start(n=2)
    shop.run("tr_pay", wid, payment="paid")
    found = api.reasons.explain_instance(wid, conn=shop.conn)
    assert (found.wid, found.flow, found.status, found.seq, found.now) == (wid, shop.name, "E", 2, True)
    assert [one.value for one in found.rules] == ["f", "f", "f"]
    assert [one.text for one in rule(found, "tr_ship").obstacles] == ["n > 5"]
    (short,) = rule(found, "tr_ship").obstacles
    assert (short.value, short.wanted, short.now) == ("f", "t", {"n": 2})
    assert (short.written["n"].seq, short.written["n"].by) == (1, "_INIT")
    (paid,) = rule(found, "tr_pay").obstacles
    assert (paid.now, paid.written["payment"].by) == ({"payment": "paid"}, "tr_pay")
    assert found.nearest[0].transition in ("tr_pay", "tr_ship")
    (job,) = found.jobs
    assert (job.transition, job.waits_for) == ("_EXCPT", "people")


def test_a_negated_part_wants_the_opposite(shop: Kit) -> None:
    wid = shop.start(n=7)
    final = next(one for one in api.reasons.explain_instance(wid, conn=shop.conn).rules if one.final)
    assert [(one.text, one.wanted) for one in final.obstacles] == [
        ("payment = 'closed'", "t"),
        ("n = 7", "f"),
    ]


def test_an_earlier_step_is_explained_by_the_definition_of_its_time(shop: Kit) -> None:
    wid = shop.start(n=2)
    shop.run("tr_pay", wid, payment="paid")
    definition = dict(api.flows.definition(shop.name, conn=shop.conn))
    definition["triggers"][1]["predicate"] = "payment = 'paid'"
    shop.publish(definition)
    assert rule(api.reasons.explain_instance(wid, conn=shop.conn), "tr_ship").holds
    then = api.reasons.explain_instance(wid, 1, conn=shop.conn)
    assert (then.now, then.status, then.jobs) == (False, "R", [])
    assert (rule(then, "tr_pay").value, rule(then, "tr_ship").value) == ("t", "f")
    assert rule(then, "tr_ship").predicate == "payment = 'paid' and (n > 5 or n is null)"


def test_what_a_job_waits_for(shop: Kit) -> None:
    first, second = shop.start(), shop.start()

    def waits(wid: int) -> tuple[str, dict[str, object]]:
        (job,) = api.reasons.explain_instance(wid, conn=shop.conn).jobs
        return job.waits_for, dict(job.facts)

    assert waits(first) == ("no_worker", {"since": None})
    api.workers.register("test", "w", "here", 1, [f"{shop.name}:tr_pay"], conn=shop.conn)
    assert waits(first) == ("worker", {"ahead": 0})
    assert waits(second) == ("queue", {"ahead": 1})
    shop.one(
        "update wedsql.job_pool set not_before = wedsql.now() + '1 hour' where wid = %s returning 1", [first]
    )
    assert waits(first)[0] == "backoff"
    assert waits(second) == ("worker", {"ahead": 0})
    shop.one("update wedsql.job_pool set state = 'L', lckid = 'ann', lease_until = wedsql.now()"
             " where wid = %s returning 1", [first])  # fmt: skip
    kind, facts = waits(first)
    assert (kind, facts["holder"]) == ("lease", "ann")


def test_an_unknown_instance_or_step_is_refused(shop: Kit) -> None:
    wid = shop.start()
    for call in ((wid, 2), (wid, -1), (wid + 1000, None)):
        with refused("WD104"):
            api.reasons.explain_instance(*call, conn=shop.conn)


def test_a_failing_condition_is_explained(shop: Kit) -> None:
    shop.attr("t", "x")
    shop.trig("tr_number", "t::integer > 3")
    found = api.reasons.explain_instance(shop.start(), conn=shop.conn)
    assert rule(found, "tr_number").value == "e"
