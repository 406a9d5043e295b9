"""The examples of docs/wsql.md run as shown, and its pictures are those of the grammar."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows import api
from flows.definition.files import without_numbers
from flows.languages.wsql import Session, railroad
from flows.languages.wsql.shell import COMMANDS
from flows.tests.command.consoles import as_pattern, run, sessions
from flows.tests.pages import unique

PAGE = (Path(__file__).parents[3] / "docs" / "wsql.md").read_text()
STATEMENTS, SETS = re.findall(r"```wsql\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.django_db(transaction=True)  # the version of a flow increases once per transaction
def test_every_command_of_the_page_answers_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("shop.wsql")
    file.write_text(STATEMENTS)
    assert len(sessions(PAGE)) == 7
    for command, answer in sessions(PAGE):
        # Columns are as wide as the numbers in them.
        shown, printed = (re.sub(" +", " ", text) for text in (answer, run(command).rstrip("\n")))
        assert re.fullmatch(as_pattern(shown), printed), command
        file.write_text(STATEMENTS.replace("tr_send,", "tr_send WITH TIMEOUT 1h,"))
    name = unique()
    list(Session().run(f"CREATE WED-FLOW {name}; {SETS}"))
    made, known = (without_numbers(api.flows.definition(each)) for each in (name, "shop"))
    assert made["attributes"] == known["attributes"]
    assert made["triggers"] == [each for each in known["triggers"] if each.get("name") != "remind"]
    for flow in (name, "shop"):
        api.flows.drop(flow, force=True)


def test_the_page_has_every_command_of_the_shell() -> None:
    assert [name for name in COMMANDS if f"`{name}`" not in PAGE.replace("`, `", "` `")] == []


def test_the_pictures_are_those_of_the_grammar() -> None:
    found = {path.stem: path.read_text() for path in railroad.IMAGES.glob("*.svg")}

    assert found == railroad.pictures(), "draw them: python -m flows.languages.wsql.railroad"
    assert set(re.findall(r"images/wsql/(\w+)\.svg", PAGE)) <= set(found)
