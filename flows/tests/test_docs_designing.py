"""The example of docs/designing.md runs as shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from flows.tests.test_docs_defining import as_pattern

# The version of a flow increases once per transaction, so each command needs a transaction of its own.
pytestmark = pytest.mark.django_db(transaction=True)

PAGE = (Path(__file__).parents[2] / "docs" / "designing.md").read_text()
FILES = ("tickets.yaml", "checked.yaml")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A directory with the files of the page; its flow is dropped before and after the test."""
    for name, text in zip(FILES, re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL), strict=True):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    forget()
    yield
    forget()


def forget() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.drop_flow(name, true) from wedsql.flow where name = 'tickets'")
        cursor.execute("delete from wedsql.draft where flow = 'tickets'")
        cursor.execute("delete from wedsql.publication where flow = 'tickets'")


def sessions() -> list[tuple[str, str]]:
    """Return each command of the page with its documented output."""
    text = "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)


def run(command: str) -> str:
    """Return what a command writes, and its error."""
    words = shlex.split(command)
    assert words[:2] == ["python", "manage.py"]
    output = StringIO()
    try:
        call_command(words[2], *words[3:], stdout=output)
    except CommandError as error:
        return f"{output.getvalue()}{type(error).__name__}: {error}\n"
    return output.getvalue()


def test_every_command_of_the_page_answers_as_it_says(workplace: None) -> None:
    number = "3"
    assert len(sessions()) == 12
    for command, answer in sessions():
        output = run(re.sub(r"approve 3", f"approve {number}", command)).rstrip("\n")
        expected = as_pattern(answer).replace(r"Publication\ 3", r"Publication\ \d+")
        assert re.fullmatch(expected, output), f"{command}\n{output}"
        number = next(iter(re.findall(r"^Publication (\d+)", output)), number)
