"""What a definition says of people and their deadlines is a finding where it can never have an effect."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from flows.definition.flow import FLOW
from flows.definition.lint import Finding, People
from flows.definition.lint.findings import Rule
from flows.definition.lint.persons import persons
from flows.users.people import people_of

TASK: dict[str, Any] = {"transition": "tr_t", "predicate": "a is null", "performer": "person"}
FULL = TASK | {"role": "Clerk", "deadline": "1 day"}
PEOPLE = People(frozenset({"ana"}), frozenset({"Clerk", "Senior"}))
# Each option of a flow that is about tasks -> a value, and rules with which it has an effect, and without.
ABOUT_TASKS: dict[str, tuple[Any, list[dict[str, Any]], list[dict[str, Any]]]] = {
    "responsible": ("ana", [TASK], [TASK | {"performer": "worker"}]),
    "warnings": (["24"], [FULL], [TASK]),
    "notified": ("fewest_assigned", [FULL], [TASK]),
    "notified_count": (3, [], [FULL]),
    "task_calendar": ("Office", [FULL], [TASK]),
}
# The others, which are about each instance.
OTHERS = {
    "label", "description", "final_when_pending", "needs_approval", "max_firings", "default_timeout",
    "notify_trace", "notify_state", "retention", "start_by", "start_at", "worker_keys", "queue_labels",
}  # fmt: skip


def found(*triggers: dict[str, Any], people: People | None = PEOPLE, **options: Any) -> list[Finding]:
    definition = {"attributes": [{"name": "a"}], "triggers": list(triggers), **options}
    rules = [Rule(place, each, [], None, frozenset()) for place, each in enumerate(triggers)]
    return [*persons(definition, rules, people)]


def checks(*triggers: dict[str, Any], **options: Any) -> list[tuple[str, Any]]:
    return [(one.check, one.path[-1]) for one in found(*triggers, **options)]


def test_each_option_of_a_flow_is_decided() -> None:
    assert {*FLOW} == ABOUT_TASKS.keys() | OTHERS


@pytest.mark.parametrize("option", ABOUT_TASKS)
def test_an_option_of_the_flow_is_found_where_no_task_reads_it(option: str) -> None:
    value, effective, without = ABOUT_TASKS[option]
    assert checks(*without, **{option: value}) == [("no_effect", option)]
    if effective:
        assert checks(*effective, **{option: value}) == []


def test_a_count_is_read_by_a_policy() -> None:
    assert checks(FULL, notified="fewest_assigned", notified_count=3) == []


def test_a_transfer_goes_to_a_person() -> None:
    assert checks(FULL, warnings=["6 transfer"]) == [("no_responsible", "warnings")]
    assert checks(FULL, warnings=["6 transfer"], responsible="ana") == []


OTHER_WAYS: list[tuple[dict[str, Any], bool]] = [
    ({"performer": "worker"}, False),
    ({"performer": "database", "sets": "a = 'x'"}, False),
    ({"child": "parcels"}, False),
    ({"performer": "person"}, True),
    ({"signal": True}, True),  # a person sends it
]


@pytest.mark.parametrize("option", ["not_by", "same_as"])
@pytest.mark.parametrize(("way", "by_people"), OTHER_WAYS)
def test_who_performed_a_transition_is_asked_only_of_people(
    option: str, way: dict[str, Any], by_people: bool
) -> None:
    asks = TASK | {option: ["tr_w"] if option == "not_by" else "tr_w"}
    other = {"transition": "tr_w", "predicate": "a = 'x'"}
    assert checks(asks, other | way) == ([] if by_people else [("no_person", option)])
    assert checks(asks) == [("no_person", option)]


def test_the_same_person_and_another_one_exclude_each_other() -> None:
    first = TASK | {"transition": "tr_first"}
    assert checks(first, TASK | {"same_as": "tr_first", "not_by": ["tr_first"]}) == [("no_person", "not_by")]
    assert checks(TASK | {"not_by": ["tr_t"]}) == [], "another person performs it the second time"


def test_names_of_persons_and_roles_that_there_are_not() -> None:
    assert checks(TASK | {"role": "Porter"}) == [("no_person", "role")]
    assert checks(TASK | {"role": "Porter", "enabled": False}) == []
    assert checks(TASK | {"role": "Porter"}, people=None) == []
    assert checks(TASK, responsible="bob") == [("no_person", "responsible")]
    attribute = {"name": "who", "default": "bob"}
    for default, wrong in (("bob", True), ("role:Porter", True), ("ana", False), ("role: Senior", False)):
        attributes = [{"name": "a"}, attribute | {"default": default}]
        definition = {"attributes": attributes, "triggers": [TASK | {"candidate": "who"}]}
        rules = [Rule(0, definition["triggers"][0], [], None, frozenset())]
        assert [one.path for one in persons(definition, rules, PEOPLE)] == [
            ("attributes", 1, "default")
        ] * wrong
    (near,) = found(TASK | {"role": "Clark"})
    assert near.hint == "Is “Clerk” meant?"


@pytest.mark.django_db
def test_the_site_says_who_there_is() -> None:
    clerks, empty = (Group.objects.create(name=f"role:{name}") for name in ("Clerk", "Empty"))
    ana, gone = User.objects.create_user("ana"), User.objects.create_user("gone", is_active=False)
    clerks.user_set.add(ana)
    empty.user_set.add(gone)
    given = {"attributes": [], "triggers": [], "responsible": "gone"}
    assert people_of(given) == People(frozenset(), frozenset({"Clerk"}))
    assert people_of(given | {"responsible": "ana"}).users == {"ana"}
