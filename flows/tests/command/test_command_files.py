"""Files that commands read and write: each wrong one is rejected with its place, and nothing is half made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.management.files import LARGEST_TEXT, read_text, write_text
from flows.models import Flow
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.command.test_command_importgraph import ORDERS
from flows.tests.commands import answer, refused, run
from flows.tests.pages import unique
from testkit.full_disk import largest_file

pytestmark = pytest.mark.django_db

DEEP = 100_000
BOMB = "a0: &a0 [x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
GRAPHS = {
    "empty.txt": (b"", "line 1, column 1: error: The graph has no edges."),
    "empty.yaml": (b"", "It is not a graph with the list “edges”."),
    "empty.json": (b"", "line 1, column 1: error: It is not JSON: Expecting value. [syntax]"),
    "deep.txt": (b"R = " + b"[" * DEEP, "line 1, column 10: error: A name, a list or a tuple"),
    "deep.json": (b"[" * DEEP, "It is not JSON: lists and objects are within each other too many times."),
    "deep.yaml": (b"[" * DEEP, "It is not YAML: lists and objects are within each other too many times."),
    "bomb.yaml": (BOMB.encode(), "line 2, column 10: error: It is not YAML: aliases are not read. [syntax]"),
    "itself.yaml": (b"edges: &e [*e]\n", "line 1, column 12: error: It is not YAML: aliases are not read."),
    "tag.yaml": (b"edges: !!python/name:os.system\n", "line 1, column 8: error: It is not YAML: could not"),
    "twice.yaml": (
        b"edges: []\nedges: []\n",
        "line 2, column 1: error: It is not YAML: edges is there twice",
    ),
    "twice.json": (
        b'{"edges": [],\n "edges": []}',
        "line 2, column 2: error: It is not JSON: “edges” is there",
    ),
    "digits.json": (b'{"edges":\n' + b"9" * 9000 + b"}", "line 2, column 1: error: It is not JSON: a number"),
    "digits.yaml": (
        b"edges:\n  " + b"9" * 9000,
        "line 2, column 3: error: It is not YAML: a number has more",
    ),
    "control.yaml": (
        "edges: é\nx: \0".encode(),
        "line 2, column 4: error: The character U+0000 cannot be stored.",
    ),
}
PROCESSES = {
    "empty": (b"", "line 1, column 1: error: It is not XML: no element found."),
    "entities": (b'<!DOCTYPE a [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><a>&b;</a>', "(DOCTYPE) or entities"),
    "external": (
        b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>',
        "(DOCTYPE) or entities",
    ),
    "deep": (b"<a>" * DEEP, "line 1, column 304: error: Elements are within each other more than 100 times."),
    "many": (b"<a>" + b"<b/>" * 60_000 + b"</a>", "The file has more than 50000 elements."),
    "latin": (
        "<a>\n<b name='é'/></a>".encode("latin-1"),
        "line 2, column 10: error: It is not text in UTF-8",
    ),
    "other": (b"<html/>", "line 1, column 1: error: It is not BPMN 2.0"),
    "no_process": (
        b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>',
        "The file has no process with elements.",
    ),
}


def rejected(command: str, path: Path) -> str:
    """Return why a file is rejected, of which nothing is made."""
    name = unique()
    said = refused(command, str(path), "--flow", name)
    assert said == refused(command, str(path), "--flow", name, "--dry-run")
    assert not Flow.objects.filter(name=name).exists()
    return said


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_that_cannot_be_read_is_rejected_with_its_place(tmp_path: Path, name: str) -> None:
    content, said = GRAPHS[name]
    (tmp_path / name).write_bytes(content)
    assert said in rejected("importgraph", tmp_path / name)
    assert said in refused("graph", "check", str(tmp_path / name))


@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_that_cannot_be_read_is_rejected_with_its_place(tmp_path: Path, name: str) -> None:
    content, said = PROCESSES[name]
    (tmp_path / name).write_bytes(content)
    assert said in rejected("importbpmn", tmp_path / name)


def test_a_process_that_the_file_does_not_have_is_named_with_those_that_it_has(tmp_path: Path) -> None:
    path = tmp_path / "order.bpmn"
    path.write_bytes(ORDER)
    said = refused("importbpmn", str(path), "--flow", unique(), "--process", "q")
    assert "The file has no process “q”; found: p (“Order”)." in said


@pytest.mark.parametrize("command", ["importgraph", "importbpmn"])
def test_what_is_no_file_of_text_is_an_error_of_the_command_line(tmp_path: Path, command: str) -> None:
    for path, said in ((tmp_path, "Is a directory"), (tmp_path / "none.txt", "No such file")):
        assert said in refused(command, str(path), "--flow", unique(), code=2)
    assert "more than 16,000,000 bytes" in refused("graph", "check", "/dev/zero", code=2)
    assert "more than 5242880 bytes" in refused("importbpmn", "/dev/zero", "--flow", unique())
    (tmp_path / "latin.txt").write_bytes("\n é".encode("latin-1"))
    assert "(line 2, byte 2). Save it" in refused("graph", "check", str(tmp_path / "latin.txt"), code=2)


def test_a_byte_order_mark_and_other_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfR = [{r1, a, b},\r\n{r2, b, c}].\r")
    assert read_text(path) == "R = [{r1, a, b},\n{r2, b, c}].\n"
    assert answer("graph", "check", str(path))["edges"] == 2
    path.write_bytes(b" " * (LARGEST_TEXT - 1) + b"%")
    assert len(read_text(path)) == LARGEST_TEXT


def test_a_file_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    name = unique()
    source = tmp_path / "orders.yaml"
    source.write_text(ORDERS)
    run("importgraph", str(source), "--flow", name)
    written = tmp_path / "orders.bpmn"
    written.write_text("before")
    written.chmod(0o640)
    with pytest.raises(UnicodeEncodeError):
        write_text(written, "first\n" * 9000 + "\ud800")
    assert written.read_text() == "before"
    run("exportbpmn", name, "--output", str(written))
    assert written.read_text().startswith("<?xml") and written.stat().st_mode & 0o777 == 0o640
    assert json.loads(run("exportbpmn", name, "--json"))["bpmn"] == written.read_text()
    assert "Is a directory" in refused("exportbpmn", name, "--output", str(tmp_path), code=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["orders.bpmn", "orders.yaml"]
    for version in ("0", "2", "99999999999999"):
        assert "has the versions 1 to 1" in refused("exportbpmn", name, "--of-version", version)


@pytest.mark.parametrize("command", ["flow export log {flow}", "flow export bpmn {flow}", "apiclient"])
def test_a_full_disk_leaves_the_former_file(tmp_path: Path, command: str) -> None:
    name, source, written = unique(), tmp_path / "orders.yaml", tmp_path / "written"
    source.write_text(ORDERS)
    run("importgraph", str(source), "--flow", name)
    written.write_text("before")
    words = command.format(flow=name).split()
    with largest_file(100):
        assert "File too large" in refused(*words, "--output", str(written), code=2)
    assert written.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["orders.yaml", "written"]
