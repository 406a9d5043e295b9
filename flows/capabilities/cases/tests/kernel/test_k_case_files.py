"""Files that people attach to cases."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from flows import api
from flows.capabilities.cases.api import Case
from flows.capabilities.cases.files import CaseFile, FileLimits
from flows.capabilities.cases.tests.kernel.test_k_case_people import desk, stuck
from flows.errors import WedError
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel
__all__ = ["desk"]
LIMITS = FileLimits(size=1000, of_case=3, of_flow=2000)


def attach(desk: Kit, case: Case, content: bytes = b"x", name: str = "a.txt", conn: Connection | None = None
           ) -> CaseFile:  # fmt: skip
    return api.cases.attach_file(case.number, name, content, LIMITS, "ann", conn=conn or desk.conn)


def test_a_file_is_attached_read_and_removed_with_entries_in_the_history(desk: Kit) -> None:
    case, conn = stuck(desk), desk.conn
    content = bytes(range(256)) * 3
    made = attach(desk, case, content, "photo.png")
    assert (made.name, made.size, made.added_by) == ("photo.png", 768, "ann")
    assert made.sha256 == hashlib.sha256(content).hexdigest()
    assert api.cases.list_files(case.wid, [desk.name], conn=conn) == [made]
    assert api.cases.list_files(case.wid, ["other"], conn=conn) == []
    assert api.cases.read_file(case.number, made.id, conn=conn) == (made, content)
    api.cases.remove_file(case.number, made.id, "ann", any_user=False, conn=conn)
    assert api.cases.list_files(case.wid, conn=conn) == []
    entries = api.cases.read(case.number, conn=conn).history[-2:]
    assert [(one.kind, one.actor, one.text) for one in entries] == [
        ("attached", "ann", "photo.png"), ("file_removed", "ann", "photo.png"),
    ]  # fmt: skip
    assert {one.detail["sha256"] for one in entries} == {made.sha256}


def test_a_file_of_another_flow_case_or_user_is_not_reached(desk: Kit) -> None:
    case, other, conn = stuck(desk), stuck(desk), desk.conn
    made = attach(desk, case)
    for flows, number in ((["other"], case.number), (None, other.number), ([], case.number)):
        with refused("WD539"):
            api.cases.read_file(number, made.id, flows, conn=conn)
    with refused("WD515"):
        api.cases.attach_file(case.number, "a", b"x", LIMITS, "ann", flows=["other"], conn=conn)
    with refused("WD515"):
        api.cases.remove_file(case.number, made.id, "ann", any_user=True, flows=["other"], conn=conn)
    with refused("WD539"):
        api.cases.remove_file(other.number, made.id, "ann", any_user=True, conn=conn)
    with refused("WD541") as why:
        api.cases.remove_file(case.number, made.id, "bob", any_user=False, conn=conn)
    assert why.facts == {"user": "ann"}
    api.cases.remove_file(case.number, made.id, "bob", any_user=True, conn=conn)


def test_files_are_limited_by_size_case_and_flow(desk: Kit) -> None:
    case, other = stuck(desk), stuck(desk)
    with refused("WD540"):
        attach(desk, case, b"x" * 1001)
    with refused("WD541"):
        attach(desk, case, b"")
    for _ in range(3):
        attach(desk, case, b"x" * 600)
    with refused("WD540"):
        attach(desk, case)
    with refused("WD540") as why:
        attach(desk, other, b"x" * 201)
    assert why.facts == {"limit": 2000}
    attach(desk, other, b"x" * 200)


def test_files_at_the_same_time_do_not_exceed_the_limit(desk: Kit) -> None:
    cases = [stuck(desk) for _ in range(4)]
    connections = [desk.connect() for _ in cases]

    def try_to(each: tuple[Case, Connection]) -> bool:
        try:
            attach(desk, each[0], b"x" * 900, conn=each[1])
        except WedError:
            return False
        return True

    with ThreadPoolExecutor(len(cases)) as pool:
        done = list(pool.map(try_to, zip(cases, connections, strict=True)))
    assert sum(done) == 2


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\letters\\a.pdf", "a.pdf"),
        ("..", "file"),
        ("", "file"),
        (".htaccess", "htaccess"),
        ("a\r\nSet-Cookie: x=1.txt", "aSet-Cookie x=1.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ('a"b<c>.txt', "abc.txt"),
        ("Rechnung für Öl.pdf", "Rechnung für Öl.pdf"),
        ("x" * 300 + ".jpeg", "x" * 115 + ".jpeg"),
    ],
)
def test_names_are_made_safe(desk: Kit, given: str, name: str) -> None:
    desk.conn.execute("set client_encoding = 'UTF8'")  # a name has a character that LATIN1 does not have
    assert desk.rows("select wedsql._file_name(%s)", [given]) == [(name,)]


def test_no_role_reads_files_but_by_functions(desk: Kit) -> None:
    for role in ("wed_web", "wed_worker", "wed_reaper", "wed_monitor"):
        assert desk.rows("select has_table_privilege(%s, 'wedsql.case_file', 'select')", [role]) == [(False,)]
    call = "select has_function_privilege(%s, 'wedsql.read_case_file(bigint,bigint,text[])', 'execute')"
    assert [desk.rows(call, [role]) for role in ("wed_web", "wed_worker")] == [[(True,)], [(False,)]]
