"""A definition leaves as YAML, JSON, SQL or a package of migrations, and comes back into a draft."""

from __future__ import annotations

import html
import io
import re
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from flows import api
from flows.definition import ATTRIBUTE, TRIGGER, places
from flows.definition.files import NotReadable, without_numbers
from flows.definition.flow import FLOW
from flows.definition.literals import literal, quoted
from flows.designer.editor import files
from flows.designer.editor.files import MEMBER
from flows.loading import read_sql
from flows.models import Flow
from flows.tests.designer import browser
from flows.tests.imported.test_definition_complete import DEFINITION
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db


def address(flow: str, tab: str, query: str = "") -> str:
    return reverse(f"admin:flows_flow_{tab}", args=[Flow.objects.get(name=flow).pk]) + query


def exported(client: Client, flow: str, name: str) -> bytes:
    version = api.drafts.running_definition(flow)[0]
    answer = client.get(address(flow, "versions", f"?format={name}&version={version}"))
    assert answer["Content-Disposition"] == f'attachment; filename="{flow}-{version}.{name}"'
    return answer.content


def imported(client: Client, flow: str, name: str, content: bytes) -> Any:
    sent = {"do": "upload", "file": SimpleUploadedFile(name, content)}
    return client.post(address(flow, "text"), sent, follow=True)


def shown(answer: Any) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode()))


def given(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition without what is the default."""
    other = ("attributes", "triggers", "flow", "version")
    return FLOW.given({key: value for key, value in definition.items() if key not in other}) | {
        "attributes": [ATTRIBUTE.given(each) for each in definition["attributes"]],
        "triggers": [TRIGGER.given(each) for each in definition["triggers"]],
    }


@pytest.mark.parametrize("name", files.DOWNLOADS)
def test_each_format_comes_back_as_the_same_definition(alice: Client, name: str) -> None:
    flow = unique()
    api.flows.create(flow)
    api.flows.publish(flow, DEFINITION)
    running = api.drafts.running_definition(flow)[1]

    answer = imported(alice, flow, f"d.{name}", exported(alice, flow, name))

    assert answer.status_code == 200 and "It is not saved yet" in shown(answer)
    typed = answer.context["typed"]
    assert given(places.read(typed.text, typed.format).definition) == given(without_numbers(running))
    assert api.drafts.list(flow) == []
    sent = {"do": "save", "text": typed.text, "format": typed.format, "seen": answer.context["design"].seen}
    alice.post(address(flow, "text"), sent)
    for draft in api.drafts.list(flow):
        assert given(api.drafts.read(flow, draft.branch).definition) == given(running)


def test_the_package_has_the_files_of_a_flow_with_its_first_migration(alice: Client, fig2: str) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(alice, fig2, "zip"))) as package:
        names = {name.partition("/")[2] for name in package.namelist()}
        migration = next(name for name in package.namelist() if name.endswith("0001_initial.py"))
        text = package.read(migration).decode()

    inside = ("__init__.py", "apps.py", "migrations/__init__.py", "migrations/0001_initial.py")
    assert names == {"__init__.py", *(f"{fig2}/{name}" for name in (*inside, "transitions.py", MEMBER))}
    made: dict[str, Any] = {}
    exec(compile(text, migration, "exec"), made)  # noqa: S102 - what the product wrote
    operations = made["Migration"].operations
    assert [type(one).__name__ for one in operations][:2] == ["CreateFlow", "AddAttribute"]


def zipped(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in members.items():
            package.writestr(name.replace("__", "/") + ".yaml", content)
    return made.getvalue()


BOMB = b"a: &a [x, x, x]\nb: &b [*a, *a, *a]\nattributes: [*b, *b]\ntriggers: []\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("d.yaml", BOMB, "line 2, column 8"),
        ("d.yaml", b"attributes: []\ntriggers: ]", "line 2, column 11"),
        ("d.json", b'{"attributes": [}', "line 1, column 17"),
        ("d.sql", b"INSERT INTO wed_attr (aname)\nVALUES (now());", "line 2, column 9"),
        ("d.yaml", b"x" * 4_000_001, "4000001 bytes"),
        ("d.yaml", b"x: " + b"y" * 1_000_001, "1000004 characters"),
        ("d.zip", zipped(definition=b" " * 4_000_009), "4000001 bytes"),
        ("d.zip", zipped(other=b"x"), "no single file"),
        ("d.zip", zipped(a__definition=b"x", b__definition=b"x"), "no single file"),
        ("d.zip", b"PK\x03\x04 nothing", "cannot be opened"),
        ("d.zip", zipped(definition=BOMB), "line 2, column 8"),
        ("d.yaml", b"\xff\xfe", "UTF-8"),
        ("d.exe", b"attributes: []", "whose names end in"),
    ],
    ids=[str(n) for n in range(13)],
)
def test_what_cannot_be_imported_is_said_with_its_place(
    alice: Client, fig2: str, name: str, content: bytes, expected: str
) -> None:
    answer = imported(alice, fig2, name, content)

    assert answer.status_code == 200 and expected in shown(answer)
    assert api.drafts.list(fig2) == []


LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"  # what each part of a package begins with
LONGER = (10**6).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("method", "changes"),
    [
        (zipfile.ZIP_STORED, [(LOCAL, 8, b"\x63"), (CENTRAL, 10, b"\x63")]),
        (zipfile.ZIP_STORED, [(LOCAL, 6, b"\x01"), (CENTRAL, 8, b"\x01")]),
        (zipfile.ZIP_STORED, [(CENTRAL, 20, LONGER * 2)]),
        (zipfile.ZIP_DEFLATED, [(LOCAL, 30 + len(MEMBER), b"\xff" * 6)]),
        (zipfile.ZIP_LZMA, [(LOCAL, 30 + len(MEMBER) + 12, b"\xff" * 12)]),
    ],
    ids=["unknown method", "password", "too short", "not deflated", "not compressed by LZMA"],
)
def test_a_damaged_package_is_not_opened(method: int, changes: list[tuple[bytes, int, bytes]]) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as package:
        package.writestr(MEMBER, "attributes: []\ntriggers: []\n")
    content = bytearray(made.getvalue())
    for part, offset, changed in changes:
        place = content.index(part) + offset
        content[place : place + len(changed)] = changed

    with pytest.raises(NotReadable, match="cannot be opened"):
        files.uploaded(SimpleUploadedFile("d.zip", bytes(content)))


def test_only_who_may_design_imports(alice: Client, fig2: str) -> None:
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_flow"))
    client = browser(viewer)

    assert imported(client, fig2, "d.yaml", b"attributes: []\ntriggers: []").status_code == 404
    assert 'type="file"' not in client.get(address(fig2, "text")).content.decode()
    assert exported(client, fig2, "sql")


SCRIPT = """
-- The paper's form.
BEGIN;
UPDATE wedsql.flow SET label = 'It''s a flow', max_firings = 7 WHERE name = current_schema();
insert into wed_attr (aname, type, options) values ('a', 'enum', '{x, y}'), ('b', 'text', NULL);
INSERT INTO wed_trig (trname, cpred, writes, timeout) VALUES
  ('tr_a', $q$a = 'x' and b <> '$$'$q$, ARRAY['b']::text[], '5 min'::interval);
/* the end */ INSERT INTO wed_trig (cpred, cfinal) VALUES ('a = ''y''', true);
COMMIT;
"""


def test_a_script_of_the_paper_is_read_without_running_it() -> None:
    assert read_sql(SCRIPT) == {
        "label": "It's a flow",
        "max_firings": 7,
        "attributes": [
            {"name": "a", "type": "enum", "options": ["x", "y"]},
            {"name": "b", "type": "text", "options": None},
        ],
        "triggers": [
            {"transition": "tr_a", "predicate": "a = 'x' and b <> '$$'", "writes": ["b"], "timeout": "5 min"},
            {"predicate": "a = 'y'", "final": True},
        ],
    }


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ("drop table wed_attr;", (1, 1)),
        ("BEGIN;\n  delete from wed_trig;", (2, 3)),
        ("insert into wed_flow (a) values ('x')", (1, 13)),
        ("insert into wed_attr values ('x')", (1, 22)),
        ("insert into wed_attr (nowhere) values ('x')", (1, 23)),
        ("insert into wed_attr (aname, adv) values ('x')", (1, 42)),
        ("insert into wed_attr (aname) values ((select 1))", (1, 38)),
        ("insert into wed_attr (aname) values ('x') returning 1", (1, 43)),
        ("insert into wed_attr (aname) values ('x'", (1, 41)),
        ("update wedsql.flow set id = 1", (1, 24)),
        ("update pg_proc set a = 1", (1, 8)),
    ],
)
def test_other_sql_is_rejected_with_its_place(script: str, place: tuple[int, int]) -> None:
    with pytest.raises(NotReadable) as found:
        read_sql(script)
    assert (found.value.line, found.value.column) == place


def test_a_script_that_is_too_long_is_not_read() -> None:
    with pytest.raises(NotReadable, match="at most 1000000"):
        read_sql(" " * 1_000_001)


@pytest.mark.parametrize("condition", ["a = '$$'", "a = '$q1$ $$'", "a = b$", "$q", "$$ $q1$ $q2$", "'"])
def test_a_condition_with_dollar_signs_comes_back(condition: str) -> None:
    script = f"insert into wed_trig (cpred, label) values ({quoted(condition)}, {literal(condition)})"
    assert read_sql(script)["triggers"] == [{"predicate": condition, "label": condition}]
