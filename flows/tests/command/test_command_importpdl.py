"""importpdl and exportpdl: texts become a flow that runs, with its source, and are written again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows import api
from flows.languages.pdl import Text, read
from flows.models import Flow, Job
from flows.tests.commands import answer, refused, run, write
from flows.tests.pages import unique
from flows.tests.pdl.pdl import MANUAL, MODELS, PRINTED, texts, workflow

pytestmark = pytest.mark.django_db


def test_t225_the_printed_example_becomes_a_flow_with_the_name_of_its_workflow() -> None:
    said = run("importpdl", str(PRINTED), str(MODELS))
    assert "Flow manutencao is at version 1: 5 activities, 3 data; 9 attributes, 10 triggers." in said
    assert said.count(": warning: ") == 13, "equal ones are one line"
    assert "manutencao.pdl: line 33, column 5: GerarOrdemPagamento: warning: The rule is read as" in said
    wid = api.instances.start("manutencao", {})
    assert [*Job.objects.filter(wid=wid).values_list("transition", flat=True)] == ["criar_ordem_servico"]
    source = api.flows.read_source("manutencao")
    assert source is not None and source["map"]["workflow"] == "Manutencao"
    assert source["map"]["tasks"]["gerar_ordem_pagamento"]["application"]["hosts"] == [
        "araguaia.ic.unicamp.br"
    ]
    exported = run("exportpdl", "manutencao")
    assert read(exported, strict=True) == (read(texts())[0], [])
    assert json.loads(run("exportpdl", "manutencao", "--json"))["pdl"] == exported


def test_a_dry_run_changes_nothing_and_says_what_it_would_do(tmp_path: Path) -> None:
    path, name = write(tmp_path, workflow("a: m { ROLE r; }"), "w.pdl"), unique()
    found = answer("importpdl", path, "--flow", name, "--dry-run")
    assert (found["flow"], found["workflow"], found["warnings"], found["activities"]) == (name, "w", [], 1)
    assert not Flow.objects.filter(name=name).exists()


def test_strict_rejects_what_the_printed_grammar_does_not_have(tmp_path: Path) -> None:
    path = write(tmp_path, workflow("a: m { role r; }"), "w.pdl")
    assert "“role” is read as ROLE" in run("importpdl", path, "--flow", unique(), "--dry-run")
    said = refused("importpdl", path, "--flow", unique(), "--strict")
    assert said.startswith("line 2, column 15: a: error: “role” is read as ROLE")


def test_all_problems_are_said_at_once_with_file_line_and_column_and_nothing_is_made(tmp_path: Path) -> None:
    name = unique()
    first = write(tmp_path, workflow("a: m { ROL r; }", "b: m { DEPENDS c -> FAIL; }", models=""), "w.pdl")
    second = write(tmp_path, MANUAL.replace("PRIORITY 1", "PRIORITY one"), "m.pdl")
    lines = refused("importpdl", first, second, "--flow", name).splitlines()
    assert [line.partition(": error")[0] for line in lines if ": error" in line] == [
        "m.pdl: line 1, column 32: m",
        "w.pdl: line 2, column 15: a",
        "w.pdl: line 3, column 23: b",
    ]
    assert not Flow.objects.filter(name=name).exists()
    assert "not text in UTF-8 (byte 0)" in refused("importpdl", str(_latin(tmp_path)), "--flow", name)


def _latin(tmp_path: Path) -> Path:
    path = tmp_path / "latin.pdl"
    path.write_bytes("ção".encode("latin-1"))
    return path


def test_a_workflow_is_chosen_where_there_are_several(tmp_path: Path) -> None:
    text = workflow("a: m { ROLE r; }") + workflow("a: m { ROLE r; }", models="").replace("w {", "v {")
    path = write(tmp_path, text, "two.pdl")
    assert "There are several workflows: “w”, “v”." in refused("importpdl", path)
    assert answer("importpdl", path, "--workflow", "v", "--dry-run")["workflow"] == "v"
    assert "There is no workflow “u”, but: “w”, “v”." in refused("importpdl", path, "--workflow", "u")


def test_what_the_database_rejects_has_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, workflow(f"a: m {{ ROLE {'r' * 61}; }}"), "w.pdl")
    said = refused("importpdl", path, "--flow", unique())
    assert said.startswith("line 2, column 3: a: error: ") and said.endswith("[refused]")


def test_a_sub_workflow_without_a_flow_is_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, workflow("a: m { ROLE r; }", "SUB-WORKFLOW s: NoSuch { }"), "w.pdl")
    assert "There is no flow “no_such” yet" in run("importpdl", path, "--flow", unique())


def test_a_flow_that_is_not_made_of_pdl_is_not_written_as_pdl() -> None:
    name = unique()
    run("createflow", name)
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": []})
    assert "was not imported from PDL" in refused("exportpdl", name)


def test_a_text_of_ten_megabytes_is_refused_by_its_size(tmp_path: Path) -> None:
    path = write(tmp_path, "x" * 10_000_000, "large.pdl")
    assert "The texts have more than 5 MB" in refused("importpdl", path, "--flow", unique())


def test_texts_are_kept_as_one(tmp_path: Path) -> None:
    name = unique()
    run("importpdl", str(PRINTED), str(MODELS), "--flow", name)
    source = api.flows.read_source(name)
    assert source is not None
    assert read([Text(source["text"])])[0] == read(texts())[0]
