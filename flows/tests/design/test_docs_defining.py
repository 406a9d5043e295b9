"""The examples of docs/defining-flows.md run as shown, and its tables match the options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection, transaction

from flows import api
from flows.definition import ATTRIBUTE, TRIGGER
from flows.definition.table import with_tables
from flows.models import Instance, Status, TraceEntry
from flows.tests.command.consoles import as_pattern, run, sessions
from flows.tests.operations.flow_packages import directory

# The version of a flow increases once per transaction, so each command needs a transaction of its own.
pytestmark = pytest.mark.django_db(transaction=True)

PAGE = (Path(__file__).parents[3] / "docs" / "defining-flows.md").read_text()
FILES = ("loans.sql", "order.sql", "typo.sql")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A directory with the files of the page; its flows are dropped before and after the test."""
    for name, text in zip(FILES, re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL), strict=True):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    drop()
    with directory(tmp_path, monkeypatch):
        yield
    drop()


def drop() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select wedsql.drop_flow(name, true) from wedsql.flow where name in ('loans', 'words')"
        )


def test_every_command_of_the_page_answers_as_it_says(workplace: None) -> None:
    assert len(sessions(PAGE)) == 7
    for command, answer in sessions(PAGE):
        output = run(command).rstrip("\n")
        if command.endswith(" flows"):  # other flows may be listed and widen the columns
            assert set(squeezed(answer)) <= set(squeezed(output)), output
        else:
            assert re.fullmatch(as_pattern(answer), output), f"{command}\n{output}"


def squeezed(table: str) -> list[str]:
    return [" ".join(line.replace("-", "").split()) for line in table.splitlines()]


def test_the_gap_of_the_example_is_an_exception_and_the_new_rule_mends_it(workplace: None) -> None:
    run("python manage.py flow load loans.sql")
    wid = api.instances.start("loans")
    with transaction.atomic():
        job = api.jobs.take("loans", ["tr_look"])
        assert job is not None
        assert api.jobs.complete(job, {"shelf": "missing"}).status == Status.EXCEPTION

    run("python manage.py flow load order.sql --flow loans")

    assert Instance.objects.get(wid=wid).status == Status.RUNNING
    last = TraceEntry.objects.filter(wid=wid).latest("seq")
    assert (last.written_by, last.fired) == ("_REMATCH", ["tr_order"])


def test_the_tables_are_those_of_the_description() -> None:
    assert with_tables(PAGE) == PAGE, "rewrite them: python -m flows.definition.table"


def test_the_kernel_takes_every_word_of_the_tables(workplace: None) -> None:
    api.flows.create("words")
    trigger, attribute = (
        {name: value for name, value in options.defaults.items() if value is not None}
        for options in (TRIGGER, ATTRIBUTE)
    )

    api.flows.publish(
        "words",
        {
            "attributes": [attribute | {"name": "a1"}],
            "triggers": [trigger | {"transition": "t", "predicate": "a1 = ''"}],
        },
    )

    assert api.flows.definition("words")["triggers"][0]["transition"] == "t"
