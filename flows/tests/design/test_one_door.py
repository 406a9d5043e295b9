"""A definition that comes whole, from a form, a file or a text, is published as a draft like any other."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from flows import api
from flows.models import FlowVersion
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.command.test_command_importgraph import ORDERS
from flows.tests.commands import refused, run, write
from flows.tests.designer import change
from flows.tests.pages import unique
from flows.tests.pdl.pdl import workflow

BASE = Path(settings.BASE_DIR)
PACKAGES = ("flows", "monitor", "workers", "wedsql_site")
# What writes a definition without a draft. The list may become shorter, not longer.
DIRECT = {
    "flows/loading/load.py": "SQL statements as the paper has them; submitted where a second person approves",
    "flows/loading/reader.py": "reads such statements, and runs none",
    "flows/loading/dump.py": "writes such statements to a file, and runs none",
    "flows/languages/wsql/explain.py": "shows such statements, and runs none",
    "flows/operations/design.py": "migrations of flows, which are reviewed and run with the code",
    "flows/admin/definition_rows.py": "rows that are taken back when their definition is read",
}
ROWS = re.compile(r"\b(insert\s+into|update|delete\s+from)\s+(only\s+)?wedsql\.(trig|attr|flow)\b", re.I)
MODELS = {"Attribute", "Trigger", "Flow"}
WRITES = {"create", "bulk_create", "update", "bulk_update", "delete", "get_or_create", "update_or_create"}

Door = Callable[[Client, str, Path], object]


def by_form(client: Client, flow: str, _place: Path) -> object:
    return change(client, flow, label="By the form", reason="So.")


def by_page(client: Client, flow: str, _place: Path) -> object:
    file = SimpleUploadedFile("order.bpmn", ORDER)
    return client.post("/admin/flows/flow/import/", {"name": flow, "file": file, "do": "publish"})


def by_load(_client: Client, flow: str, place: Path) -> object:
    rule = {"transition": "tr_a", "predicate": "a is null"}
    definition = {"attributes": [{"name": "a"}], "triggers": [rule]}
    return run("loadflow", write(place, json.dumps(definition), "x.json"), "--flow", flow)


def by_graph(_client: Client, flow: str, place: Path) -> object:
    return run("importgraph", write(place, ORDERS, "x.yaml"), "--flow", flow)


def by_bpmn(_client: Client, flow: str, place: Path) -> object:
    return run("importbpmn", write(place, ORDER.decode(), "x.bpmn"), "--flow", flow)


def by_pdl(_client: Client, flow: str, place: Path) -> object:
    return run("importpdl", write(place, workflow("a: m { ROLE r; }"), "x.pdl"), "--flow", flow)


def by_wsql(_client: Client, flow: str, place: Path) -> object:
    return run("wsql", flow, "-f", write(place, "CREATE WED-ATTRIBUTE w", "x.wsql"))


DOORS: dict[str, Door] = {
    "form": by_form, "page": by_page, "loadflow": by_load, "importgraph": by_graph, "importbpmn": by_bpmn,
    "importpdl": by_pdl, "wsql": by_wsql,
}  # fmt: skip


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
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": []})
    return name


@pytest.mark.parametrize("door", DOORS)
def test_a_definition_is_published_as_a_draft(door: str, flow: str, alice: Client, tmp_path: Path) -> None:
    before = api.flows.definition(flow)
    DOORS[door](alice, flow, tmp_path)
    version = FlowVersion.objects.filter(flow__name=flow).latest("version")
    (done,) = api.publications.list(flow)
    assert (done.status, done.version) == ("published", version.version) and api.flows.definition(
        flow
    ) != before
    assert done.branch.startswith("submitted-") and done.requested_by == version.actor
    assert api.drafts.list(flow) == [], "it is discarded once it is published"


@pytest.mark.parametrize("door", DOORS)
def test_where_a_second_person_approves_it_waits(door: str, flow: str, alice: Client, tmp_path: Path) -> None:
    api.flows.publish(flow, {"attributes": [{"name": "a"}], "triggers": [], "needs_approval": True})
    before = api.drafts.running_definition(flow)
    DOORS[door](alice, flow, tmp_path)
    assert api.drafts.running_definition(flow) == before
    (waiting,) = api.publications.list(flow, only_open=True)
    (draft,) = api.drafts.list(flow)
    assert (waiting.status, waiting.branch) == ("requested", draft.branch)
    assert api.publications.approve(waiting.id, actor="a second person").status == "published"
    assert api.drafts.running_definition(flow)[1] != before[1]


SCRIPT = """
begin;
insert into wed_attr (aname) values ('b');
insert into wed_trig (trname, cpred) values ('tr_b', 'b is null');  -- refers to it
update wedsql.flow set label = 'By SQL', needs_approval = false where name = '{flow}';
commit;
"""


def test_statements_in_sql_wait_where_a_second_person_approves(flow: str, tmp_path: Path) -> None:
    """Also by the owner of the kernel, whose statements the database would accept."""
    api.flows.publish(flow, {"attributes": [{"name": "a"}], "triggers": [], "needs_approval": True})
    (known,) = api.drafts.running_definition(flow)[1]["attributes"]
    file = write(tmp_path, SCRIPT.format(flow=flow), "x.sql")
    assert "approval" in run("loadflow", file, "--flow", flow, "--actor", "ana")
    assert api.drafts.running_definition(flow)[1]["attributes"] == [known]
    (waiting,) = api.publications.list(flow, only_open=True)
    assert (waiting.requested_by, waiting.reason) == ("ana", "loaded from x.sql")
    assert api.publications.approve(waiting.id, actor="a second person").status == "published"
    published = api.drafts.running_definition(flow)[1]
    assert [one["name"] for one in published["attributes"]] == ["a", "b"] and known in published["attributes"]
    assert (published["label"], published.get("needs_approval", False)) == ("By SQL", False)


@pytest.mark.parametrize(
    "statement",
    ["insert into wed_flow (a) values ('x')", "select wedsql.start('{flow}')", "drop table wed_flow",
     "with x as (delete from wed_trig returning 1) select 1", "select wedsql.publish('{flow}', '{{}}')"],
)  # fmt: skip
def test_a_script_that_does_more_is_rejected_there(flow: str, statement: str, tmp_path: Path) -> None:
    api.flows.publish(flow, {"attributes": [{"name": "a"}], "triggers": [], "needs_approval": True})
    before = api.drafts.running_definition(flow)
    text = "insert into wed_attr (aname) values ('b');\n" + statement.format(flow=flow)
    said = refused("loadflow", write(tmp_path, text, "x.sql"), "--flow", flow)
    assert said.startswith("line 2: A second person approves the definition of flow")
    assert api.drafts.running_definition(flow) == before and api.publications.list(flow) == []


def test_a_draft_that_someone_writes_stays_as_it_is(flow: str, alice: Client, tmp_path: Path) -> None:
    draft = api.drafts.open(flow, actor="ana")
    mine = dict(draft.definition) | {"label": "Mine"}
    api.drafts.save(draft.at, mine, actor="ana")
    for door in DOORS.values():
        door(alice, flow, tmp_path)
    assert api.drafts.read(flow).definition["label"] == "Mine"
    assert [one.branch for one in api.drafts.list(flow)] == ["main"]


def test_numbers_of_another_flow_do_not_count(flow: str) -> None:
    (attribute,) = api.drafts.running_definition(flow)[1]["attributes"]
    given = {"attributes": [{"name": "b", "id": attribute["id"]}], "triggers": []}
    api.publications.submit(flow, given)
    (found,) = api.drafts.running_definition(flow)[1]["attributes"]
    assert found["name"] == "b" and found["id"] != attribute["id"], "another one, not a renamed one"
    api.publications.submit(flow, {"attributes": [found | {"name": "c"}], "triggers": []}, numbered=True)
    (renamed,) = api.drafts.running_definition(flow)[1]["attributes"]
    assert renamed == found | {"name": "c"}
    unknown = {"attributes": [renamed, {"name": "d", "id": 10**6}], "triggers": []}
    api.publications.submit(flow, unknown, numbered=True)
    assert [one["name"] for one in api.drafts.running_definition(flow)[1]["attributes"]] == ["c", "d"]


def modules() -> Iterator[Path]:
    for package in PACKAGES:
        for path in (BASE / package).rglob("*.py"):
            if not {"tests", "migrations"} & set(path.parts) and path.name != "conftest.py":
                yield path


def writes_directly(tree: ast.AST) -> bool:
    """Return whether a module publishes without a draft, or writes the rows of a definition."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ROWS.search(node.value):
            return True
        if isinstance(node, ast.Constant) and "wedsql.publish(" in str(node.value):
            return True
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr == "publish" and not any(one.arg == "dry_run" for one in node.keywords):
            owner = node.func.value
            if ast.unparse(owner) in ("api.flows", "kernel.flows"):
                return True
        if node.func.attr in WRITES and MODELS & {
            one.id for one in ast.walk(node.func) if isinstance(one, ast.Name)
        }:
            return True
    return False


def test_nothing_else_writes_a_definition() -> None:
    found = {
        str(path.relative_to(BASE)) for path in modules() if writes_directly(ast.parse(path.read_text()))
    }
    assert found - {"flows/engine/definitions.py"} <= set(DIRECT), "submit it: flows.api.publications.submit"


@pytest.mark.parametrize(
    ("text", "direct"),
    [
        ("api.flows.publish(flow, definition)", True),
        ("api.flows.publish(flow, definition, dry_run=True)", False),
        ("api.publications.submit(flow, definition)", False),
        ("cursor.execute('UPDATE wedsql.trig SET x = 1')", True),
        ("cursor.execute('select * from wedsql.trig')", False),
        ("Trigger.objects.filter(pk=1).update(name='x')", True),
        ("Trigger.objects.filter(pk=1).count()", False),
    ],
)
def test_the_walk_sees_what_writes(text: str, direct: bool) -> None:
    assert writes_directly(ast.parse(text)) == direct
