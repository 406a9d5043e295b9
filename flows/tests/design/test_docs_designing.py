"""The examples of docs/designing.md run as shown."""

from __future__ import annotations

import ast
import copy
import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from flows import api
from flows.tests.command.consoles import as_pattern, run, sessions

# The version of a flow increases once per transaction, so each command needs a transaction of its own.
pytestmark = pytest.mark.django_db(transaction=True)

PAGE = (Path(__file__).parents[3] / "docs" / "designing.md").read_text()
FILES = ("tickets.yaml", "checked.yaml")
ORDERS = (Path(__file__).parents[3] / "workers" / "demo" / "flows" / "orders.sql").read_text()
# The section "In tests" is an example of its own, which another test runs.
EXAMPLES = [
    textwrap.dedent(code)
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    if "def test_" not in code
]
Names = dict[str, Any]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A directory with the files of the page; its flow is dropped before and after the test."""
    for name, text in zip(FILES, re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL), strict=True):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    forget()
    yield
    forget()


def forget() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.drop_flow(name, true) from wedsql.flow where name = 'tickets'")
        cursor.execute("delete from wedsql.draft where flow = 'tickets'")
        cursor.execute("delete from wedsql.publication where flow = 'tickets'")


def test_every_command_of_the_page_answers_as_it_says(workplace: None) -> None:
    number = "3"
    assert len(sessions(PAGE)) == 13
    for command, answer in sessions(PAGE):
        output = run(re.sub(r"approve 3", f"approve {number}", command)).rstrip("\n")
        expected = as_pattern(answer).replace(r"Publication\ 3", r"Publication\ \d+")
        assert re.fullmatch(expected, output), f"{command}\n{output}"
        number = next(iter(re.findall(r"^Publication (\d+)", output)), number)


@pytest.fixture
def names(connect: Callable[..., psycopg.Connection[Any]]) -> Iterator[Names]:
    """What the examples begin with: the demo shop as `orders`, with an order, and a changed definition."""
    session = connect()
    # The file's BEGIN takes the statements before it into its transaction, so that this is one version.
    session.execute("select wedsql.create_flow('orders'); set search_path = orders, wedsql;" + ORDERS)
    session.execute("insert into wed_flow (customer, total) values ('Ana', 30)")
    _version, running = api.drafts.running_definition("orders")
    yield {"api": api, "old": running} | dict.fromkeys(("definition", "new", "mine"), changed(running))
    session.execute("select wedsql.drop_flow('orders', true)")
    session.execute("delete from wedsql.draft where flow = 'orders'")
    session.execute("delete from wedsql.publication where flow = 'orders'")


def changed(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition with another condition of the first rule."""
    result = copy.deepcopy(definition)
    result["triggers"][0]["predicate"] += " and items > 0"
    return result


def example(words: str, names: Names, within: AbstractContextManager[Any] | None = None) -> Any:
    """Run the example that has these words in one transaction, and return the value of its last line."""
    [code] = [each for each in EXAMPLES if words in each]
    tree = ast.parse(code)
    last = tree.body.pop()
    with within or transaction.atomic():
        exec(compile(tree, words, "exec"), names)  # noqa: S102
        if isinstance(last, ast.Expr):
            return eval(compile(ast.Expression(last.value), words, "eval"), names)  # noqa: S307
        return exec(compile(ast.Module([last], []), words, "exec"), names)  # noqa: S102


def said(words: str) -> Any:
    """Return the value that the comment at the end of an example says."""
    [code] = [each for each in EXAMPLES if words in each]
    return ast.literal_eval(code.rpartition("# ")[2])


def test_drafts_are_opened_from_the_running_definition_a_file_and_a_version(names: Names) -> None:
    definition, base, at, stale = example("drafts.open(", names)
    assert definition == base == names["old"] and at.branch == "main" and not stale
    assert {draft.branch for draft in api.drafts.list("orders")} == {"main", "trial", "old"}


def test_a_save_is_merged_with_that_of_another_person(names: Names) -> None:
    names["draft"] = api.drafts.open("orders", actor="ann")
    api.drafts.save(names["draft"].at, names["old"] | {"label": "Shop"}, actor="bob")
    example("except StaleDraft", names, nullcontext())
    saved = api.drafts.read("orders").definition
    assert saved["label"] == "Shop" and saved["triggers"] == names["mine"]["triggers"]


def test_a_request_is_approved_by_a_second_person(names: Names) -> None:
    api.flows.publish("orders", names["old"] | {"needs_approval": True})
    _version, running = api.drafts.running_definition("orders")
    opened = api.drafts.open("orders", actor="ann")
    names["draft"] = api.drafts.save(opened.at, changed(running), actor="ann")
    assert example("publications.approve", names).status == "published"


def test_a_draft_takes_over_what_was_published_meanwhile(names: Names) -> None:
    api.drafts.open("orders", actor="ann")
    api.flows.publish("orders", names["definition"])
    example("merge_running", names)
    assert not api.drafts.read("orders").stale


def test_a_choice_is_made_per_group(names: Names) -> None:
    opened = api.drafts.open("orders", actor="ann")
    names["draft"] = api.drafts.save(opened.at, names["definition"], actor="ann")
    assert example("GroupChoices(", names).status == "published"


def test_a_change_is_said_in_sentences(names: Names) -> None:
    assert example("import sentences", names) == said("import sentences")


def test_problems_and_values_of_conditions_are_returned(names: Names) -> None:
    held = example("check_definition", names)
    assert len(held) == len(names["definition"]["triggers"]) and held[2] == "t"
    assert example("completions()", names) > 0


def test_a_trial_says_why_a_condition_does_not_hold(names: Names) -> None:
    assert example("try_start", names) == said("try_start")


def test_a_scenario_goes_as_expected(names: Names) -> None:
    assert example("save_scenario", names) == (True, None)


def test_the_impact_is_what_publishing_does(names: Names) -> None:
    assert example("deviations", names) == {}
