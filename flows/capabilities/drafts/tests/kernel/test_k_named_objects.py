"""Named conditions and transitions: saved with their checks, whether or not a trigger has them."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.errors import BadDefinition, BadName, PredicateRefused, PredicateType, UnknownFlow, WedError
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel


def save(kit: Kit, kind: str, name: str, **content: Any) -> None:
    api.drafts.save_named_objects(kit.name, {(kind, name): content}, actor="ann", conn=kit.conn)


def test_objects_are_saved_replaced_and_dropped_with_their_flow(kit: Kit) -> None:
    kit.attr("n", kind="integer")
    save(kit, "condition", "Is large", predicate="n > 100")
    save(kit, "transition", "tr_x", timeout=None)
    save(kit, "transition", "tr_x", timeout="3d18h", predicate="n > 1")
    assert api.drafts.named_objects(kit.name, conn=kit.conn) == {
        ("condition", "Is large"): {"predicate": "n > 100"},
        ("transition", "tr_x"): {"timeout": "3d18h"},
    }
    assert kit.one("select changed_by from wedsql.named_object where kind = 'condition'") == "ann"
    api.flows.drop(kit.name, conn=kit.conn)
    assert kit.one("select count(*) from wedsql.named_object") == 0


@pytest.mark.parametrize(
    ("kind", "name", "content", "error"),
    [
        ("condition", "c", {"predicate": "m > 1"}, PredicateRefused),
        ("condition", "c", {"predicate": "n + 1"}, PredicateType),
        ("condition", "c", {"predicate": " "}, PredicateRefused),
        ("condition", "c", {}, PredicateRefused),
        ("condition", " ", {"predicate": "n > 1"}, BadDefinition),
        ("condition", "c" * 201, {"predicate": "n > 1"}, BadDefinition),
        ("transition", "Pay", {}, BadName),
        ("transition", "pay", {"timeout": "soon"}, BadDefinition),
        ("transition", "pay", {"timeout": "0"}, BadDefinition),
        ("transition", "pay", {"timeout": "1001 years"}, BadDefinition),
        ("trigger", "pay", {}, BadDefinition),
    ],
)
def test_an_object_that_no_trigger_could_have_is_rejected(
    kit: Kit, kind: str, name: str, content: dict[str, Any], error: type[WedError]
) -> None:
    kit.attr("n", kind="integer")
    with pytest.raises(error):
        save(kit, kind, name, **content)
    assert api.drafts.named_objects(kit.name, conn=kit.conn) == {}


def test_a_flow_has_a_limited_number(kit: Kit) -> None:
    many = {("transition", f"t{n}"): {} for n in range(2001)}
    with pytest.raises(BadDefinition, match="at most 2000"):
        api.drafts.save_named_objects(kit.name, many, conn=kit.conn)
    with pytest.raises(UnknownFlow):
        api.drafts.save_named_objects("nowhere", {}, conn=kit.conn)
    with pytest.raises(UnknownFlow):
        api.drafts.named_objects("nowhere", conn=kit.conn)


def test_only_the_site_may_save_them(kit: Kit) -> None:
    web = kit.connect("wed_web")
    api.drafts.save_named_objects(kit.name, {("transition", "t"): {}}, conn=web)
    assert api.drafts.named_objects(kit.name, conn=web) == {("transition", "t"): {}}
    for role in ("wed_worker", "wed_monitor", "wed_reaper"):
        with pytest.raises(Exception, match="permission denied"):
            api.drafts.named_objects(kit.name, conn=kit.connect(role))
