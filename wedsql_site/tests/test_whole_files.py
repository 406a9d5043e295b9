"""What the product writes to a disk is there as a whole or not at all, also when the disk is full."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows.management.whole_file import write_whole, write_whole_text
from testkit.full_disk import largest_file
from wedsql_site import secrets_store
from wedsql_site.supervisor import child
from wedsql_site.supervisor.record import Running
from workers.recovery.journal import SIZE, Journal

BASE = Path(__file__).parents[2]
PACKAGES = ("flows", "monitor", "workers", "wedsql_site", "pages", "BaseWorker")
WRITES = {"write_text", "write_bytes"}  # of a path
# What is written otherwise, and why that is right.
OTHERWISE = {
    "flows/archive.py": "appends, and undoes what a full disk cut off",
    "flows/definition/table.py": "writes a page of the documentation, by hand",
    "flows/languages/wsql/railroad.py": "writes pictures of the documentation, by hand",
    "flows/languages/wsql/shell.py": "a temporary file for an editor",
    "flows/management/files.py": "a device or a pipe",
    "wedsql_site/postgres/launcher.py": "a lock, whose content nothing needs",
    "workers/recovery/journal.py": "written over in place, in space that it has taken before",
    "flows/patterns/table.py": "writes a page of the documentation, by hand",
    "monitor/export/xlsx.py": "a part of an archive, which is a temporary file",
    "wedsql_site/backup/take.py": "in a new directory, which gets its name at the end",
    "wedsql_site/postgres/configuration.py": "appends one line to a file of another account",
    "wedsql_site/supervisor/child.py": "the log that a process appends to",
    "wedsql_site/supervisor/forks.py": "a pipe",
    "wedsql_site/supervisor/launch.py": "the standard output",
}


def modes(call: ast.Call) -> list[str]:
    """Return the arguments of a call that may be the mode in which a file is opened."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    texts = [each.value for each in given if isinstance(each, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and text and set(text) <= set("rwaxbt+")]


def writes(tree: ast.AST) -> bool:
    """Return whether a module writes a file by itself."""
    for call in (each for each in ast.walk(tree) if isinstance(each, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        opened = name in ("open", "fdopen") and any(set(mode) & set("wax+") for mode in modes(call))
        if opened or (name in WRITES and isinstance(call.func, ast.Attribute)):
            return True
    return False


def test_no_module_writes_a_file_by_itself() -> None:
    found = {
        str(path.relative_to(BASE))
        for package in PACKAGES
        for path in (BASE / package).rglob("*.py")
        if "tests" not in path.parts and writes(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(OTHERWISE), "use flows.management.whole_file, or say why not"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("new", [True, False])
def test_a_full_disk_leaves_what_there_was(tmp_path: Path, *, there: bool, new: bool) -> None:
    path = tmp_path / "x"
    if there:
        path.write_text("before")
        path.chmod(0o640)
    with largest_file(10), pytest.raises(OSError, match="too large"):
        write_whole_text(path, "y" * 20_000, new=new)
    assert [each.name for each in tmp_path.iterdir()] == (["x"] if there else [])
    assert not there or path.read_text() == "before"
    if there and new:
        with pytest.raises(FileExistsError):
            write_whole(path, [b"after"], new=True)
        assert path.read_text() == "before"
    else:
        write_whole(path, [b"aft", b"er"], new=new)
        assert path.read_text() == "after" and (not there or path.stat().st_mode & 0o777 == 0o640)
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEDSQL_STATE_DIR", str(tmp_path))
    return tmp_path


def test_a_secret_is_made_again_after_a_full_disk(state: Path) -> None:
    with largest_file(10), pytest.raises(OSError, match="too large"):
        secrets_store.get_or_create("one", lambda: "s" * 64)
    assert list(state.iterdir()) == []
    assert secrets_store.get_or_create("one", lambda: "s" * 64) == "s" * 64
    assert secrets_store.get_or_create("one", lambda: "t" * 64) == "s" * 64
    assert (state / "one").stat().st_mode & 0o777 == 0o600


def test_the_record_of_the_supervisor_stays_as_it_was(state: Path) -> None:
    running = Running()
    running.write(url="before")
    with largest_file(10), pytest.raises(OSError, match="too large"):
        running.write(url="after" * 100)
    assert json.loads((state / "supervisor.json").read_text())["url"] == "before"
    assert [each.name for each in state.iterdir()] == ["supervisor.json"]


def test_a_log_is_cut_on_a_full_disk_and_the_supervisor_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "_LOG_LIMIT", 100)
    log, old = tmp_path / "web.log", tmp_path / "web.old.log"
    program: Any = SimpleNamespace(log=lambda: log)
    log.write_bytes(b"1" * 200)
    child.Child(program).trim_log()
    assert (old.read_bytes(), log.read_bytes()) == (b"1" * 200, b"")
    log.write_bytes(b"2" * 200)
    with largest_file(50):
        child.Child(program).trim_log()
    assert log.stat().st_size == 0 and [each.name for each in tmp_path.iterdir()] == ["web.log"]
    assert os.access(log, os.W_OK)


def test_the_notes_of_a_worker_have_their_space_before_a_handler_runs(tmp_path: Path) -> None:
    """A note in a file with holes ends the process by SIGBUS where the disk is full."""
    journal = Journal(tmp_path)
    assert journal.path.stat().st_blocks * 512 >= SIZE == journal.path.stat().st_size
