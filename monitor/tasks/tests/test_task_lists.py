"""Lists of tasks: filters, saved views, columns, orders, the team, and what notifications ask for."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from flows import api
from flows.capabilities.tasks.api import ORDERS
from flows.filters import parse
from flows.queries import tasks as queries
from flows.queries.tasks import Listing
from monitor.tasks.tests.test_tasks_pages import flow, page_of, person, taken

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["flow"]
EXPERT = "role:Expert"


def name_of(client: Client) -> str:
    return str(client.user.username)  # type: ignore[attr-defined]


def shown(client: Client, **query: str) -> list[int]:
    """Return the tasks of a list in its order."""
    found = page_of(client, f"/tasks/?{urlencode({'show': 'open', **query})}")
    return [int(number) for number in re.findall(r'<tr role="row" id="task-(\d+)"', found)]


def open_some(flow: str, count: int = 6) -> dict[str, int]:
    """Start instances, and return their tasks by policy."""
    for number in range(count):
        api.instances.start(flow, {"policy": f"P-{number}", "note": "wind" if number % 2 else "water & ice"})
    tasks = {one.wid: one.job_id for one in api.tasks.of_flow(flow, limit=100)}
    with connection.cursor() as cursor:
        cursor.execute(f'select policy, wid from "{flow}".wed_flow')
        return {policy: tasks[wid] for policy, wid in cursor.fetchall()}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("tab", ["open", "mine"])
def test_a_filter_that_all_tasks_meet_changes_no_list(flow: str, tab: Any, order: Any) -> None:
    """The lists of a filter are those of the kernel, in every order and page by page."""
    expert, chance = person(EXPERT), random.Random(order)  # noqa: S311
    name, keys = name_of(expert), ["r:Expert"]
    tasks = list(open_some(flow, 9).values())
    for number, task in enumerate(tasks):
        api.operations.prioritize_job(api.tasks.read(task, name).wid, task, number % 3, "x", actor="boss")
        if number % 4 == 0:
            api.tasks.place(name, keys, task, None, next(one for one in tasks if one != task))
    with connection.cursor() as cursor:
        cursor.execute(
            "update wedsql.task set size = job_id %% 3, app = job_id %% 2, due_at = now() + (job_id %% 4)"
            " * interval '1 hour' where flow_id = (select id from wedsql.flow where name = %s)",
            [flow],
        )
    for task in chance.sample(tasks, 5) if tab == "mine" else []:
        api.tasks.take(task, name, keys)
    whole = api.tasks.own(name, order=order) if tab == "mine" else api.tasks.open(name, keys, order)
    expected = [one.job_id for one in whole]
    assert len(expected) == (5 if tab == "mine" else 9)
    listing = Listing(tab, name, [*keys, *api.persons.keys(name)], order)
    for text in ("task.priority>=-100", "policy^P task.size<1000"):
        found = queries.selection(parse(text), lambda one: one)
        assert queries.selected(listing, found, None, 100) == expected
        assert queries.matching(listing, found, 100).n == len(expected)
        paged: list[int] = []
        while some_more := queries.selected(listing, found, paged[-1] if paged else None, 2):
            paged += some_more
        assert paged == expected


def test_tasks_are_found_by_key_value_and_what_a_task_has(flow: str) -> None:
    expert, tasks = person(EXPERT), open_some(flow)
    assert shown(expert, q="P-3") == [tasks["P-3"]] == shown(expert, q='key:"P-3"')
    wet = [tasks[f"P-{number}"] for number in (0, 2, 4)]
    assert shown(expert, q='note~"water & ICE"') == wet
    sees_all = person(EXPERT, f"flow:{flow}:reveal")
    assert shown(sees_all, q=f"flow:{flow} where:\"note like 'wa%'\"") == wet
    assert shown(expert, q="task.name:assess task.role:Expert note:wind") == [
        tasks[f"P-{number}"] for number in (1, 3, 5)
    ]
    assert shown(expert, q="task.name~damage no:task.due no:task.holder -note:wind") == wet
    assert shown(expert, q="task.arrived<today") == [] == shown(expert, q="task.role!=Expert")
    assert shown(expert, q="P-3", flow="none") == []
    added = {"show": "open", "a": "note", "op": "eq", "v": "wind", "part": "new"}
    again = expert.get(f"/tasks/?{urlencode(added)}")
    assert (
        again.status_code == 302 and "q=note%3Awind" in again["Location"] and "show=open" in again["Location"]
    )
    assert "No task of this list meets the filter" in page_of(expert, "/tasks/?show=open&q=P-99")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("amount>", "has no value"), ("colour:red", "has an attribute"), ("did:x", "cannot be filtered by"),
        ("secret:x", "has an attribute"), ("task.due:soon", "is no time"), ("(", "has no"),
        ('where:"secret = 1"', "not possible"), ("path:a", "cannot be filtered by"),
    ],
)  # fmt: skip
def test_a_wrong_filter_is_said_and_nothing_is_listed(flow: str, text: str, said: str) -> None:
    """What a person may not see cannot be asked for: neither masked values nor the history."""
    expert = person(EXPERT)
    open_some(flow, 2)
    found = page_of(expert, f"/tasks/?{urlencode({'show': 'open', 'q': text + f' flow:{flow}'})}")
    assert said in found and 'id="filter-error"' in found and 'id="task-' not in found


def test_a_filter_finds_tasks_of_others_only_for_the_team(flow: str) -> None:
    boss, expert, tasks = person(f"flow:{flow}:operate"), person(EXPERT), open_some(flow, 3)
    expert.post(f"/tasks/{tasks['P-1']}/take/")
    held = f"task.holder:{name_of(expert)}"
    assert shown(boss, show="team", q=held) == [tasks["P-1"]] and shown(boss, q=held) == []
    assert shown(expert, show="mine", q="note:wind") == [tasks["P-1"]]
    assert shown(person(EXPERT), show="team", q=held) == []


def test_instances_are_found_by_their_tasks(flow: str) -> None:
    admin, expert, tasks = person(f"flow:{flow}"), person(EXPERT), open_some(flow, 3)
    expert.post(f"/tasks/{tasks['P-1']}/take/")
    for query, count in (("has:task.holder", 1), ("no:task.holder", 2), ("task.role:Expert", 3),
                         (f"task.holder!={name_of(expert)}", 2), ("task.name:decide", 0)):  # fmt: skip
        found = page_of(admin, f"/flows/{flow}/?{urlencode({'q': query})}")
        assert found.count('<tr id="wid-') == count, query


def test_columns_are_chosen_kept_and_never_those_that_are_masked(flow: str) -> None:
    expert = person(EXPERT)
    api.instances.start(flow, {"policy": "P-1", "note": "a long way", "secret": "hush"})
    usual = page_of(expert, "/tasks/?show=open")
    assert ">Arrived<" in usual and "a long way" not in usual
    columns = ["instance", "attr.note", "secret", "size"]
    given = {"columns": "these", "column": columns, "back": "show=open&after=5&columns=due"}
    answer = expert.post("/tasks/choose/", given)
    assert answer["Location"] == "/tasks/?show=open"
    chosen = page_of(expert, "/tasks/?show=open")
    assert ">Arrived<" not in chosen and "a long way" in chosen and ">Note<" in chosen and "bytes" in chosen
    assert "hush" not in chosen
    again = Client()
    again.force_login(expert.user)  # type: ignore[attr-defined]
    assert "a long way" in page_of(again, "/tasks/?show=open"), "on another machine"
    expert.post("/tasks/choose/", {"columns": "usual"})
    assert ">Arrived<" in page_of(expert, "/tasks/?show=open")
    assert ">note<" in page_of(expert, "/tasks/?show=open&columns=note,nonsense").lower()


def test_the_order_is_chosen_once_and_next_task_keeps_to_it(flow: str) -> None:
    expert, tasks = person(EXPERT), open_some(flow, 4)
    first, *_rest, last = tasks.values()
    expert.post("/tasks/choose/", {"sorting": "own", "back": "show=open&order=arrival"})
    assert shown(expert) == list(tasks.values())
    answer = expert.post(
        "/tasks/place/", {"move": f"{last}::{first}"}, headers={"Accept": "application/json"}
    )
    assert answer.json() == {"error": ""} and shown(expert)[0] == last
    assert taken(expert) == f"/tasks/{last}/"
    wrong = expert.post("/tasks/place/", {"move": "x:y:z"}, headers={"Accept": "application/json"})
    assert "no task 0" in wrong.json()["error"]
    moved = expert.post("/tasks/place/", {"move": f"{first}:{tasks['P-1']}:", "back": "show=open"})
    assert moved["Location"] == f"/tasks/?show=open#task-{first}" and shown(expert)[:2] == [
        tasks["P-1"],
        first,
    ]
    expert.post("/tasks/choose/", {"again": "1"})
    assert shown(expert)[0] == first
    expert.post("/tasks/choose/", {"sorting": "nonsense"})
    assert api.tasks.list(name_of(expert)).sorting == "own"


def test_the_next_task_is_of_the_filter_of_the_list(flow: str) -> None:
    expert, tasks = person(EXPERT), open_some(flow, 4)
    answer = expert.post("/tasks/next/", {"order": "arrival", "q": "note:wind"})
    assert (
        str(answer["Location"]).startswith(f"/tasks/{tasks['P-1']}/?")
        and "q=note%3Awind" in answer["Location"]
    )
    page = page_of(expert, str(answer["Location"]))
    assert 'name="q" value="note:wind"' in page
    claim = api.tasks.read(tasks["P-1"], name_of(expert)).claim
    given = {"value-amount": "5", "next": "arrival", "q": "note:wind", "claim": claim}
    done = expert.post(f"/tasks/{tasks['P-1']}/", given)
    assert str(done["Location"]).startswith(f"/tasks/{tasks['P-3']}/?")


def test_views_of_tasks_are_saved_with_columns_and_order_beside_those_of_instances(flow: str) -> None:
    expert, tasks = person(EXPERT), open_some(flow, 4)
    given = {"list": "tasks", "name": "Wind", "q": "note:wind", "sort": "size", "shared": "mine"}
    given |= {"columns": "instance,attr.note"}
    assert expert.post("/views/", given)["Location"] == "/views/?list=tasks"
    counted = page_of(expert, "/views/?list=tasks&counted=1")
    assert "Views of lists of tasks" in counted and re.search(r">\s*2</a>", counted)
    (view,) = api.views.list(name_of(expert), (), "", "tasks")
    assert (view.sorting, view.columns) == ("size", ["instance", "attr.note"])
    assert api.views.list(name_of(expert)) == [] and "Wind" not in page_of(expert, "/views/")
    listed = page_of(expert, "/tasks/?show=open")
    (href,) = re.findall(r'<a href="(\?[^"]*)">Wind</a>', listed)
    assert page_of(expert, "/tasks/" + href.replace("&amp;", "&")).count('<tr role="row" id="task-') == 2
    shared = expert.post("/views/", {**given, "shared": "everyone"})
    assert shared.status_code == 403
    expert.post(f"/views/{view.id}/delete/", {"list": "tasks"})
    assert api.views.list(name_of(expert), (), "", "tasks") == [] and tasks


def test_a_supervisor_gives_and_takes_back_many_and_others_cannot(flow: str) -> None:
    boss, expert, other = person(f"flow:{flow}:operate"), person(EXPERT), person(EXPERT)
    tasks = list(open_some(flow, 4).values())
    expert.post("/tasks/take/", {"task": tasks})
    shown_then = boss.post(
        "/tasks/give/", {"task": tasks[:2], "to": name_of(other), "back": "show=team"}, follow=True
    )
    assert f"{name_of(other)} has got 2 tasks." in shown_then.content.decode()
    assert shown(other) == tasks[:2] and shown(expert, show="mine") == tasks[2:]
    boss.post("/tasks/release/", {"task": tasks[2:]})
    assert shown(expert) == tasks[2:]
    page = page_of(boss, "/tasks/?show=team")
    assert "open, of no person" in page and "4" in page
    refused = boss.post("/tasks/give/", {"task": tasks, "to": "no such user"}, follow=True).content.decode()
    assert "There is no user" in refused
    expert.post("/tasks/take/", {"task": tasks[2:]})
    other.post("/tasks/release/", {"task": [*tasks, "9" * 30, "x"]})
    other.post("/tasks/give/", {"task": tasks[2:], "to": name_of(other)})
    assert shown(expert, show="mine") == tasks[2:], "of others"
    assert "Mark the tasks first" in expert.post("/tasks/release/", follow=True).content.decode()


def test_a_person_gives_back_many_of_their_own(flow: str) -> None:
    expert, tasks = person(EXPERT), list(open_some(flow, 3).values())
    expert.post("/tasks/take/", {"task": tasks})
    shown_then = expert.post(
        "/tasks/release/", {"task": tasks[:2], "back": "show=mine"}, follow=True
    ).content.decode()
    assert "2 tasks are open again" in shown_then and shown(expert, show="mine") == tasks[2:]


def test_the_load_of_a_person_is_over_all_flows(flow: str) -> None:
    boss, expert = person(f"flow:{flow}:operate"), person(EXPERT)
    expert.post("/tasks/take/", {"task": list(open_some(flow, 3).values())})
    page = page_of(boss, "/tasks/?show=team")
    row = re.search(rf'data-key="{name_of(expert)}:".*?</tr>', page, re.DOTALL)
    assert row and ">3</td>" in row[0] and "Claims 3" in row[0] and "<meter" in row[0]


def test_the_title_counts_what_waits(flow: str) -> None:
    expert = person(EXPERT)
    assert "<title>Tasks" in page_of(expert)
    open_some(flow, 3)
    taken(expert)
    assert "<title>(3) Tasks" in page_of(expert) and "<title>(3) Tasks" in page_of(
        expert, "/tasks/?show=done"
    )


def test_a_browser_asks_what_has_come(flow: str) -> None:
    expert, other = person(EXPERT), person()
    tasks = list(open_some(flow, 2).values())
    assert set(expert.get("/messages/unread/").json()) == {"unread"}
    (newest,) = expert.get("/messages/unread/?tasks=").json()["tasks"]
    assert newest["task"] == tasks[-1] and newest["href"] == f"/tasks/{tasks[-1]}/"
    assert (newest["title"], newest["text"]) == ("Assess the damage", "Claims · P-1")
    assert len(expert.get(f"/messages/unread/?tasks={tasks[0]}").json()["tasks"]) == 1
    assert expert.get(f"/messages/unread/?tasks={tasks[1]}").json()["tasks"] == []
    assert other.get("/messages/unread/?tasks=").json()["tasks"] == []
    assert expert.get("/messages/unread/?tasks=x").status_code == 200


def test_a_list_over_many_flows_asks_each_flow_once(flow: str, django_assert_max_num_queries: Any) -> None:
    expert = person(EXPERT)
    open_some(flow, 40)
    with django_assert_max_num_queries(45):
        page_of(expert, "/tasks/?show=open&columns=note,amount")


def test_empty_lists_say_what_to_do(flow: str) -> None:
    expert = person(EXPERT)
    assert "Nothing is open to you either" in page_of(expert, "/tasks/?show=mine")
    open_some(flow, 2)
    assert "2 are open to you" in page_of(expert, "/tasks/?show=mine")
    assert "stays here" in page_of(expert, "/tasks/?show=done")
    boss = person(f"flow:{flow}:operate")
    assert "No task of this list" in page_of(boss, "/tasks/?show=team&q=P-99")


def test_what_was_put_aside_and_done_can_be_filtered(flow: str) -> None:
    expert, tasks = person(EXPERT), open_some(flow, 3)
    name, (first, second, _third) = name_of(expert), tasks.values()
    for task in (first, second):
        api.tasks.take(task, name, ["r:Expert"])
    api.tasks.put_aside(first, name, timezone.now() + timedelta(hours=1))
    api.tasks.complete(second, name, {"amount": 1})
    assert shown(expert, show="aside", q="P-0") == [first] and shown(expert, show="aside", q="P-1") == []
    assert shown(expert, show="done", q="P-1") == [second] and shown(expert, show="done", q="P-0") == []
