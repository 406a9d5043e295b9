"""WSQL on a database: what its statements do, what they become, and where their errors are."""

from __future__ import annotations

import io
import json
import random
import re
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from flows import api
from flows.definition.files import without_numbers
from flows.errors import StaleBase, UnknownFlow
from flows.languages.wsql import Session, WsqlError, parse
from flows.languages.wsql.run import _Running
from flows.models import Flow, TraceEntry
from flows.operations.design import run_deferred_triggers
from flows.tests.commands import FIGURE_TWO, refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

FIGURE = """
-- Figure 2 of the paper, with named conditions and transitions.
CREATE WED-ATTRIBUTE a1 DEFAULT VALUE 'ready';
create wed-attribute a2; create wed-attribute a3;
CREATE WED-CONDITION c1 WITH PREDICATE a1='ready' and (a2 is null);
CREATE WED-TRANSITION tr_a2 WITH TIMEOUT '3d18h';
CREATE WED-TRIGGER t1 AS (tr_a2, c1);
CREATE WED-TRIGGER t2 AS (tr_a3 WITH TIMEOUT 30s, c2 WITH PREDICATE a1='ready' and (a3 is null));
CREATE WED-TRIGGER tf AS (tr_final WITH TIMEOUT 10s, cf WITH PREDICATE $$a1='ready'
and (a2 is not null)
and (a3 is not null)$$);
CREATE FINAL WED-CONDITION done WITH PREDICATE 'a1 <> ''ready''';
"""
MORE = """
EXPLAIN CREATE WED-FLOW other WITH PASSWORD 'x'; CREATE INSTANCE AS (a1 = 'x', a2 = 3); LIST HISTORY FOR 3;
CREATE WED-ATTRIBUTE doc jsonb DEFAULT VALUE '{}'; CREATE INSTANCE AS DEFAULT VALUES (doc = '[1, {}]');
UPDATE WED-TRANSITION tr_a2 SET TIMEOUT NULL; DISABLE WED-TRIGGER t1;
EXPLAIN LIST FIRED WED-TRANSITIONS FOR 3;
"""
SETS = """
A = {a1 = 'ready', a2, a3};
C = {c1: a1='ready' and (a2 is null), c2: a1='ready' and (a3 is null), cf: a1='ready'
and (a2 is not null)
and (a3 is not null), done: a1 <> 'ready'};
T = {tr_a2: 3d18h, tr_a3: 30s, tr_final: 10s};
G = {t1: (c1, tr_a2), t2: (c2, tr_a3), tf: (cf, tr_final)};
F = done;
"""


@pytest.fixture
def flow(db: None) -> str:
    name = unique()
    api.flows.create(name)
    return name


def wsql(flow: str, text: str, **options: Any) -> list[Any]:
    return [each for done in Session(flow, "alice").run(text, **options) for each in done]


def wrong(flow: str, text: str) -> WsqlError:
    with pytest.raises(WsqlError) as caught:
        wsql(flow, text)
    return caught.value


def place(text: str) -> tuple[str, tuple[int, int]]:
    """Return a text without its mark ¦, and the line and column of the mark."""
    before, _mark, after = text.partition("¦")
    return before + after, (before.count("\n") + 1, len(before) - before.rfind("\n"))


def shape(flow: str) -> Any:
    """Return a definition without what differs by name only."""
    definition = dict(without_numbers(api.flows.definition(flow)))
    return {key: definition[key] for key in ("attributes", "triggers", "default_timeout")}


@pytest.mark.parametrize("text", [FIGURE, SETS])
def test_both_notations_define_figure_two(flow: str, fig2: str, text: str) -> None:
    wsql(flow, text)

    made, known = shape(flow), shape(fig2)
    known["triggers"][-1]["condition"] = "done"
    assert made == known
    assert Flow.objects.get(name=flow).version == 1
    assert TraceEntry.objects.get(wid=api.instances.start(flow)).fired == ["tr_a2", "tr_a3"]


def test_a_person_or_a_role_performs_a_transition(flow: str) -> None:
    wsql(flow, "CREATE WED-ATTRIBUTE a integer; CREATE WED-CONDITION c WITH PREDICATE a = 1")
    wsql(flow, "CREATE WED-TRANSITION t WITH TIMEOUT 5m PERFORMED BY ROLE 'Clerk'")
    wsql(flow, "create wed-transition u performed by person; CREATE WED-TRANSITION w")
    wsql(flow, "UPDATE WED-TRANSITION t SET TIMEOUT 1h; CREATE WED-TRIGGER g1 AS (t, c)")
    wsql(flow, "CREATE WED-TRIGGER g2 AS (u, c); CREATE WED-TRIGGER g3 AS (w, c)")
    wsql(flow, "CREATE WED-CONDITION d WITH PREDICATE a = 2; CREATE WED-TRIGGER g4 AS (t, d)")
    found = [
        (each.get("performer", "worker"), each.get("role", ""))
        for each in api.flows.definition(flow)["triggers"]
    ]
    assert found == [("person", "Clerk"), ("person", ""), ("worker", ""), ("person", "Clerk")]


def test_a_created_flow_has_the_timeout_of_the_draft(db: None) -> None:
    name = unique()

    first = "CREATE WED-TRIGGER g AS (t WITH TIMEOUT NULL, c WITH PREDICATE a = 'x')"
    second = "CREATE WED-TRANSITION u; CREATE WED-TRIGGER h AS (u, c);"
    wsql("", f"CREATE WED-FLOW {name}; CREATE WED-ATTRIBUTE a; {first}; {second}")

    definition = api.flows.definition(name)
    assert definition["default_timeout"] == "01:00:00"
    assert [(each["predicate"], each["timeout"]) for each in definition["triggers"]] == [
        ("a = 'x'", None),
        ("a = 'x'", "01:00:00"),
    ]


def test_the_role_of_a_created_flow_has_its_password(db: None) -> None:
    name = unique()

    wsql("", f"CREATE WED-FLOW {name} WITH PASSWORD 'it''s $$'")

    with connection.cursor() as cursor:
        cursor.execute("select rolcanlogin, rolpassword from pg_authid where rolname = %s", [name])
        assert (found := cursor.fetchone())
    assert found[0] and found[1].startswith("SCRAM-SHA-256$")


def test_no_answer_has_a_password(db: None) -> None:
    text = f"CREATE WED-FLOW {unique()} WITH PASSWORD 'secret'"

    assert "secret" not in run("wsql", "-c", f"EXPLAIN {text}", "--json")
    assert "secret" not in run("wsql", "-c", text, "--json")


def test_conditions_and_transitions_are_kept_and_shared(flow: str) -> None:
    wsql(flow, "CREATE WED-ATTRIBUTE a integer")
    wsql(flow, "CREATE WED-CONDITION small WITH PREDICATE a < 3; CREATE WED-TRANSITION t WITH TIMEOUT 5m")
    assert Flow.objects.get(name=flow).version == 1

    wsql(flow, "T = {u}; CREATE WED-TRIGGER g1 AS (t, small); CREATE WED-TRIGGER g2 AS (u, small)")
    wsql(flow, "CREATE WED-CONDITION big WITH PREDICATE a > 9; CREATE WED-TRIGGER g3 AS (t, big)")
    wsql(flow, "UPDATE WED-TRANSITION t SET TIMEOUT '2 hours'; DISABLE WED-TRIGGER g2")
    wsql(flow, "UPDATE WED-ATTRIBUTE a SET DEFAULT VALUE 2; CREATE WED-TRANSITION later WITH TIMEOUT 1h")

    definition = api.flows.definition(flow)
    triggers = definition["triggers"]
    assert [each["predicate"] for each in triggers] == ["a < 3", "a < 3", "a > 9"]
    assert [each["timeout"] for each in triggers] == ["02:00:00", "00:01:00", "02:00:00"]
    assert [each.get("enabled", True) for each in triggers] == [True, False, True]
    assert definition["attributes"][0]["default"] == "2"
    wsql(flow, "ENABLE WED-TRIGGER g2; UPDATE WED-ATTRIBUTE a SET DEFAULT VALUE NULL")
    definition = api.flows.definition(flow)
    assert definition["triggers"][1].get("enabled", True)
    assert definition["attributes"][0].get("default") is None
    (listed,) = wsql(flow, "LIST WED-TRANSITIONS")
    assert [row[:2] for row in listed.listed.rows] == [
        ["t", "02:00:00"], ["u", "00:01:00"], ["later", "01:00:00"]]  # fmt: skip


def test_lists_show_what_there_is(flow: str) -> None:
    wsql(flow, FIGURE + "CREATE WED-CONDITION unused WITH PREDICATE a2 = 'x'; DISABLE WED-TRIGGER tf")
    wsql(flow, "CREATE INSTANCE AS DEFAULT VALUES; CREATE INSTANCE AS (a1 = 'x')")

    def listed(text: str) -> list[dict[str, Any]]:
        (found,) = (each.listed for each in wsql(flow, text))
        return [dict(zip(found.columns, row, strict=True)) for row in found.rows]

    assert [each["trigger"] for each in listed("LIST WED-TRIGGERS")] == ["t1", "t2", "tf", "_FINAL"]
    assert [each["trigger"] for each in listed("LIST ENABLED WED-TRIGGERS")] == ["t1", "t2", "_FINAL"]
    assert [each["trigger"] for each in listed("list disabled wed-triggers")] == ["tf"]
    assert [each["attribute"] for each in listed("LIST WED-ATTRIBUTES")] == ["a1", "a2", "a3"]
    conditions = {each["condition"]: each for each in listed("LIST WED-CONDITIONS")}
    assert list(conditions) == ["c1", "c2", "cf", "done", "unused"]
    assert (conditions["done"]["final"], conditions["c1"]["triggers"]) == (True, ["t1"])
    assert conditions["unused"]["triggers"] == []
    final, running = listed("LIST INSTANCES")
    assert (final["status"], running["status"]) == ("F", "R")
    assert [each["instance"] for each in listed("LIST FINAL INSTANCES")] == [final["instance"]]
    assert [each["instance"] for each in listed("LIST REGULAR INSTANCES")] == [running["instance"]]
    assert listed("LIST EXCEPTION INSTANCES") == []
    wid = running["instance"]
    assert [each["transition"] for each in listed("LIST FIRED WED-TRANSITIONS")] == ["tr_a2", "tr_a3"]
    (job,) = api.jobs.take_many(flow, ["tr_a2"], 1)
    assert [each["trigger"] for each in listed(f"LIST PENDING FIRED WED-TRANSITIONS FOR {wid}")] == ["t2"]
    assert [each["trigger"] for each in listed("LIST ONGOING FIRED WED-TRANSITIONS")] == ["t1"]
    api.jobs.complete(job, {"a2": "done"})
    assert [each["step"] for each in listed(f"LIST HISTORY FOR {wid}")] == [1, 2]
    assert len(listed("LIST HISTORY")) == 3


def test_a_block_is_one_version_and_an_error_leaves_what_was_committed_before(flow: str) -> None:
    text = """CREATE WED-ATTRIBUTE a;
        BEGIN; CREATE WED-ATTRIBUTE b; CREATE WED-ATTRIBUTE c; COMMIT;
        BEGIN; CREATE WED-ATTRIBUTE x; ROLLBACK;
        BEGIN; CREATE WED-ATTRIBUTE d; CREATE WED-ATTRIBUTE b; COMMIT;"""

    error = wrong(flow, text)

    assert (error.line, "already" in error.message) == (4, True)
    names = [each["name"] for each in api.flows.definition(flow)["attributes"]]
    assert names == ["a", "b", "c"]


def test_a_dry_run_keeps_nothing(flow: str) -> None:
    name = unique()
    session = Session(flow)
    text = f"CREATE WED-FLOW {name}; BEGIN; A = {{a}}; COMMIT; UPDATE WED-ATTRIBUTE a SET DEFAULT VALUE 1"
    assert len(list(session.run(text, dry_run=True))) == 3

    assert session.flow == flow
    with pytest.raises(UnknownFlow):
        api.flows.definition(name)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("CREATE WED-TRIGGER g AS (¦t1, c1)", "no transition “t1”", ""),
        ("CREATE WED-TRANSITION pack; CREATE WED-TRIGGER g AS (¦pak, c1)", "no transition “pak”", "“pack”"),
        ("A={amount}; UPDATE WED-ATTRIBUTE ¦amuont SET DEFAULT VALUE 1", "amuont", "“amount”"),
        ("ENABLE WED-TRIGGER ¦g", "no trigger “g”", ""),
        ("CREATE WED-ATTRIBUTE a; CREATE WED-ATTRIBUTE ¦a", "already", ""),
        ("CREATE WED-ATTRIBUTE ¦status", "reserved", ""),
        ("CREATE WED-ATTRIBUTE a integer DEFAULT VALUE ¦'x'", "", ""),
        ("CREATE WED-ATTRIBUTE a; CREATE WED-CONDITION c WITH PREDICATE a = 1\n and ¦b > 3", "b", ""),
        ("CREATE WED-ATTRIBUTE a; CREATE WED-CONDITION c WITH PREDICATE\n'a = ''x'' and ¦b > 3'", "b", ""),
        ("CREATE WED-ATTRIBUTE a; CREATE WED-CONDITION c WITH PREDICATE a = ¦$$x$$", "dollar", ""),
        ("A={a}; T={t}; C={c: a in ('x', 'y') or ¦now() > a}; G={(c, t), h: (c, t)}", "now", ""),
        ("A={a}; T={t}; C={c: a = 'x'}; G={(t, ¦c)}", "no transition “c”", "(condition, transition)"),
        ("A={a}; C={c: a = 'x', d: a = 'y'}; F = c; F = ¦d", "final condition already", "OR"),
        ("A={a}; C={c: a = 'x'}; T={t: ¦'soon'}; G={(c, t)}", "", ""),
        ("A={a}; C={c: a = 'x'}; T={t: ¦'-1 hour'}", "", ""),
        ("A={a integer}; F = ¦c", "no condition “c”", ""),
        ("LIST INSTANCES; ¦CREATE WED-FLOW pg_x", "reserved", ""),
        ("A={a integer, b}; C={c: a = 1}; F=c; CREATE INSTANCE AS (b = 'x', a = ¦'y')", "", ""),
        ("A={a jsonb}; C={c: a is null}; F=c; CREATE INSTANCE AS (a = ¦'{')", "not JSON", ""),
        ("A={a jsonb}; C={c: a is null}; F=c; CREATE INSTANCE AS (¦b = 'x')", "not an attribute", ""),
        ("BEGIN; LIST INSTANCES; ¦BEGIN; COMMIT", "within another", ""),
        ("¦BEGIN; LIST INSTANCES", "no COMMIT", ""),
        ("¦COMMIT", "no BEGIN", ""),
    ],
)  # fmt: skip
def test_an_error_names_its_place(flow: str, text: str, message: str, hint: str) -> None:
    text, at = place(text)
    version = Flow.objects.get(name=flow).version

    error = wrong(flow, text)

    assert (error.line, error.column) == at, error.sentence
    assert message in error.message
    assert hint in error.hint
    assert Flow.objects.get(name=flow).version == version


def test_all_problems_of_a_text_are_reported_once(flow: str) -> None:
    error = wrong(flow, "A={a, wid}; C={c: b = 1}; T={t, u}; G={(c, t), (c, u)}")

    assert [each.column for each in (error, *error.others)] == [7, 19]


@pytest.mark.parametrize("seed", range(3))
def test_changed_statements_raise_nothing_but_the_error(flow: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same changes each time
    pieces = re.findall(r"[\w-]+|\s+|.", FIGURE + SETS + MORE)
    strange = ["'", "$$", "(", "1e400", "99999999999d", "''", '"é "', "'[[[[1'", "9" * 30, "wid", "a1"]
    for _time in range(25):
        start = chance.randrange(len(pieces))
        some = [*pieces[:60], *pieces[start : start + chance.randrange(1, 80)]]
        for _change in range(chance.randrange(1, 4)):
            at = chance.randrange(len(some))
            some[at : at + 1] = [chance.choice([*strange, chance.choice(pieces)])]
        with suppress(WsqlError):
            wsql(flow, "".join(some))


def test_what_explain_shows_has_the_same_effect(flow: str) -> None:
    other = unique()
    api.flows.create(other)
    later = "UPDATE WED-TRANSITION tr_a2 SET TIMEOUT NULL; DISABLE WED-TRIGGER t1; A = {n integer = 3};"
    for text in (FIGURE, later):
        found = []
        for statement in filter(None, (each.strip() for each in re.split(r";\s*", text))):
            (explained,) = wsql(flow, f"EXPLAIN {statement}")
            found += explained.sql
            wsql(flow, statement)
        with connection.cursor() as cursor:
            cursor.execute(f"set local search_path = {other}, wedsql")
            for each in found:
                same = "tgname = 't1'" if "enabled" in each else "trname = 'tr_a2'"
                mine = re.sub(r"tgid = \d+", same, each)
                cursor.execute(mine.replace(f"'{flow}'", f"'{other}'").replace("%", "%%"))
            cursor.execute("set local search_path = wedsql")
        run_deferred_triggers(connection)

    assert shape(other) == shape(flow)
    assert api.drafts.named_objects(other) == api.drafts.named_objects(flow)


def test_explain_shows_the_query_that_runs(flow: str) -> None:
    wsql(flow, FIGURE)
    wsql(flow, "CREATE INSTANCE AS DEFAULT VALUES")
    texts = ("LIST WED-TRIGGERS", "LIST WED-CONDITIONS", "LIST FIRED WED-TRANSITIONS FOR 3", "LIST INSTANCES",
             "LIST WED-ATTRIBUTES", "LIST WED-TRANSITIONS", "LIST HISTORY")  # fmt: skip
    for text in texts:
        (explained,) = wsql(flow, f"EXPLAIN {text}")
        (listed,) = wsql(flow, text)
        with connection.cursor() as cursor:
            cursor.execute(explained.sql[0])
            assert len(cursor.fetchall()) == len(listed.listed.rows), text


@pytest.mark.django_db(transaction=True)
def test_two_publications_at_once_do_not_undo_each_other() -> None:
    name = unique()
    api.flows.create(name)
    text = "CREATE WED-ATTRIBUTE a"
    (statement,) = parse(text)
    with pytest.raises(StaleBase), transaction.atomic():
        running = _Running(Session(name), text)
        running._statement(statement)
        with closing(connection.copy()) as other:
            definition = json.dumps({"attributes": [{"name": "b"}], "triggers": []})
            with other.cursor() as cursor:
                cursor.execute("select wedsql.publish(%s, %s)", [name, definition])
        running._publish()

    assert [each["name"] for each in api.flows.definition(name)["attributes"]] == ["b"]


def test_what_a_flow_that_needs_approval_gets_waits_for_it(flow: str) -> None:
    api.flows.publish(flow, {"attributes": [], "triggers": [], "needs_approval": True})
    version = api.drafts.running_definition(flow)[0]
    with connection.cursor() as cursor:
        cursor.execute("set local session authorization wed_web")
        try:
            outcomes = wsql(flow, "\n  CREATE WED-ATTRIBUTE a")
        finally:
            cursor.execute("reset session authorization")
    (waiting,) = api.publications.list(flow, only_open=True)
    assert any(f"Publication {waiting.id} waits" in str(each) for each in outcomes)
    assert api.drafts.running_definition(flow)[0] == version
    api.publications.approve(waiting.id, actor="ben")
    assert [each["name"] for each in api.flows.definition(flow)["attributes"]] == ["a"]


def test_the_command_runs_a_text_and_a_file(flow: str, tmp_path: Path) -> None:
    path = tmp_path / "figure.wsql"
    path.write_text(FIGURE)

    output = run("wsql", flow, "-f", str(path))

    assert output.splitlines()[0] == "CREATE WED-ATTRIBUTE a1"
    assert output.splitlines()[-1] == f"Flow {flow} is at version 1."
    assert "3d18h" not in run("wsql", flow, "-c", "LIST WED-TRANSITIONS")
    answer = json.loads(run("wsql", flow, "-c", "CREATE INSTANCE AS (a2 = 'x'); LIST INSTANCES", "--json"))
    started, listed = answer["done"]
    assert (started["status"], listed["rows"][0]["instance"]) == ("R", started["wid"])
    assert run("wsql", flow, "-c", "CREATE WED-ATTRIBUTE b", "--dry-run").endswith("Nothing was kept.\n")
    assert len(api.flows.definition(flow)["attributes"]) == 3


def test_the_command_reports_the_place(flow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    message = refused("wsql", flow, "-c", "CREATE WED-ATTRIBUTE a;\nCREATE WED-ATRIBUTE b")

    assert message.startswith("line 2, column 8: “WED-ATRIBUTE” is not expected here")
    assert "Did you mean “WED-ATTRIBUTE”?" in message
    assert message.endswith("\nCREATE WED-ATRIBUTE b\n       ^")
    assert "not both" in refused("wsql", flow, "-c", "", "-f", str(FIGURE_TWO), code=2)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"LIST \xff"), encoding="utf-8"))
    assert "not text in UTF-8 (byte 5)" in refused("wsql", flow, code=2)
    assert "no flow" in refused("wsql", "nowhere", "-c", "LIST INSTANCES")
    assert "No flow is chosen" in refused("wsql", "-c", "LIST INSTANCES")
