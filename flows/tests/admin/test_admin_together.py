"""Two users change the same flow: no change is lost, and no request waits forever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow, Trigger
from flows.tests.designer import change, define, page
from flows.tests.pages import errors_at, opened

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def name(alice: Client) -> Iterator[str]:
    """A committed flow with the definition of figure 2."""
    name = define(alice)
    yield name
    api.flows.drop(name, force=True)


def publish_as_bob(connect: Any, name: str) -> None:
    """Change a trigger in another session, as the user bob."""
    with connect() as bob:
        bob.execute("select set_config('wedsql.actor', 'bob', false)")
        bob.execute(
            "update wedsql.trig t set label = 'Bob''s' from wedsql.flow f"
            " where f.id = t.flow_id and f.name = %s and t.trname = 'tr_a2'",
            [name],
        )


def test_a_stale_page_is_refused_with_the_name_of_the_other_user(
    alice: Client, name: str, connect: Any
) -> None:
    fields = opened(alice, page(name))
    publish_as_bob(connect, name)

    response = alice.post(page(name), fields | {"triggers-0-label": "Alice's", "triggers-1-label": "Alice's"})

    assert response.status_code == 200
    shown = errors_at(response, ":row")
    assert "bob" in shown and "Nothing was saved" in shown
    assert list(Trigger.objects.filter(flow__name=name).values_list("label", flat=True)) == [
        "Bob's",
        "",
        "",
        "",
    ]


def test_a_stale_page_is_said_together_with_a_mistake(alice: Client, name: str, connect: Any) -> None:
    fields = opened(alice, page(name))
    publish_as_bob(connect, name)

    response = alice.post(page(name), fields | {"max_firings": "x"})

    assert "bob" in errors_at(response, ":row") and errors_at(response, "max_firings")


def test_a_change_between_the_check_and_the_lock_is_refused(
    alice: Client, name: str, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.admin import definition

    fields = opened(alice, page(name))
    set_audit_context = definition.set_audit_context

    def set_context_late(*args: Any) -> None:
        publish_as_bob(connect, name)
        monkeypatch.setattr(definition, "set_audit_context", set_audit_context)
        set_audit_context(*args)

    monkeypatch.setattr(definition, "set_audit_context", set_context_late)
    response = alice.post(page(name), fields | {"triggers-0-label": "Alice's"})

    assert "bob" in errors_at(response, ":row")
    assert Trigger.objects.filter(flow__name=name, label="Bob's").exists()


def test_no_other_change_is_made_between_the_check_and_the_save(
    alice: Client, name: str, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.admin import definition

    check, refused = definition.stale_version_error, []

    def change_after_the_check(*given: Any) -> Any:
        found = check(*given)
        with pytest.raises(psycopg.DatabaseError, match="Another transaction"):
            publish_as_bob(connect, name)
        refused.append(found)
        return found

    fields = opened(alice, page(name))
    monkeypatch.setattr(definition, "stale_version_error", change_after_the_check)

    assert alice.post(page(name), fields | {"label": "Mine"}).status_code == 302
    assert refused == [None] and Flow.objects.get(name=name).label == "Mine"


def test_a_flow_that_another_transaction_uses_is_not_deleted_and_the_page_says_why(
    alice: Client, name: str, connect: Any
) -> None:
    address = reverse("admin:flows_flow_delete", args=(Flow.objects.get(name=name).pk,))
    with connect() as bob, bob.transaction():
        bob.execute("select wedsql.start_many(%s, array['{}'::jsonb], 'bob')", [name])
        shown = alice.post(address, {"post": "yes"}, follow=True)

    assert "Another transaction" in shown.content.decode()
    assert Flow.objects.filter(name=name).exists()


def test_an_opened_page_whose_row_is_gone_is_refused(alice: Client, name: str, connect: Any) -> None:
    fields = opened(alice, page(name))
    with connect() as bob:
        bob.execute(
            "delete from wedsql.trig t using wedsql.flow f"
            " where f.id = t.flow_id and f.name = %s and t.trname = 'tr_final'",
            [name],
        )

    response = alice.post(page(name), fields | {"label": "Mine"})

    assert response.status_code == 200
    assert "Nothing was saved" in errors_at(response, ":row")
    assert Flow.objects.get(name=name).label == ""


def test_a_conflicting_transaction_is_reported_within_seconds(alice: Client, name: str, connect: Any) -> None:
    fields = opened(alice, page(name))
    with connect() as bob, bob.transaction():
        bob.execute("select wedsql.start_many(%s, array['{}'::jsonb], 'bob')", [name])
        response = alice.post(page(name), fields | {"triggers-0-label": "Alice's"})

    assert response.status_code == 200
    assert "Another transaction" in errors_at(response, ":row") + errors_at(response, "triggers-0:row")
    assert (
        alice.post(page(name), opened(alice, page(name)) | {"triggers-0-label": "Alice's"}).status_code == 302
    )


def test_a_refused_save_leaves_no_half_of_itself(alice: Client, name: str) -> None:
    before = Flow.objects.filter(name=name).values().get()
    fields = opened(alice, page(name))

    response = alice.post(
        page(name), fields | {"label": "New", "attributes-1-name": "x", "triggers-3-predicate": "nowhere"}
    )

    assert response.status_code == 200
    assert Flow.objects.filter(name=name).values().get() == before
    assert "a2" in api.flows.definition(name)["attributes"][1].values()


def test_a_saved_page_costs_its_rows_and_one_generation(alice: Client, name: str) -> None:
    """Each changed row is a separate statement, but the functions of the whole flow are generated once."""
    generated = []
    with connection.cursor() as cursor:
        for changed in (1, 3):
            cursor.execute("set track_functions = 'all'")
            typed = {f"triggers-{row}-predicate": f"a1 = '{changed}{row}'" for row in range(changed)}
            before = _generations(cursor)
            assert change(alice, name, **typed).status_code == 302
            generated.append(_generations(cursor) - before)
    assert generated == [1, 1]


def _generations(cursor: Any) -> int:
    cursor.execute("select pg_stat_force_next_flush()")
    cursor.execute("select sum(calls) from pg_stat_user_functions where funcname = 'compile'")
    return int(cursor.fetchone()[0] or 0)
