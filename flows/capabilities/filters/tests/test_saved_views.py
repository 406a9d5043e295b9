"""Saved views: who sees them, and what they may be."""

from __future__ import annotations

import pytest
from django.db import transaction

from flows import api
from flows.capabilities.filters.api import View
from flows.errors import BadName, BadView, UnknownFlow, UnknownView
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known(db: None) -> None:
    for name in ("orders", "parcels"):
        api.flows.create(name)
        api.flows.publish(name, {"attributes": [{"name": each} for each in "abx"], "triggers": []})


def test_a_view_of_what_there_is_not_is_neither_saved_nor_listed() -> None:
    with pytest.raises(UnknownFlow), transaction.atomic():
        api.views.save("ana", "nope", "late", View("is:late"))
    with pytest.raises(UnknownFlow), transaction.atomic():
        api.views.list("ana", (), "nope")
    with pytest.raises(BadView), transaction.atomic():
        api.views.list("ana", (), "orders", of="nope")


def test_a_view_is_seen_by_its_owner_its_group_or_everyone() -> None:
    for shared, team in (("mine", ""), ("team", "clerks"), ("everyone", "")):
        api.views.save("ana", "orders", shared, View("status:running", ("a", "b"), "id", shared, team))
    api.views.save("ana", "", "anywhere", View("is:late"))

    def names(user: str, *teams: str, flow: str = "orders") -> list[str]:
        return [view.name for view in api.views.list(user, teams, flow)]

    assert names("ana") == ["everyone", "mine", "team"]
    assert names("bob") == ["everyone"]
    assert names("bob", "clerks", "others") == ["everyone", "team"]
    assert names("ana", flow="") == ["anywhere"] and names("bob", flow="") == []
    assert names("bob", "clerks", flow="parcels") == []


def test_a_view_is_replaced_by_name_and_deleted_by_its_owner_only() -> None:
    first = api.views.save("ana", "orders", " late ", View("is:late"))
    again = api.views.save("ana", "orders", "late", View("is:late age>2d", ["x"], "id", "everyone"))
    assert (again.id, again.query, again.columns, again.name) == (first.id, "is:late age>2d", ["x"], "late")
    with pytest.raises(UnknownView), transaction.atomic():
        api.views.delete("bob", first.id)
    api.views.delete("ana", first.id)
    assert api.views.list("ana", (), "orders") == []


@pytest.mark.parametrize(
    ("flow", "name", "view", "error"),
    [
        ("orders", " ", View(), BadView),
        ("orders", "x" * 81, View(), BadView),
        ("orders", "x", View("a" * 4001), BadView),
        ("orders", "x", View(shared="team"), BadView),
        ("orders", "x", View(shared="all"), BadView),
        ("Orders;", "x", View(), BadName),
    ],
)
def test_a_view_that_cannot_be_kept_is_rejected(
    flow: str, name: str, view: View, error: type[Exception]
) -> None:
    with pytest.raises(error):
        api.views.save("ana", flow, name, view)


def test_a_user_has_at_most_200_views() -> None:
    for n in range(200):
        api.views.save("ana", "orders", f"view {n}", View())
    api.views.save("ana", "orders", "view 7", View("is:late"))
    api.views.save("bob", "orders", "view 7", View())
    with pytest.raises(BadView):
        api.views.save("ana", "orders", "view 200", View())


def test_a_column_that_the_flow_does_not_have_is_rejected() -> None:
    flow = unique()
    api.flows.create(flow)
    api.flows.publish(
        flow, {"attributes": [{"name": "a"}], "triggers": [{"final": True, "predicate": "a = '1'"}]}
    )
    assert api.views.save("ana", flow, "one", View("", ["a"])).columns == ["a"]
    with pytest.raises(BadView, match='no attribute "b"'), transaction.atomic():
        api.views.save("ana", flow, "two", View("", ["a", "b"]))
    assert [view.name for view in api.views.list("ana", (), flow)] == ["one"]
