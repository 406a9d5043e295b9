"""manage.py tasks: the example of the documentation, and what it refuses."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.db import transaction

from flows import api
from flows.capabilities.tasks.api import ORDERS
from flows.filters import parse
from flows.queries import tasks as queries
from flows.queries.tasks import Listing
from flows.tests.commands import answer, refused, run

pytestmark = pytest.mark.django_db

PAGE = (Path(__file__).parents[4] / "docs/worklist.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def standing_office(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_office)


def made_office() -> str:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    api.flows.create("expense")
    api.flows.publish("expense", yaml.safe_load(text))
    return "expense"


@pytest.fixture(autouse=True)
def office(standing_office: str, db: None) -> int:
    """Publish the definition of the page, and return the number of an instance."""
    cache.clear()  # it has what other tests have done with the flow
    for name, role in (("ana", "Clerk"), ("eva", "Senior"), ("bob", "Clerk"), ("boss", "Chief")):
        User.objects.create_user(name).groups.add(Group.objects.get_or_create(name=f"role:{role}")[0])
    return api.instances.start(standing_office, {"employee": "Jo", "amount": "12"})


def number() -> int:
    (task,) = api.tasks.of_flow("expense")
    return task.job_id


def test_the_example_of_the_documentation(office: int) -> None:
    calls = re.findall(r"^\$ python manage\.py (.*)$", PAGE, re.MULTILINE)
    assert len(calls) == 5
    for call in calls:
        run(*shlex.split(call.replace("TASK", str(number()))))
    assert api.reasons.explain_instance(office).state["receipts"] == "complete"
    (task,) = answer("tasks", "list", "--person", "eva", "--json")
    assert (task["transition"], task["audience"]) == ("tr_decide", "r:Senior")


def test_each_filter_of_the_page_is_one_and_each_order_is_described() -> None:
    """The instance of the page is met by what is asked of it."""
    (block,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    for line in block.strip().splitlines():
        found = queries.selection(parse(line), lambda flow: flow)
        for order in ORDERS:
            listing = Listing("open", "ana", ["r:Clerk"], order)
            assert len(queries.selected(listing, found, None, 10)) == int(line.startswith("task.name"))
    assert all(f"(`{order}`)" in PAGE for order in ORDERS)


def test_every_option_of_the_page_is_one_of_rules() -> None:
    from flows.definition import TRIGGER

    names = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert len(names) == 9 and set(names) <= set(TRIGGER)


def test_every_error_of_the_page_is_one_of_tasks() -> None:
    from flows.capabilities.tasks import errors

    known = {each.sqlstate for each in vars(errors).values() if getattr(each, "sqlstate", "")}
    assert set(re.findall(r"^\| (WD\d+) \|", PAGE, re.MULTILINE)) == known


def test_every_verb_does_what_the_button_does() -> None:
    task = str(number())
    run("tasks", "lock", task, "--person", "ana")
    assert api.tasks.of_flow("expense")[0].state == "L"
    run("tasks", "start", task, "--person", "ana")
    run("tasks", "aside", task, "--person", "ana", "--minutes", "5")
    assert answer("tasks", "list", "--person", "ana", "--show", "aside", "--json")
    run("tasks", "aside", task, "--person", "ana", "--minutes", "0")
    assert answer("tasks", "list", "--person", "ana", "--show", "mine", "--json")
    run("tasks", "give", task, "--person", "ana", "--to", "bob")
    run("tasks", "take", task, "--person", "bob")
    with transaction.atomic():
        assert "add --held-by" in refused("tasks", "release", task, "--person", "boss", "--force")
        transaction.set_rollback(True)
    run("tasks", "release", task, "--person", "boss", "--force", "--held-by", "bob")
    run("tasks", "take", task, "--person", "bob")
    assert "exception" in run("tasks", "fail", task, "--person", "bob", "--reason", "no paper")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list"], "--person or --flow"),
        (["take"], "needs the number"),
        (["list", "7", "--flow", "expense"], "takes no number"),
        (["take", "7"], "--person"),
        (["take", "7", "a=1", "--person", "ana"], "reads no values"),
        (["take", "7", "--person", "nemo"], "no user"),
        (["start", "7", "--person", "ana", "--outcome", "x"], "does not read"),
        (["give", "7", "--person", "ana", "--to", "nemo"], "--to"),
        (["aside", "7", "--person", "ana"], "--minutes"),
    ],
)
def test_a_wrong_call_says_what_is_missing(words: list[str], said: str) -> None:
    assert said in refused("tasks", *words, code=2)


def test_errors_are_those_of_tasks() -> None:
    task = str(number())
    for words, said in (
        (["take", "999999", "--person", "ana"], "no task 999999"),
        (["take", task, "--person", "eva"], 'role "Clerk"'),
        (["start", task, "--person", "ana"], "do not hold"),
    ):
        place = transaction.savepoint()
        assert said in refused("tasks", *words)
        transaction.savepoint_rollback(place)
    run("tasks", "take", task, "--person", "ana")
    assert "ana has task" in refused("tasks", "take", task, "--person", "bob")


@pytest.mark.parametrize("show", [[], ["--show=mine"], ["--show=aside"], ["--show=done"]])
def test_the_tasks_of_a_person_who_does_not_exist_are_not_an_empty_list(show: list[str]) -> None:
    assert "There is no user “nemo”" in refused("tasks", "list", "--person", "nemo", *show, code=2)


@pytest.mark.parametrize("verb", ["take", "lock", "start", "complete", "fail", "release", "give", "aside"])
def test_no_verb_is_done_for_a_person_who_does_not_exist(verb: str) -> None:
    assert "There is no user “nemo”" in refused("tasks", verb, str(number()), "--person", "nemo", code=2)


def test_the_own_tasks_of_a_flow_are_those_of_the_flow(office: int) -> None:
    run("tasks", "take", str(number()), "--person", "ana")
    for flow, found in (("expense", 1), ("another", 0)):
        if flow == "another":
            api.flows.create(flow)
        assert len(answer("tasks", "list", "--person", "ana", "--show", "mine", "--flow", flow)) == found
