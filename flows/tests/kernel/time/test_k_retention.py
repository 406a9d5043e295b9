"""Retention: finished instances move to archives that can be read; former exceptions stay as evidence."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from flows import json_text
from flows.archive import NotReadable, archive_flow, read_archive
from flows.tests.kit import Kit
from testkit.full_disk import largest_file

pytestmark = pytest.mark.kernel


def finish(kit: Kit, wid: int) -> None:
    kit.run("tr_a2", wid, a2="done")
    kit.run("tr_a3", wid, a3="done")
    kit.run("tr_final", wid, a1="final")


def archived(kit: Kit, directory: Path) -> dict[int, Any]:
    left = sum(archive_flow(kit.name, directory, batch=2, conn=kit.conn))
    documents = {d["instance"]["wid"]: d for d in read_archive(directory)} if directory.exists() else {}
    assert left == len(documents)
    return documents


def test_finished_instances_leave_with_their_whole_history(fig2: Kit, tmp_path: Path) -> None:
    wids = [fig2.start() for _ in range(3)]
    for wid in wids:
        finish(fig2, wid)
    running = fig2.start()
    story = fig2.story(wids[0])
    fig2.policy(retention="30 days")
    fig2.clock("31 days")
    documents = archived(fig2, tmp_path / "archive")
    assert sorted(documents) == wids
    assert [(s["trw"], s["trf"], s["status"]) for s in documents[wids[0]]["trace"]] == story
    assert fig2.rows("select wid from {f}.wed_flow") == [(running,)]
    assert fig2.one("select count(*) from wedsql.wed_trace where wid = any (%s)", [wids]) == 0
    assert fig2.status(running) == "R"


def test_nothing_leaves_before_its_time_or_without_a_retention(fig2: Kit, tmp_path: Path) -> None:
    wid = fig2.start()
    finish(fig2, wid)
    fig2.clock("31 days")
    assert archived(fig2, tmp_path / "archive") == {}
    fig2.policy(retention="40 days")
    assert archived(fig2, tmp_path / "archive") == {}
    assert fig2.status(wid) == "F"


def test_an_instance_that_was_an_exception_stays_as_evidence(fig2: Kit, tmp_path: Path) -> None:
    fig2.rows("update {f}.wed_trig set max_attempts = 1 where trname = 'tr_a2'")
    wid = fig2.start()
    fig2.run("tr_a3", wid, a3="done")
    with fig2.conn.transaction():
        fig2.fail("tr_a2", wid, why="no hotel")
    assert fig2.status(wid) == "E"
    fig2.run("_EXCPT", wid, a1="obsolete")
    assert fig2.status(wid) == "F"
    fig2.policy(retention="30 days")
    fig2.clock("31 days")
    assert archived(fig2, tmp_path / "archive") == {}
    assert fig2.status(wid) == "F"


def test_retire_refuses_what_the_retention_does_not_let_go(fig2: Kit) -> None:
    wid = fig2.start()
    fig2.policy(retention="30 days")
    assert fig2.one("select wedsql.retire(%s, %s)", (fig2.name, [wid])) == 0
    assert fig2.status(wid) == "R"


def test_a_batch_that_was_written_twice_is_read_once(fig2: Kit, tmp_path: Path) -> None:
    wid = fig2.start()
    finish(fig2, wid)
    fig2.policy(retention="30 days")
    fig2.clock("31 days")
    archived(fig2, tmp_path)
    (file,) = tmp_path.glob("*.jsonl.gz")
    file.write_bytes(file.read_bytes() * 2)  # what a crash between writing and deleting leaves
    assert [d["instance"]["wid"] for d in read_archive(file)] == [wid]


def test_an_instance_that_cannot_leave_stops_no_other(fig2: Kit, tmp_path: Path) -> None:
    wids = [fig2.start() for _ in range(5)]
    for wid in reversed(wids):
        finish(fig2, wid)
    fig2.policy(retention="30 days")
    fig2.clock("31 days")
    fig2.rows(
        "create or replace function public.poison() returns trigger language plpgsql as $$"
        " begin raise exception 'a poisoned item'; end $$"
    )
    when = f"when (old.wid in ({wids[3]}, {wids[4]}))"  # the oldest, a whole batch
    of = "before delete on wedsql.instance for each row"
    fig2.rows(f"create trigger poison {of} {when} execute function public.poison()")
    try:
        list(archive_flow(fig2.name, tmp_path, batch=2, conn=fig2.conn))
        assert fig2.rows("select wid from {f}.wed_flow order by 1") == [(wids[3],), (wids[4],)]
        assert len(fig2.trace(wids[4])) == 4, "what it has is left whole"
        trouble = "select kind, wid, message from wedsql.trouble where flow_id = %s order by wid"
        assert fig2.rows(trouble, [fig2.id]) == [("retired", wid, "a poisoned item") for wid in wids[3:]]
        fig2.reap("32 days")
        assert fig2.rows(trouble, [fig2.id]), "it is reported until it can be archived"
    finally:
        fig2.rows("drop trigger poison on wedsql.instance")
    list(archive_flow(fig2.name, tmp_path, batch=2, conn=fig2.conn))
    assert fig2.rows("select wid from {f}.wed_flow") == []
    assert fig2.rows(trouble, [fig2.id]) == []


def test_a_locked_instance_leaves_later(fig2: Kit, tmp_path: Path) -> None:
    wids = [fig2.start() for _ in range(2)]
    for wid in wids:
        finish(fig2, wid)
    fig2.policy(retention="30 days")
    fig2.clock("31 days")
    fig2.rows("set lock_timeout = '1s'")
    locker = fig2.connect()
    with locker.transaction():
        fig2.rows("select from {f}.wed_flow where wid = %s for update", [wids[0]], locker)
        list(archive_flow(fig2.name, tmp_path, batch=5, conn=fig2.conn))
        assert fig2.rows("select wid from {f}.wed_flow") == [(wids[0],)]
    list(archive_flow(fig2.name, tmp_path, batch=5, conn=fig2.conn))
    assert fig2.rows("select wid from {f}.wed_flow") == []


def test_empty_old_partitions_go_and_filled_ones_stay(fig2: Kit) -> None:
    fig2.one("select wedsql.make_partitions('2001-01-15', 1)")
    wid = fig2.start()
    fig2.rows("update wedsql.wed_trace set tstmp = '2001-02-03' where wid = %s and seq = 1", [wid])
    gone = fig2.one("select wedsql.drop_empty_partitions('2002-01-01')")
    assert gone == ["wed_trace_2001_01"]
    assert fig2.story(wid)[0][0] == "_INIT"


@pytest.mark.parametrize("batch", [1, 10])
def test_a_history_that_cannot_be_read_stops_no_other(fig2: Kit, tmp_path: Path, batch: int) -> None:
    bad, *good = (fig2.start() for _ in range(3))
    for wid in (bad, *good):
        finish(fig2, wid)
    fig2.policy(retention="30 days")
    fig2.clock("31 days")
    log = (
        "insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome)"
        " values (0, %s, 1, %s, 'x', now(), 'failed')"
    )
    fig2.rows(log, (bad, fig2.id))
    fig2.rows("alter table wedsql.job_log enable row level security, force row level security")
    fig2.rows(f"create policy unreadable on wedsql.job_log using (1 / (wid - {bad}) is not null)")
    try:
        directory = tmp_path / "archive"
        fig2.rows("set row_security = on")  # otherwise the policy would be an error for every row
        fig2.rows("set enable_seqscan = off")  # as in a large table, only rows of the instance are read
        assert sum(archive_flow(fig2.name, directory, batch=batch, conn=fig2.conn)) == 2
        trouble = fig2.rows("select kind, wid, sqlstate from wedsql.trouble where flow_id = %s", [fig2.id])
        assert trouble == [("retired", bad, "22012")]
    finally:
        fig2.rows("drop policy unreadable on wedsql.job_log")
        fig2.rows("alter table wedsql.job_log disable row level security, no force row level security")
    fig2.clock("32 days")
    assert sum(archive_flow(fig2.name, directory, batch=batch, conn=fig2.conn)) == 1
    assert sorted(d["instance"]["wid"] for d in read_archive(directory)) == [bad, *good]
    assert fig2.one("select count(*) from wedsql.trouble where flow_id = %s", [fig2.id]) == 0


def finished(kit: Kit, count: int) -> list[int]:
    wids = [kit.start() for _ in range(count)]
    for wid in wids:
        finish(kit, wid)
    kit.policy(retention="30 days")
    return wids


def test_what_a_full_disk_cut_off_is_not_in_the_file(fig2: Kit, tmp_path: Path) -> None:
    wids = finished(fig2, 4)
    fig2.clock("31 days")
    batches = archive_flow(fig2.name, tmp_path, batch=2, conn=fig2.conn)
    assert next(batches) == 2
    (file,) = tmp_path.glob("*.jsonl.gz")
    before = file.read_bytes()
    with largest_file(len(before) + 40), pytest.raises(OSError, match="too large"):
        next(batches)
    assert file.read_bytes() == before
    list(archive_flow(fig2.name, tmp_path, conn=fig2.conn))
    lines = gzip.decompress(file.read_bytes()).splitlines()
    assert sorted(json_text.decode(each)["instance"]["wid"] for each in lines) == wids


@pytest.mark.parametrize("kept", [1, 12, 0.5, 0.99])
def test_what_a_crash_cut_off_hides_nothing_behind_it(fig2: Kit, tmp_path: Path, kept: float) -> None:
    wid = finished(fig2, 1)[0]
    fig2.clock("31 days")
    archived(fig2, tmp_path)
    (file,) = tmp_path.glob("*.jsonl.gz")
    whole, damaged = file.read_bytes(), []
    cut = whole[: kept if isinstance(kept, int) else int(len(whole) * kept)]
    for content in (cut + whole, whole + cut + whole, whole + cut):
        file.write_bytes(content)
        found = read_archive(file, lambda *each: damaged.append(each))
        assert [one["instance"]["wid"] for one in found] == [wid]
    assert damaged == [(file, 0, len(cut)), *[(file, len(whole), len(cut))] * 2]


def test_a_file_that_is_no_archive_is_refused_in_words(tmp_path: Path) -> None:
    for content in (b"x", b"\x1f\x8b\x08" * 9, *map(gzip.compress, (b"[]", b"{", b'"x"', b"\xff", b"{}"))):
        (tmp_path / "a.jsonl.gz").write_bytes(content)
        with pytest.raises(NotReadable, match="is no archive of instances"):
            list(read_archive(tmp_path))
    (tmp_path / "a.jsonl.gz").write_bytes(b"")
    assert list(read_archive(tmp_path)) == []
    with pytest.raises(NotReadable, match="cannot be read"):
        list(read_archive(tmp_path / "none"))
