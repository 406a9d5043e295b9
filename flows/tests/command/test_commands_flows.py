"""createflow, loadflow, dumpflow: their output as text and JSON, and their errors."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.db import connection

from flows import api
from flows.access import PERMISSIONS
from flows.errors import WedError
from flows.loading.load import load_sql
from flows.models import Flow, FlowVersion, TraceEntry
from flows.tests.commands import DEMO, FIGURE_TWO, answer, refused, run, write
from flows.tests.operations.flow_packages import shape
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


def test_createflow_makes_an_empty_flow(db: None) -> None:
    name = unique()

    output = run(
        "flow", "create", name, "--label", "Orders", "--final-when-pending", "defer", "--actor", "alice"
    )

    assert name in output
    definition = api.flows.definition(name)
    assert (definition["label"], definition["final_when_pending"]) == ("Orders", "defer")


def test_createflow_answers_in_json(db: None) -> None:
    name = unique()

    assert answer("flow", "create", name)["id"] == Flow.objects.get(name=name).pk


@pytest.mark.parametrize("name", ["wedsql", "a b", "Ä", "", "x" * 64])
def test_createflow_says_what_is_wrong_with_a_name(db: None, name: str) -> None:
    output = refused("flow", "create", name)

    assert "name" in output
    assert "\n" not in output


def test_createflow_refuses_a_second_flow_of_the_name(fig2: str) -> None:
    assert "exists already" in refused("flow", "create", fig2)


def test_a_refusal_in_json_has_code_and_hint(fig2: str) -> None:
    output = StringIO()
    with pytest.raises(CommandError):
        call_command("flow", "create", fig2, "--json", stdout=output)

    error = json.loads(output.getvalue())["error"]
    assert error["code"] == "WD004"
    assert error["hint"]


def test_loadflow_runs_figure_two_word_for_word(fig2: str) -> None:
    wid = api.instances.start(fig2)

    assert [job.transition for job in api.jobs.offer(fig2, ["tr_a2", "tr_a3"])] == ["tr_a2", "tr_a3"]
    assert TraceEntry.objects.get(wid=wid).fired == ["tr_a2", "tr_a3"]
    assert FlowVersion.objects.filter(flow__name=fig2).latest("version").actor == "alice"


def test_loadflow_names_the_flow_after_the_file(db: None, tmp_path: Path) -> None:
    name = unique()

    output = run("flow", "load", write(tmp_path, FIGURE_TWO.read_text(), f"{name}.sql"))

    assert output.strip() == f"Flow {name} is at version 1: 3 attributes, 4 triggers."


def test_loadflow_leaves_the_connection_as_it_was(fig2: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("show search_path")
        assert cursor.fetchone() == ("wedsql",)


@pytest.mark.parametrize(
    ("text", "line", "caret"),
    [
        ("insert into wed_attr (aname)\n  valeus ('a1');", 2, "valeus"),
        ("-- a comment; with a semicolon\n\ninsert into nowhere values (1);", 3, "nowhere"),
        (
            "insert into wed_attr (aname) values ('a1');\n"
            "insert into wed_trig (trname, cpred)\nvalues ('tr_x', $$a1 = 'x'\n  and a9 is null$$);",
            4,
            "a9",
        ),
        (
            "insert into wed_attr (aname) values ('a1');\ninsert into wed_attr (aname) values ('a1');",
            2,
            "insert",
        ),
        ("insert into wed_attr (aname) values ('a b');", 1, "insert"),
        ("begin;\n/* one\n/* two */ */ rollback;", 3, ""),
        ("\\i other.sql", 1, "\\i"),
        ("select 'it''s; all' as \"a;b\", $x$ ; $$ $x$; selct 1", 1, "selct"),
    ],
)
def test_loadflow_reports_line_and_position_and_leaves_nothing(
    db: None, tmp_path: Path, text: str, line: int, caret: str
) -> None:
    name = unique()

    output = refused("flow", "load", write(tmp_path, text), "--flow", name)

    sentence, shown, pointer = output.split("\n")
    assert sentence.startswith(f"line {line}: ")
    assert shown[pointer.index("^") :].startswith(caret)
    assert not Flow.objects.filter(name=name).exists()


def test_loadflow_takes_back_everything_even_after_a_commit_in_the_file(db: None, tmp_path: Path) -> None:
    name = unique()
    text = "begin; insert into wed_attr (aname) values ('a1'); commit; begin; nonsense; commit;"

    refused("flow", "load", write(tmp_path, text), "--flow", name)

    assert not Flow.objects.filter(name=name).exists()


def test_loadflow_adds_to_a_flow_that_is_there(fig2: str, tmp_path: Path) -> None:
    run("flow", "load", write(tmp_path, "insert into wed_attr (aname) values ('a4')"), "--flow", fig2)

    assert [a["name"] for a in api.flows.definition(fig2)["attributes"]] == ["a1", "a2", "a3", "a4"]


@pytest.mark.parametrize("what", ["missing", "directory", "binary"])
def test_a_file_that_cannot_be_read_is_bad_usage(db: None, tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.sql"
    if what == "directory":
        path.mkdir()
    elif what == "binary":
        path.write_bytes(b"\xff\xfe")

    assert str(path) in refused("flow", "load", str(path), code=2)


@pytest.mark.parametrize("demo", ["fig2", "counter", "orders", "expenses"])
@pytest.mark.parametrize("kind", ["sql", "json"])
def test_what_dumpflow_writes_loads_again_as_the_same_flow(
    db: None, tmp_path: Path, demo: str, kind: str
) -> None:
    first, second = unique(), unique()
    run("flow", "load", str(DEMO / f"{demo}.sql"), "--flow", first)
    with connection.cursor() as cursor:
        cursor.execute(
            "update wedsql.flow set label = 'It''s', final_when_pending = 'cancel', retention = '1 month',"
            " max_firings = 9 where name = %s",
            [first],
        )

    dumped = run("flow", "show", first, "--format", kind)
    run("flow", "load", write(tmp_path, dumped, f"x.{kind}"), "--flow", second)

    again = run("flow", "show", second, "--format", kind)
    assert _anonymous(again, second) == _anonymous(dumped, first)
    assert shape(second)["columns"] == shape(first)["columns"]
    assert shape(second)["triggers"] == shape(first)["triggers"]


def _anonymous(text: str, name: str) -> str:
    return re.sub(r"version\W+\d+", "version", text.replace(name, "FLOW"))


def test_dumpflow_quotes_what_needs_it(db: None, tmp_path: Path) -> None:
    first, second = unique(), unique()
    api.flows.create(first)
    predicate = "a1 = '$$' or a1 = 'it''s $q1$' or a1 = '\\'"
    api.flows.publish(
        first,
        {
            "attributes": [{"name": "a1", "default": "o'$$\\"}],
            "triggers": [{"transition": "tr_a", "predicate": predicate}],
        },
    )

    run("flow", "load", write(tmp_path, run("flow", "show", first)), "--flow", second)

    assert api.flows.definition(second)["triggers"][0]["predicate"] == predicate
    assert api.flows.definition(second)["attributes"][0]["default"] == "o'$$\\"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"attributes": 1}', '{"attributes": [], "triggers": [{"x": 1}]}']
)
def test_loadflow_refuses_json_that_is_no_definition(db: None, tmp_path: Path, text: str) -> None:
    name = unique()

    refused("flow", "load", write(tmp_path, text, "x.json"), "--flow", name)

    assert not Flow.objects.filter(name=name).exists()


def test_loadflow_creates_no_flow_whose_definition_is_refused(db: None, tmp_path: Path) -> None:
    name, text = unique(), "attributes: [{name: a}]\ntriggers: [{transition: tr_x, predicate: nowhere = 1}]"

    assert "nowhere" in refused("flow", "load", write(tmp_path, text, "flow.yaml"), "--flow", name)

    assert not Flow.objects.filter(name=name).exists()


@pytest.mark.parametrize("text", ["\\i other.sql", "savepoint here", "rollback"])
def test_loadflow_says_what_cannot_stand_in_a_definition(db: None, tmp_path: Path, text: str) -> None:
    assert "cannot stand in a definition" in refused(
        "flow", "load", write(tmp_path, text), "--flow", unique()
    )


LATE = """
create function pg_temp.late() returns trigger language plpgsql as
  $$ begin raise exception 'Found late.' using errcode = 'WD010'; end $$;
create constraint trigger zz_late after insert on wedsql.attr deferrable initially deferred
  for each row execute function pg_temp.late();
insert into wed_attr (aname) values ('a9')
"""


def test_loadflow_reports_what_only_the_commit_finds(fig2: str, tmp_path: Path) -> None:
    assert "Found late." in refused("flow", "load", write(tmp_path, LATE), "--flow", fig2)


def test_what_only_the_commit_finds_is_an_error_of_the_kernel(fig2: str) -> None:
    with pytest.raises(WedError, match="Found late"):
        load_sql(fig2, LATE, "alice")


def test_numbers_in_a_file_do_not_count(fig2: str, tmp_path: Path) -> None:
    """They are those of the database that the file comes from: here they would exchange two attributes."""
    before = dict(Flow.objects.get(name=fig2).attributes.values_list("name", "aid"))
    definition: Any = api.flows.definition(fig2)
    numbers = list(before.values())
    for attribute, number in zip(definition["attributes"], numbers[1:] + numbers[:1], strict=True):
        attribute["id"] = number

    run("flow", "load", write(tmp_path, json.dumps(definition), "x.json"), "--flow", fig2)

    assert dict(Flow.objects.get(name=fig2).attributes.values_list("name", "aid")) == before


@pytest.mark.parametrize("command", ["dumpflow", "jobs", "startinstance", "makeflowmigrations"])
def test_an_unknown_flow_is_reported_in_one_sentence(db: None, command: str) -> None:
    output = refused(command, "nowhere")

    assert output.startswith("There is no flow")
    assert "\n" not in output


@pytest.mark.parametrize("command", ["createflow", "loadflow", "flowdraft"])
def test_a_flow_that_a_command_defines_has_its_groups(db: None, tmp_path: Path, command: str) -> None:
    name = unique()
    if command == "createflow":
        run(command, name)
    elif command == "loadflow":
        run(command, write(tmp_path, FIGURE_TWO.read_text(), f"{name}.sql"))
    else:
        draft = {"attributes": [{"name": "a"}], "triggers": [{"predicate": "a = 'x'", "final": True}]}
        run(command, "open", name, "--file", write(tmp_path, json.dumps(draft), "flow.json"))
        run(command, "publish", name)
    made = set(Group.objects.filter(name__startswith=f"flow:{name}").values_list("name", flat=True))
    assert made == {f"flow:{name}", *(f"flow:{name}:{each}" for each in PERMISSIONS if each != "see")}
