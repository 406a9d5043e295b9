"""The status of the kernel does not depend on the settings of the session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from flows import api, kernel
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


@pytest.fixture
def quoting() -> Iterator[None]:
    """A session with quote_all_identifiers."""
    with connection.cursor() as cursor:
        cursor.execute("set quote_all_identifiers = on")
        yield
        cursor.execute("reset quote_all_identifiers")


def test_a_session_that_quotes_every_name_finds_the_kernel_installed(quoting: None) -> None:
    assert kernel.status(connection).problems == ()
    assert kernel.status(connection).state == "INSTALLED"


def test_a_changed_function_is_still_found() -> None:
    with connection.cursor() as cursor:
        cursor.execute("alter function wedsql.state_limit() security definer")
        assert kernel.status(connection).state == "OUTDATED"
        cursor.execute("alter function wedsql.state_limit() security invoker")
    assert kernel.status(connection).state == "INSTALLED"


def test_a_flow_is_defined_and_published_by_such_a_session(quoting: None) -> None:
    """Publishing the same definition twice changes nothing, and the flow's role is found."""
    flow = unique()
    api.flows.create(flow)
    trigger = {"transition": "tr_x", "predicate": "a = '1' and length(b::text) > 0"}
    definition = {"attributes": [{"name": "a"}, {"name": "b", "type": "date"}], "triggers": [trigger]}
    api.flows.publish(flow, definition)
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.open_flow_role(%s)", [flow])
        cursor.execute("reset quote_all_identifiers")
        cursor.execute("select wedsql._has_role(%s)", [flow])
        assert cursor.fetchone()[0]
        report = api.flows.publish(flow, definition)
        assert (report.attributes_changed, report.triggers_changed) == (0, 0)
        cursor.execute("select wedsql.close_flow_role(%s)", [flow])
    assert api.instances.start(flow, {"a": "1", "b": "2026-01-01"})
