"""Forms hand on how long a time is as it was typed; only the kernel has a limit, and says it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from flows import api
from flows.tests.pages import unique
from monitor.tasks.tests.test_tasks_pages import flow as flow
from monitor.tasks.tests.test_tasks_pages import taken

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[3]
# Of each form: the longest time in days that the kernel takes, and one that it rejects.
DOORS = {"aside": (3650, 3660), "extend": (3650, 3660), "wait": (365, 367), "silence": (366, 367)}
Door = tuple[Callable[[str], str], Callable[[], datetime | None]]


@pytest.fixture
def root() -> Client:
    client, user = Client(), User.objects.create_superuser(unique("p"))
    user.groups.add(Group.objects.get_or_create(name="role:Expert")[0])
    client.force_login(user)
    return client


def sent(client: Client, address: str, field: str) -> Callable[[str], str]:
    def send(time: str) -> str:
        answer = client.post(address, {field: time}, follow=True)
        assert answer.status_code == 200
        return answer.content.decode()

    return send


def door(name: str, client: Client, flow: str) -> Door:
    """Return what sends a time to a form, and what reads the moment that it has set."""
    if name in ("aside", "extend"):
        address = (api.instances.start(flow, {"policy": "P-1"}), taken(client))[1]
        task = int(address.split("/")[-2])
        read = {
            "aside": lambda: api.tasks.read(task, "").hidden_until,
            "extend": lambda: api.tasks.read(task, "").due_at,
        }
        return sent(client, f"{address}{name}/", "time"), read[name]
    if name == "wait":
        with connection.cursor() as cursor:
            cursor.execute("update wedsql.trig set max_attempts = 1")
        wid = api.instances.start(flow, {"policy": "P-1"})
        api.tasks.take(task := api.tasks.of_instance(wid)[0].job_id, "x", ["r:Expert"])
        api.tasks.fail(task, "x", "no")
        (case,) = api.cases.list([flow])
        return sent(
            client, f"/cases/{case.number}/wait/", "time"
        ), lambda: api.cases.read(case.number).waits_until_at
    form = {"name": "Many", "kind": "count", "query": "status:running", "sign": ">", "threshold": "2",
            "lasting": "0", "mail": "a@example.org", "enabled": "on"}  # fmt: skip
    client.post(f"/flows/{flow}/alerts/new/", form)
    (rule,) = api.alerts.list_rules([flow])

    def minutes(time: str) -> str:
        return sent(client, f"/alerts/{rule.id}/silence/", "minutes")(str(int(time.removesuffix("d")) * 1440))

    return minutes, lambda: api.alerts.read_rule(rule.id).silenced_until_at


@pytest.mark.parametrize("name", DOORS)
def test_a_long_time_is_stored_as_typed_or_rejected_by_the_kernel(root: Client, flow: str, name: str) -> None:
    send, stored = door(name, root, flow)
    most, more = DOORS[name]
    for time in (f"{more}d", "99999999d"):
        before = stored()
        assert 'class="message' in send(time) or 'role="alert"' in send(time)
        assert stored() == before, "neither shortened nor stored"
    send(f"{most - 1}d")
    found = stored()
    found = datetime.fromisoformat(found) if isinstance(found, str) else found
    assert found is not None
    assert abs(found - datetime.now(UTC) - timedelta(days=most - 1)) < timedelta(minutes=5)


def calls_of(path: Path, name: str) -> list[ast.Call]:
    found = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return [each for each in found if isinstance(each.func, ast.Name) and each.func.id == name]


def test_no_module_shortens_a_length_of_time() -> None:
    paths = [
        path
        for folder in ("monitor", "pages", "flows", "wedsql_site")
        for path in (ROOT / folder).rglob("*.py")
        if "tests" not in path.parts
    ]
    wrong = [
        f"{path.relative_to(ROOT)}:{inner.lineno}"
        for path in paths
        for call in calls_of(path, "timedelta")
        for inner in ast.walk(call)
        if isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Name)
        and inner.func.id in ("min", "max")
    ]
    assert wrong == [] and len(paths) > 300
