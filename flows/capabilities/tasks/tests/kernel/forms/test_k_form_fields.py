"""Fields of forms: options, rows of tables and files are checked when the task is completed (T-037)."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.cases.files import FileLimits
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

CLERK = ["r:Clerk"]
LIMITS = FileLimits(size=100_000, of_case=4, of_flow=250_000)
PNG = bytes.fromhex("89504e470d0a1a0a") + b"picture"
COLUMNS = [
    {"name": "part"},
    {"name": "count", "type": "integer", "required": True},
    {"name": "price", "type": "numeric"},
    {"name": "used", "type": "boolean"},
    {"name": "day", "type": "date"},
    {"name": "size", "type": "choice", "options": ["S", "M"]},
]


def form(*fields: dict[str, Any]) -> Any:
    return Jsonb({"sections": [{"fields": list(fields)}]})


@pytest.fixture
def desk(kit: Kit) -> Kit:
    kit.attrs("town", "colour", "done")
    for name in ("tags", "parts", "photo", "paper"):
        kit.attr(name, kind="jsonb")
    kit.trig(
        "tr_assess",
        "done is null",
        performer="person",
        role="Clerk",
        outcomes=["Accept: done = 'yes'"],
        form=form(
            {"attribute": "colour", "kind": "choice", "options": ["red", "blue"]},
            {"attribute": "tags", "kind": "choices", "options": ["new", "dear"]},
            {"attribute": "parts", "kind": "table", "columns": COLUMNS},
            {
                "attribute": "photo",
                "kind": "file",
                "accept": ["image/*"],
                "max_kb": 50,
                "capture": "environment",
            },
            {"attribute": "paper", "kind": "file"},
        ),
    )
    kit.final("done = 'yes'")
    return kit


def task(kit: Kit, person: str = "ana", **state: Any) -> tuple[int, int]:
    """Start an instance, and return it with the task that the person has taken."""
    wid = kit.start(**state)
    (found,) = [each for each in api.tasks.open(person, CLERK, conn=kit.conn) if each.wid == wid]
    api.tasks.take(found.job_id, person, CLERK, conn=kit.conn)
    return wid, found.job_id


def attach(kit: Kit, job: int, content: bytes, name: str = "a.txt", attribute: str = "paper",
           person: str = "ana", limits: FileLimits = LIMITS) -> dict[str, Any]:  # fmt: skip
    return api.task_forms.attach_file(job, person, attribute, name, content, limits, conn=kit.conn)


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ({"colour": "red", "tags": ["new", "dear"]}, None),
        ({"colour": "green"}, {"colour": "option"}),
        ({"colour": "Red"}, {"colour": "option"}),
        ({"tags": ["old"]}, {"tags": "option"}),
        ({"tags": "new"}, {"tags": "option"}),
        ({"tags": [1]}, {"tags": "option"}),
        ({"tags": [None]}, {"tags": "option"}),
        ({"tags": {"new": 1}}, {"tags": "option"}),
        ({"colour": None, "tags": None, "parts": None, "photo": None}, None),
        ({"parts": []}, None),
        ({"parts": [{"count": 1, "price": 1.5, "used": True, "day": "2024-02-29", "size": "S"}]}, None),
        ({"parts": [{"count": 1, "note": {"any": 1}}]}, None),
        ({"photo": "x"}, {"photo": "file"}),
        ({"photo": {"name": "a", "size": 1, "type": "image/png", "sha256": "0" * 64}}, {"photo": "file"}),
        ({"photo": [1], "colour": "green"}, {"photo": "file", "colour": "option"}),
    ],
)  # fmt: skip
def test_a_value_is_one_that_its_field_takes(desk: Kit, data: Any, wrong: Any) -> None:
    _wid, job = task(desk)
    if wrong is None:
        assert api.tasks.complete(job, "ana", data, "Accept", conn=desk.conn).status == "F"
        return
    with refused("WD595") as why:
        api.tasks.complete(job, "ana", data, "Accept", conn=desk.conn)
    assert why.facts["wrong"] == wrong


@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        ([{"part": "x"}], [(1, "count")]),
        ([{"count": 1}, {"count": "2"}], [(2, "count")]),
        ([{"count": 1.5}], [(1, "count")]),
        ([{"count": 1, "price": "dear"}], [(1, "price")]),
        ([{"count": 1, "used": "yes"}], [(1, "used")]),
        ([{"count": 1, "day": "2023-02-29"}], [(1, "day")]),
        ([{"count": 1, "day": "tomorrow"}], [(1, "day")]),
        ([{"count": 1, "size": "L"}], [(1, "size")]),
        ([{"count": 1, "part": {"a": 1}}], [(1, "part")]),
        ([{"count": None, "size": 1}], [(1, "count"), (1, "size")]),
        ([1], [(0, None)]),
        ({"count": 1}, [(0, None)]),
        ([{"count": 1}] * 501, [(0, None)]),
    ],
)
def test_rows_of_a_table_have_the_types_of_its_columns(desk: Kit, rows: Any, cells: Any) -> None:
    _wid, job = task(desk)
    with refused("WD595") as why:
        api.tasks.complete(job, "ana", {"parts": rows}, "Accept", conn=desk.conn)
    assert why.facts["wrong"] == {"parts": "cells"}
    assert [(one["row"], one.get("column")) for one in why.facts["cells"]["parts"]] == cells


def test_what_was_there_before_may_stay(desk: Kit) -> None:
    wid, job = task(desk, colour="green", parts='[{"count": "many"}]', photo='"on paper"')
    assert api.tasks.complete(job, "ana", {"tags": ["new"]}, "Accept", conn=desk.conn).status == "F"
    assert desk.state(wid)["colour"] == "green"


def test_a_file_is_sent_written_and_read(desk: Kit) -> None:
    wid, job = task(desk)
    made = attach(desk, job, PNG, "../my photo.png", "photo")
    digest = hashlib.sha256(PNG).hexdigest()
    assert made == {"name": "my photo.png", "size": len(PNG), "type": "image/png", "sha256": digest}
    assert api.task_forms.read_file(wid, "photo", made["sha256"], "ana", conn=desk.conn)[1] == PNG
    for other in ((wid, "photo", None, "ana"), (wid, "photo", made["sha256"], "bob"),
                  (wid, "paper", made["sha256"], "ana"), (wid + 1, "photo", digest, "ana")):  # fmt: skip
        with refused("WD539"):
            api.task_forms.read_file(*other, conn=desk.conn)
    api.tasks.complete(job, "ana", {"photo": made}, "Accept", conn=desk.conn)
    assert api.task_forms.read_file(wid, "photo", conn=desk.conn) == (made, PNG)
    assert api.task_forms.read_file(wid, "photo", made["sha256"], "bob", conn=desk.conn) == (made, PNG)
    with refused("WD539"):
        api.task_forms.read_file(wid, "colour", conn=desk.conn)


def test_a_content_is_stored_once_and_belongs_to_the_instances_to_which_it_was_sent(desk: Kit) -> None:
    (first, job), (other, second), (third, last) = task(desk), task(desk), task(desk)
    made = attach(desk, job, b"letter", "a.txt")
    assert attach(desk, second, b"letter", "b.csv") == made | {"name": "b.csv", "type": "text/csv"}
    assert desk.one("select count(*) from wedsql.file_content") == 1
    api.tasks.complete(second, "ana", {"paper": made | {"name": "b.csv", "type": "text/csv"}}, "Accept",
                      conn=desk.conn)  # fmt: skip
    with refused("WD595"):  # what is known of a file of another instance is not enough to have it
        api.tasks.complete(last, "ana", {"paper": made}, "Accept", conn=desk.conn)
    with refused("WD595"):  # nor is it another field's
        api.tasks.complete(job, "ana", {"photo": made}, "Accept", conn=desk.conn)
    desk.rows("select wedsql._delete_files(array[%s])", [other])
    assert desk.one("select count(*) from wedsql.file_content") == 1
    desk.rows("select wedsql._delete_files(array[%s, %s])", [first, third])
    assert desk.one("select count(*) from wedsql.file_content") == 0


@pytest.mark.parametrize(
    ("content", "name", "attribute", "words"),
    [
        (b"", "a.png", "photo", "empty"),
        (PNG + b"x" * 51_200, "a.png", "photo", "too large"),
        (b"x" * 100_001, "a.txt", "paper", "too large"),
        (b"%PDF-1.4", "a.png", "photo", "application/pdf"),
        (b"<script>", "a.png", "photo", "text/plain"),
        (PNG, "a.png", "parts", "no field"),
        (PNG, "a.png", "town", "no field"),
        (PNG, "a.png", "done", "no field"),
    ],
)
def test_a_file_that_the_field_does_not_take_is_refused(
    desk: Kit, content: bytes, name: str, attribute: str, words: str
) -> None:
    _wid, job = task(desk)
    with refused("WD596") as why:
        attach(desk, job, content, name, attribute)
    assert words in why.message and why.facts["field"] == attribute
    assert desk.one("select count(*) from wedsql.file_content") == 0


def test_files_are_limited_by_task_and_flow(desk: Kit) -> None:
    (_wid, job), (_other, second) = task(desk), task(desk)
    for n in range(2):
        attach(desk, job, bytes([n + 1]) * 100_000)
    with refused("WD596") as why:
        attach(desk, second, b"z" * 60_000)
    assert why.facts["limit"] == 250_000 // 1024
    attach(desk, job, b"c"), attach(desk, job, b"d")
    with refused("WD596"):
        attach(desk, job, b"e")
    attach(desk, second, b"e")


def test_only_who_holds_the_task_sends_files(desk: Kit) -> None:
    _wid, job = task(desk)
    with refused("WD592"):
        attach(desk, job, PNG, person="bob")
    api.tasks.release(job, "ana", conn=desk.conn)
    with refused("WD593"):
        attach(desk, job, PNG)
    with refused("WD590"):
        attach(desk, 10**12, PNG)


def test_a_file_that_is_in_no_state_is_deleted_after_a_month(desk: Kit) -> None:
    (wid, job), (_other, second) = task(desk), task(desk)
    made, _left = attach(desk, job, b"kept"), attach(desk, job, b"replaced")
    attach(desk, second, b"of an open task")
    api.tasks.complete(job, "ana", {"paper": made}, "Accept", conn=desk.conn)
    assert desk.one("select wedsql._delete_unsent_files()") == 0
    desk.rows("update wedsql.task_file set added_at = added_at - interval '31 days'")
    desk.rows("update wedsql.task_file set kept = false")  # a result that was merged later is in the history
    assert desk.one("select wedsql._delete_unsent_files()") == 1
    assert api.task_forms.read_file(wid, "paper", conn=desk.conn)[1] == b"kept"
    assert desk.one("select count(*) from wedsql.file_content") == 2


@pytest.mark.parametrize(
    ("content", "name", "found"),
    [
        (b"\xff\xd8\xff\xe0", "a", "image/jpeg"),
        (b"GIF89a", "a", "image/gif"),
        (b"RIFF\x01\x02\x03\x04WEBPVP8", "a", "image/webp"),
        (b"\x00\x00\x00\x18ftypheic", "a.jpg", "image/heic"),
        (b"\x00\x00\x00\x18ftypisom", "a", "video/mp4"),
        (b"PK\x03\x04rest", "a.docx",
         "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b"PK\x03\x04rest", "a.png", "application/zip"),
        (b"PK\x03\x04" + b"\x00" * 26 + b"mimetypeapplication/vnd.oasis.opendocument.text", "a.odt",
         "application/vnd.oasis.opendocument.text"),
        ("naïve".encode(), "a.csv", "text/csv"),
        ("naïve".encode("latin-1"), "a.csv", "application/octet-stream"),
        (b"a\x00b", "a.txt", "application/octet-stream"),
        (b"MZ\x90\x00", "invoice.pdf", "application/octet-stream"),
    ],
)  # fmt: skip
def test_the_type_of_a_file_is_what_is_in_it(kit: Kit, content: bytes, name: str, found: str) -> None:
    assert kit.one("select wedsql._file_type(%s, %b)", [name, content]) == found


def test_no_role_reads_files_but_by_functions(kit: Kit) -> None:
    for role in ("wed_web", "wed_worker", "wed_reaper", "wed_monitor"):
        for table in ("file_content", "task_file"):
            call = "select has_table_privilege(%s, %s, 'select')"
            assert kit.one(call, [role, f"wedsql.{table}"]) is False


@pytest.mark.parametrize(
    ("field", "option"),
    [
        ({"attribute": "done", "kind": "file"}, "kind"),
        ({"attribute": "tags", "kind": "file", "accept": []}, "accept"),
        ({"attribute": "tags", "kind": "file", "accept": ["image/nothing"]}, "accept"),
        ({"attribute": "tags", "kind": "file", "accept": [1]}, "accept"),
        ({"attribute": "tags", "kind": "file", "max_kb": 0}, "max_kb"),
        ({"attribute": "tags", "kind": "file", "max_kb": 16385}, "max_kb"),
        ({"attribute": "tags", "kind": "file", "max_kb": "10"}, "max_kb"),
        ({"attribute": "tags", "kind": "file", "capture": "back"}, "capture"),
        ({"attribute": "tags", "accept": ["image/*"]}, "accept"),
        ({"attribute": "tags", "kind": "choices", "options": ["a"], "max_kb": 5}, "max_kb"),
        ({"attribute": "done", "columns": [{"name": "a"}]}, "columns"),
        ({"attribute": "tags", "kind": "table", "columns": [{"name": "a", "type": "jsonb"}]}, "columns"),
        ({"attribute": "tags", "kind": "table", "columns": [{"name": "a", "type": "choice"}]}, "columns"),
        ({"attribute": "tags", "kind": "table", "columns": [{"name": "a", "options": ["x"]}]}, "columns"),
        ({"attribute": "tags", "kind": "table", "columns": [{"name": "a"}, {"name": "a"}]}, "columns"),
        ({"attribute": "tags", "kind": "table", "columns": [{"name": "a", "required": "yes"}]}, "columns"),
    ],
)
def test_a_field_that_can_never_work_is_refused(kit: Kit, field: Any, option: str) -> None:
    kit.attrs("done")
    kit.attr("tags", kind="jsonb")
    with refused("WD009") as why:
        kit.trig("t", "done is null", performer="person", form=form(field))
    assert (why.facts["field"], why.facts["option"]) == (field["attribute"], option)
