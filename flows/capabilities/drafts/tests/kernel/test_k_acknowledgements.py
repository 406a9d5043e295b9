"""A finding is acknowledged with a reason until its rule changes, and taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from flows import api
from flows.definition.lint import Finding, open_warnings
from flows.errors import BadAcknowledgement, BadName, UnknownAcknowledgement
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel

NEVER = {"transition": "tr_x", "predicate": "n > 1 and n < 0"}
FINAL = {"predicate": "n = 7", "final": True}


def never_true(kit: Kit, **options: Any) -> Finding:
    """Return the finding about the first of two rules, which is never true."""
    definition = {"attributes": [{"name": "n", "type": "integer"}], "triggers": [NEVER | options, FINAL]}
    return next(
        one for one in api.flows.lint(kit.name, definition, conn=kit.conn) if one.check == "never_true"
    )


def acknowledge(kit: Kit, finding: Finding, reason: str = "meant so") -> None:
    api.drafts.acknowledge_finding(
        kit.name, finding.id, reason, rule=finding.rule, actor="ann", conn=kit.conn
    )


def test_an_acknowledgement_counts_until_the_condition_changes(kit: Kit) -> None:
    assert open_warnings([never_true(kit)])
    acknowledge(kit, never_true(kit))

    known = never_true(kit)
    assert known.acknowledged is not None and not open_warnings([known])
    assert (known.acknowledged.reason, known.acknowledged.acknowledged_by) == ("meant so", "ann")
    changed = never_true(kit, predicate="n > 2 and n < 0")
    assert changed.acknowledged is None and open_warnings([changed])


def test_it_counts_for_its_own_rule_only_and_for_a_new_rule_when_it_is_published(kit: Kit) -> None:
    acknowledge(kit, never_true(kit, id=5))
    assert never_true(kit, id=5).acknowledged is not None
    assert never_true(kit, id=6).acknowledged is None and never_true(kit).acknowledged is None
    acknowledge(kit, never_true(kit))
    assert never_true(kit, id=6).acknowledged is not None


def test_it_is_given_another_reason_and_taken_back(kit: Kit) -> None:
    acknowledge(kit, never_true(kit))
    acknowledge(kit, never_true(kit), "  another reason ")
    (one,) = api.drafts.list_acknowledgements(kit.name, conn=kit.conn)
    assert one.reason == "another reason"
    api.drafts.withdraw_acknowledgement(kit.name, one.finding, rule=one.rule, conn=kit.conn)
    assert never_true(kit).acknowledged is None
    with pytest.raises(UnknownAcknowledgement):
        api.drafts.withdraw_acknowledgement(kit.name, one.finding, conn=kit.conn)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001])
def test_the_reason_is_some_text_of_bounded_length(kit: Kit, reason: str) -> None:
    with pytest.raises(BadAcknowledgement):
        acknowledge(kit, never_true(kit), reason)
    acknowledge(kit, never_true(kit), "x" * 1000)


@pytest.mark.parametrize(
    "name", ["", "never_true", "never_true-123", "no such-0123456789ab", "x" * 60 + "-0123456789ab"]
)
def test_only_names_of_findings_are_kept(kit: Kit, name: str) -> None:
    with pytest.raises(BadAcknowledgement):
        acknowledge(kit, replace(never_true(kit), id=name))
    with pytest.raises(BadAcknowledgement):
        acknowledge(kit, replace(never_true(kit), rule=-1))
    with pytest.raises(BadName):
        api.drafts.acknowledge_finding("No Name", never_true(kit).id, "so", conn=kit.conn)


def test_a_flow_has_a_limited_number_of_them(kit: Kit) -> None:
    kit.conn.execute(
        "insert into wedsql.acknowledgement (flow, finding, rule, reason, acknowledged_at, acknowledged_by)"
        " select %s, 'never_true-' || n, 0, 'so', now(), 'ann' from generate_series(1, 2000) n",
        [kit.name],
    )
    with pytest.raises(BadAcknowledgement):
        acknowledge(kit, never_true(kit))
