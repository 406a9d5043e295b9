"""Pages of operations say who else has a task or the case, ask once, and send a message."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import api
from flows.tests.pages import unique
from monitor.operations import OPERATIONS
from monitor.tasks.tests.test_tasks_pages import flow as flow
from monitor.tasks.tests.test_tasks_pages import person

pytestmark = pytest.mark.django_db(transaction=True)

# What is done to an instance whose task is held; of others a held task is what they refuse or leave.
PAGES = ["cancel", *(f"operate/{name}" for name, one in OPERATIONS.items() if name != "resume")]
SEEN = re.compile(r'name="seen" value="([0-9a-f]+)"')


@pytest.fixture
def root() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser(unique("p")))
    return client


def held(flow: str, holder: Client) -> tuple[int, int]:
    """Return an instance and its task, which this person has."""
    wid = api.instances.start(flow, {"policy": "P-1"})
    (task,) = api.tasks.of_instance(wid)
    holder.post(f"/tasks/{task.job_id}/take/")
    return wid, task.job_id


def name_of(client: Client) -> str:
    return str(client.user.get_username())  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES)
def test_each_operation_names_who_has_a_task_and_asks_once(root: Client, flow: str, page: str) -> None:
    holder = person("role:Expert")
    wid, task = held(flow, holder)
    address, given = (
        f"/instances/{wid}/{page}/",
        {"job": str(task), "reason": "no need", "time": "5m", "to": "x"},
    )
    before = api.reasons.explain_instance(wid)
    shown = root.get(address, given).content.decode()
    assert name_of(holder) in shown and "Assess" in shown
    asked = root.post(address, {**given, "priority": "7"}).content.decode()
    assert "Send it again" in asked and api.reasons.explain_instance(wid).seq == before.seq, "nothing is done"
    (seen,) = set(SEEN.findall(asked))
    answer = root.post(address, {**given, "priority": "7", "seen": seen})
    assert answer.status_code == 302 or "Send it again" not in answer.content.decode(), "asked once"


@pytest.mark.parametrize("page", ["cancel", "operate/suspend"])
def test_who_had_the_task_gets_a_message(root: Client, flow: str, page: str) -> None:
    holder = person("role:Expert")
    wid, _task = held(flow, holder)
    address = f"/instances/{wid}/{page}/"
    (seen,) = SEEN.findall(root.get(address).content.decode())
    assert root.post(address, {"reason": "no need", "seen": seen}).status_code == 302
    page_ = holder.get("/messages/?kind=o").content.decode()
    assert "You no longer have" in page_ and "no need" in page_


def test_what_was_taken_since_the_page_was_made_is_shown_first(root: Client, flow: str) -> None:
    wid = api.instances.start(flow, {"policy": "P-1"})
    address = f"/instances/{wid}/cancel/"
    assert "seen" not in root.get(address).content.decode()
    (task,) = api.tasks.of_instance(wid)
    person("role:Expert").post(f"/tasks/{task.job_id}/take/")
    assert "Send it again" in root.post(address, {"reason": "x"}).content.decode()
    assert api.reasons.explain_instance(wid).status == "R"


def test_undo_of_a_repair_asks_as_well(root: Client, flow: str) -> None:
    holder = person("role:Expert")
    wid, task = held(flow, holder)
    holder.post(f"/tasks/{task}/fail/", {"reason": "torn"})
    api.repairs.repair(wid, "patch", {"changes": {"amount": "5"}}, "by hand", actor="boss")
    seq = api.reasons.explain_instance(wid).seq
    (decide,) = [one for one in api.tasks.of_instance(wid) if not one.ended]
    api.tasks.take(decide.job_id, name_of(holder), [decide.audience])
    asked = root.post(f"/instances/{wid}/undo/", {"seq": str(seq)}).content.decode()
    assert name_of(holder) in asked and api.reasons.explain_instance(wid).seq == seq
    (seen,) = SEEN.findall(asked)
    assert root.post(f"/instances/{wid}/undo/", {"seq": str(seq), "seen": seen}).status_code == 302


def test_without_others_nothing_is_asked(root: Client, flow: str) -> None:
    wid = api.instances.start(flow, {"policy": "P-1"})
    assert root.post(f"/instances/{wid}/cancel/", {"reason": "x"}).status_code == 302
    assert api.reasons.explain_instance(wid).status == "C"
