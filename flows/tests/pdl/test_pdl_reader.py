"""PDL is read as it is printed, its usual spellings are tolerated, and all that is wrong is said at once."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

import pytest

from flows.languages.pdl import BadPdl, PdlProblem, Text, check, compile_workflow, read, write
from flows.languages.pdl.checks import LARGE
from flows.languages.pdl.model import FAILED, Deadline, Operation, Term
from flows.languages.pdl.reader import MOST_SIGNS
from flows.tests.pdl.pdl import AUTOMATIC, MANUAL, PRINTED, texts, workflow
from flows.tests.pdl.pdl_conformance import ERRORS, SPELLINGS, WARNINGS
from flows.tests.pdl.pdl_reference import random_text


def problems(text: str) -> list[PdlProblem]:
    """Return the problems of a text, those of its syntax or those that its checks find."""
    try:
        library, warnings = read(text)
    except BadPdl as error:
        return [*error.problems]
    found = [*warnings, *check(library)]
    return [each for each in found if each.severity == "error"] or found


def test_t050_the_printed_example_is_read() -> None:
    library, warnings = read(texts())
    (made,) = library.workflows
    assert [each.id for each in made.activities] == [
        "CriarOrdemServico", "VisitarCliente", "GerarOrdemPagamento", "ArmazenarDebitoCliente",
        "EnviarOrdemPagamento",
    ]  # fmt: skip
    assert [each.role for each in made.activities] == ["Atendente", "Tecnico", "", "", "Office_boy"]
    editor = library.application("EditorTexto")
    assert editor is not None and (editor.size, editor.installer, len(editor.hosts)) == (3125, "", 2)
    form, order = library.model("PreencherFormulario"), library.model("GerarOrdemPagamento")
    assert form is not None and (form.priority, form.deadline, form.offline) == (10, Deadline(48), True)
    assert order is not None and (order.type, order.retries, order.offline) == ("AUTOMATIC", 5, False)
    assert {each.severity for each in warnings} == {"warning"}
    assert check(library) == []


def test_the_printed_text_alone_lacks_two_models() -> None:
    found = check(read(PRINTED.read_text(encoding="utf-8"))[0])
    assert [re.findall("“(.*?)”", each.message) for each in found] == [["GravarArquivo"], ["EnviarDocumento"]]


@pytest.mark.parametrize("what", SPELLINGS)
def test_t070_a_spelling_is_tolerated_with_a_warning_and_an_error_in_a_strict_text(what: str) -> None:
    text = SPELLINGS[what][1]
    library, warnings = read(text)
    assert warnings and {(each.code, each.severity) for each in warnings} == {("spelling", "warning")}
    assert all(each.line and each.column for each in warnings)
    with pytest.raises(BadPdl) as caught:
        read(text, strict=True)
    assert {(each.code, each.severity) for each in caught.value.problems} == {("spelling", "error")}
    if "fraction" not in what:
        assert read(write(library), strict=True) == (library, []), "it is written as it is printed"


@pytest.mark.parametrize("code", ERRORS)
def test_each_error_has_its_place(code: str) -> None:
    found = [each for each in problems(ERRORS[code]) if each.code == code]
    assert found and found[0].severity == "error" and found[0].line and found[0].column, problems(
        ERRORS[code]
    )


@pytest.mark.parametrize("code", WARNINGS)
def test_each_warning_has_its_place_and_does_not_prevent_publishing(code: str) -> None:
    found = problems(WARNINGS[code])
    assert {(each.code, each.severity) for each in found} == {(code, "warning")}
    assert all(each.line and each.column for each in found)
    compile_workflow(read(WARNINGS[code])[0])


def test_every_problem_of_the_checks_is_in_the_tables() -> None:
    sources = Path(read.__code__.co_filename).parent.glob("*.py")
    codes = {
        code
        for path in sources
        for code in re.findall(r'(?:problem|note|Fault|PdlProblem)\(\s*"([a-z_]+)"', path.read_text())
    }
    of_imports = {"refused", "too_large", "no_workflow", "several_workflows"}
    assert codes - {"spelling", "extra_semicolon"} - of_imports == {*ERRORS, *WARNINGS}


def test_all_problems_of_a_text_are_said_in_their_order() -> None:
    text = """WORKFLOW w {
  STRING s { VALU "x"; }
  TASK a: m { ROLE r; DEPENDS b -> SUCCEDED; DESCRIPTION "x; y }"; ROL s; }
  TASK b m { ROLE r; }
  TASK c: m { ROLE r
}
TASK m { TYPE ROBOT; PRIORITY ; DISCONNECTED_OPERATION MAYBE }
"""
    with pytest.raises(BadPdl) as caught:
        read(text)
    found = [(each.line, each.column) for each in caught.value.problems if each.severity == "error"]
    assert found == [(2, 14), (3, 36), (3, 68), (4, 10), (7, 1), (7, 15), (7, 30), (7, 56)]
    assert "“SUCCEDED” is not expected here, but: FAIL, READY, RUNNING, SUCCEEDED." in str(caught.value)


def test_what_could_not_be_read_is_no_further_error() -> None:
    broken = workflow("a: m { ROLE r; }", models=MANUAL.replace("MANUAL", "MANUALLY"))
    with pytest.raises(BadPdl) as caught:
        read(broken)
    assert caught.value.library is not None
    assert [each.code for each in caught.value.problems] == ["syntax"]
    assert [each for each in check(caught.value.library) if each.severity == "error"] == []


@pytest.mark.parametrize(
    "piece", ["{", "}", ";", ",", '""', "TASK a { ", "a: m { IN_CONTEXT b, ", "AND(", "a; "]
)
def test_a_text_of_more_pieces_than_are_read_is_refused_as_a_whole(piece: str) -> None:
    (found,) = problems("WORKFLOW w { " + piece * (MOST_SIGNS + 1))
    assert (found.code, found.severity) == ("too_large", "error") and found.message.count("not read") == 1


@pytest.mark.parametrize("rest", ["", "DEPENDS AND (t{before} -> SUCCEEDED);"])
def test_a_workflow_of_5000_tasks_is_read_and_is_too_large_for_a_flow(rest: str) -> None:
    tasks = (f"t{n}: m {{ {rest.format(before=n - 1) if n else ''} ROLE r; }}" for n in range(5_000))
    library = read(workflow(*tasks))[0]
    assert [each for each in check(library) if each.severity == "error"] == []
    with pytest.raises(BadPdl) as caught:
        compile_workflow(library)
    assert [each.code for each in caught.value.problems] == ["too_large"] and "5000" in str(caught.value)


def test_a_cycle_of_5000_tasks_is_one_error_that_names_some_of_them() -> None:
    tasks = (f"t{n}: m {{ DEPENDS t{(n - 1) % 5_000} -> SUCCEEDED; ROLE r; }}" for n in range(5_000))
    found = [each for each in check(read(workflow(*tasks))[0]) if each.severity == "error"]
    assert [each.code for each in found] == ["no_start", "cycle"] and len(found[1].message) < 200


def test_ids_may_be_words_of_the_language_and_have_hyphens() -> None:
    text = workflow(
        "task: m { }", "AND: m { DEPENDS task->FAIL; }", "a-b: m { DEPENDS OR(AND->FAIL, task->READY); }"
    )
    rule = read(text)[0].workflows[0].activities[2].rule
    assert isinstance(rule, Operation) and rule.parts[0] == Term("AND", FAILED)


def test_t061_a_model_that_names_no_known_application_is_found_once() -> None:
    text = workflow(
        "a: m { ROLE r; }", "b: m { ROLE r; }", models=AUTOMATIC.split("APPLICATION app {")[0] + MANUAL
    )
    assert [each.code for each in problems(text)] == ["unknown_id"]


def test_d10_a_day_has_24_hours() -> None:
    assert (Deadline(2, "DAYS").hours, Deadline(48, "HOURS").hours) == (48, 48)


@pytest.mark.parametrize("seed", range(60))
def test_t069_what_is_written_is_read_as_the_same(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    text = random_text(random, 20) + MANUAL + AUTOMATIC
    hosts = random.choice(['"a", "b"', '"a", "b" BY LOAD', '"a" BY\n LOAD'])
    text += (
        f'APPLICATION x {{ NAME "é\n{seed}"; SIZE {seed}; OS ""; CPU "-"; INSTALLER "i"; HOSTS {hosts}; }}'
    )
    text = text.replace(
        "{\n",
        '{\n FILE f { NAME "/f"; } NUMBER n { VALUE -3.50; } QUERY q { EXPRESSION "e"; DATABASE "d"; }\n',
        1,
    )
    library = read(text)[0]
    again, warnings = read(write(library))
    assert again == library and write(again) == write(library)
    assert {each.message for each in warnings} == {
        "VALUE -3.50 is no whole number, as the printed grammar has it."
    }


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_text_is_read_or_refused_with_places(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    whole = PRINTED.read_text(encoding="utf-8")
    for _each in range(10):
        at = random.randrange(len(whole))
        cut = random.choice(["", "{", "}", ";", '"', "(", "->", "x", "\0", ":"])
        text = whole[:at] + cut + whole[at + random.choice([0, 1, 5, 60]) :]
        for each in problems(text):
            assert each.message and (each.line or each.code == "no_workflow"), each


def calls(tasks: int) -> int:
    """Return how many functions are called to read and check a workflow of so many tasks."""
    lines = (f"t{n}: m {{ ROLE r; DEPENDS AND(t{n - 1} -> READY, t0 -> READY); }}" for n in range(1, tasks))
    text, count = workflow("t0: m { ROLE r; }", *lines), 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        assert check(read(text)[0]) == []
    finally:
        sys.setprofile(None)
    return count


def test_the_work_of_reading_grows_as_the_number_of_tasks() -> None:
    assert calls(2_000) <= 5.1 * calls(400)


def test_five_thousand_tasks_are_read_and_no_flow_is_made_of_them() -> None:
    library = read(workflow(*(f"t{n}: m {{ ROLE r; }}" for n in range(5_000))))[0]
    assert check(library) == []
    with pytest.raises(BadPdl, match="The workflow has 5000 activities; a flow is made of at most 240"):
        compile_workflow(library)


def test_texts_are_named_in_problems_and_ordered_by_their_names() -> None:
    with pytest.raises(BadPdl) as caught:
        read([Text("x;", "b.pdl"), Text("y;", "a.pdl")])
    assert [each.file for each in caught.value.problems] == ["a.pdl", "b.pdl"]
    assert caught.value.problems[0].sentence.startswith("a.pdl: line 1, column 1: error: “y” is in no block.")


def test_t194_a_large_application_is_one_of_more_than_ten_megabytes() -> None:
    text = WARNINGS["offline_large"]
    assert problems(text.replace("SIZE 20000", f"SIZE {LARGE}")) == []
