"""What the page for PDL and the removal of flows refuse: names of files, too much text, running instances."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from flows.errors import Refused
from flows.languages.graph import BadGraph
from flows.languages.pdl import BadPdl, PdlProblem
from flows.loading.pdl import export_pdl
from flows.models import Flow
from flows.tests.pages import unique
from flows.tests.pdl.pdl import workflow
from flows.tests.pdl.test_pdl_page import TEXT, send

pytestmark = pytest.mark.django_db
PATHS = ("../../etc/passwd", "/etc/passwd", "C:/boot.ini", "~/x", "file:///etc/passwd", "x" * 5000)


def depending(task: int, on: int) -> str:
    return f"t{task}: m {{ DEPENDS t{on} -> READY; }}"


def test_t310_a_type_with_running_instances_is_not_removed(alice: Client) -> None:
    name = unique()
    send(alice, TEXT, "publish", name=name)
    api.instances.start(name)
    page = f"/admin/flows/flow/{Flow.objects.get(name=name).pk}/delete/"
    answer = alice.post(page, {"post": "yes"}, follow=True)
    assert "Cannot delete flow" in answer.content.decode() and Flow.objects.filter(name=name).exists()
    with pytest.raises(Refused) as refused:
        api.flows.drop(name)
    assert refused.value.code == "WD007"


@pytest.mark.parametrize("path", PATHS)
def test_t313_the_name_of_a_file_stays_a_text(alice: Client, path: str) -> None:
    name = unique()
    task = f'FILE f {{ NAME "{path}"; }} TASK a: m {{ OUT_CONTEXT f; ROLE r; }}'
    text = TEXT.replace("TASK a: m { ROLE r; }", task)
    send(alice, text, "publish", name=name)
    source = api.flows.read_source(name)
    assert source is not None and path in source["text"]
    assert f'NAME "{path}"' in export_pdl(name, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("WORKFLOW w { }\n" + "-" * 10_000_000, "more than 5 MB"),
        (workflow("t0: m { }", *(depending(n, n - 1) for n in range(1, 5000))), "at most 240"),
        (workflow(*(depending(n, (n + 1) % 5000) for n in range(5000))), "depend on each other"),
    ],
    ids=("ten_megabytes", "tasks", "cycle"),
)
def test_a_text_beyond_the_limits_is_answered_with_what_prevents_it_first(
    alice: Client, text: str, said: str
) -> None:
    for do in ("look", "check"):
        answer = send(alice, text, do, name=unique())
        assert answer.status_code == 200 and said in answer.content.decode(), answer.content.decode()[:600]


@pytest.mark.parametrize("kind", [BadGraph, BadPdl])
def test_no_list_of_problems_is_cut_off_before_what_prevents_publishing(kind: type[BadGraph]) -> None:
    warnings = [PdlProblem("w", f"warning {n}", n, 1, "warning") for n in range(1, kind.most + 50)]
    errors = [PdlProblem("e", "the error", 10_000 + n, 1) for n in range(2)]
    lines = str(kind([*warnings, *errors])).splitlines()
    assert [line.partition(",")[0] for line in lines[:3]] == ["line 10000", "line 10001", "line 1"]
    assert len(lines) == kind.most + 1 and lines[-1] == "51 more problems were found."


def test_equal_warnings_are_one_line_with_their_number() -> None:
    warnings = [PdlProblem("w", "It is old.", n, 1, "warning", f"e{n % 31}") for n in range(1, 100)]
    errors = [PdlProblem("e", "It is wrong.", n, 1, "error", "x") for n in (200, 100)]
    lines = str(BadGraph([*warnings, *errors])).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "line 100, column 1", "line 200, column 1", "line 1, column 1",
    ]  # fmt: skip
    assert "It is old (31 elements: e1, e2, e3, e4, e5, …). [w]" in lines[2]
