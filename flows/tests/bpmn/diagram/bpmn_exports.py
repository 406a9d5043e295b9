"""The files that tests/bpmn_readers.py reads with other programs: all that can be exported as BPMN."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flows import api
from flows.languages.bpmn import BadBpmn
from flows.languages.bpmn.writer.document import write
from flows.languages.graph import read as read_graph
from flows.loading.bpmn import ImportedProcess, bpmn_of, export_bpmn
from flows.loading.bpmn_files import check_processes
from flows.patterns import patterns
from flows.patterns.gallery import children_of, examples
from flows.tests.bpmn.diagram.test_bpmn_export import COLLIDING
from flows.tests.command.test_command_importbpmn import GRAPHS
from flows.tests.pages import unique

FOLDER = Path(os.environ["WEDSQL_BPMN_FOLDER"])
TARGET = Path(os.environ["WEDSQL_BPMN_EXPORTS"])


def accepted(content: bytes) -> list[ImportedProcess]:
    """Return the processes of a file, if all of them are accepted."""
    try:
        found = [*check_processes(content)]
    except BadBpmn:
        return []
    made = [each.made for each in found if each.accepted and each.made is not None]
    return made if len(made) == len(found) else []


def kept(name: str, text: str) -> None:
    (TARGET / f"{name}.bpmn").write_text(text, encoding="utf-8")


@pytest.mark.django_db
def test_flows_of_the_gallery_and_the_patterns_are_exported_or_have_no_diagram() -> None:
    exported = refused = 0
    for example in (*examples().values(), *patterns().values()):
        flow = unique()
        api.flows.create(flow)
        version = api.flows.publish(flow, children_of(flow, example.definition)).version
        try:
            kept(f"gallery-{flow}", export_bpmn(flow, version))
            exported += 1
        except BadBpmn as error:
            assert [each.code for each in error.problems] == ["no_diagram"]
            refused += 1
    print(f"\n{exported} flows of gallery and patterns are exported, {refused} have no diagram.")


@pytest.mark.django_db
def test_graphs_and_the_graphs_of_accepted_files_are_exported() -> None:
    for name, text in {**GRAPHS, "colliding": COLLIDING}.items():
        kept(f"graph-{name}", write(read_graph(text, "yaml", name), name))
    unwritten = 0
    for number, path in enumerate(sorted(FOLDER.rglob("*.bpmn"))):
        for count, made in enumerate(accepted(path.read_bytes())):
            name = f"{number:03}-{count}-{path.stem}"
            kept(f"file-{name}", bpmn_of(made.text, made.made.process.id))
            try:
                kept(f"graph-{name}", write(made.made.graph, "p"))
            except BadBpmn:
                unwritten += 1
    assert [*TARGET.glob("file-*")]
    print(f"\n{unwritten} graphs of accepted processes cannot be written as BPMN.")
