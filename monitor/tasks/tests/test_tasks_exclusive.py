"""A task that is not performed at the time of another one: its page says who has that one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from flows import api
from flows.tests.pages import unique
from monitor.tasks.tests.test_tasks_pages import page_of, person

pytestmark = pytest.mark.django_db(transaction=True)
DEFINITION: dict[str, Any] = {
    "attributes": [{"name": "blood"}, {"name": "heart"}],
    "triggers": [
        *(
            {"transition": f"tr_{name}", "label": name.title(), "predicate": f"{name} is null",
             "performer": "person", "role": "Nurse", "mutex": "patient", "writes": [name]}
            for name in ("blood", "heart")
        ),
        {"predicate": "blood is not null and heart is not null", "final": True},
    ],
}  # fmt: skip


@pytest.fixture
def ward() -> Iterator[str]:
    name = unique("ward")
    api.flows.create(name)
    api.flows.publish(name, DEFINITION)
    yield name
    api.flows.drop(name, force=True)


def test_the_page_of_a_task_says_who_has_the_one_that_excludes_it(ward: str) -> None:
    ana, bia = person("role:Nurse"), person("role:Nurse")
    api.instances.start(ward)
    blood, heart = (one.job_id for one in api.tasks.of_flow(ward))
    assert "Not at the same time" not in page_of(bia, f"/tasks/{heart}/")
    ana.post(f"/tasks/{blood}/take/")
    name = ana.user.username  # type: ignore[attr-defined]
    assert f"Not at the same time as a task or job that {name} has" in page_of(bia, f"/tasks/{heart}/")
    answer = bia.post(f"/tasks/{heart}/take/", follow=True).content.decode()
    assert f"cannot be performed at the same time as job {blood}, which {name} has" in answer
    ana.post(f"/tasks/{blood}/release/")
    assert "Not at the same time" not in page_of(bia, f"/tasks/{heart}/")
