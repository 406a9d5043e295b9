"""Forms that are sent after the flow was changed: each text goes to its attribute, or is said to be lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client

from flows import api
from flows.tests.pages import Form, unique
from monitor.tests.conftest import client_of, get, person

TYPED = {"value-note": "what I typed", "value-total": "12"}
Open = Callable[[str, Client], tuple[str, dict[str, str]]]


def definition(*names: str, **types: str) -> dict[str, Any]:
    signal = {"transition": "paid", "predicate": "kind = 'a'", "signal": True}
    work = {"transition": "tr_work", "predicate": "kind = 'a'"}
    return {
        "attributes": [{"name": each, "type": types.get(each, "text")} for each in names],
        "triggers": [signal, work, {"predicate": "kind = 'end'", "final": True}],
    }


BEFORE = definition("kind", "note", "total", total="integer")
MOVED = definition("total", "extra", "note", "kind", total="integer")
REMOVED = definition("kind", "total", total="integer")


def states(flow: str) -> list[dict[str, Any]]:
    """Return the states of all instances, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(f'select to_jsonb(w.*) from "{flow}".wed_flow w order by w.wid')
        return [row[0] if isinstance(row[0], dict) else json.loads(row[0]) for row in cursor.fetchall()]


@pytest.fixture(scope="module")
def standing_flow(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_flow)


@pytest.fixture
def flow(standing_flow: str, db: None) -> str:
    cache.clear()  # it has what other tests have done with the flow
    return standing_flow


def made_flow() -> str:
    name = unique()
    api.flows.create(name)
    api.flows.publish(name, BEFORE)
    return name


def started(flow: str, client: Client) -> tuple[str, dict[str, str]]:
    path = f"/flows/{flow}/start/"
    return path, Form(get(client, path)).fields | {"value-kind": "a"}


def signalled(flow: str, client: Client) -> tuple[str, dict[str, str]]:
    path, wid = f"/flows/{flow}/signals/?signal=paid", api.instances.start(flow, {"kind": "a"})
    return path, Form(get(client, path)).fields | {"instance": str(wid)}


def repaired(flow: str, client: Client) -> tuple[str, dict[str, str]]:
    wid = api.instances.start(flow, {"kind": "a"})
    job = next(one for one in api.reasons.explain_jobs(wid) if one.transition == "tr_work")
    path = f"/instances/{wid}/repair/?operation=complete&job={job.id}"
    given = Form(get(client, path)).fields | {"reason": "By phone.", "do": "preview"}
    return path, given


def repaired_together(flow: str, client: Client) -> tuple[str, dict[str, str]]:
    for _ in range(2):
        api.instances.start(flow, {"kind": "a"})
    path = f"/cases/repair/?flow={flow}&operation=complete&q=status:running"
    given = Form(get(client, path)).fields | {"reason": "By phone.", "do": "preview"}
    return path, given | {"transition": "tr_work"}


PAGES: dict[str, Open] = {
    "monitor/start.html": started,
    "monitor/signals/list.html": signalled,
    "monitor/recovery/repair.html": repaired,
    "monitor/bulk/form.html": repaired_together,
}
# A task has tests of its own, a package of a device is sent by its definition, and a trial writes nothing.
OTHERS = {
    "monitor/tasks/task.html", "monitor/offline/package.html", "admin/flows/designer/try.html",
    "pages/styleguide/designer.html",
}  # fmt: skip


@pytest.fixture
def olga(flow: str) -> Client:
    return client_of(person("olga", *(f"flow:{flow}:{right}" for right in ("operate", "handle", "repair"))))


def test_every_page_with_values_of_attributes_is_tried() -> None:
    templates = Path(settings.BASE_DIR) / "templates"
    found = {
        str(path.relative_to(templates))
        for path in templates.rglob("*.html")
        if "pages/state_fields.html" in path.read_text(encoding="utf-8")
    }
    assert found == {*PAGES, *OTHERS}


@pytest.mark.parametrize("page", PAGES)
def test_what_was_typed_stays_with_its_attribute(flow: str, olga: Client, page: str) -> None:
    path, sent = PAGES[page](flow, olga)
    assert {*TYPED} <= {*sent}
    api.flows.publish(flow, MOVED)
    answer = olga.post(path, sent | TYPED, follow=True).content.decode()
    assert "no longer asks for" not in answer
    if "do" in sent:
        olga.post(path, Form(answer).fields | {"do": "apply"})
        api.bulk.continue_bulk()
    assert [(state["note"], state["total"]) for state in states(flow)][-1:] == [("what I typed", 12)]


@pytest.mark.parametrize("page", PAGES)
def test_what_has_no_place_any_more_is_said_and_nothing_is_done(flow: str, olga: Client, page: str) -> None:
    path, sent = PAGES[page](flow, olga)
    api.flows.publish(flow, REMOVED)
    before = states(flow)
    answer = olga.post(path, sent | TYPED, follow=True).content.decode()
    assert "no longer asks for note: “what I typed”" in answer
    assert 'value="12"' in answer and states(flow) == before
