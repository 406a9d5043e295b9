"""The shell of WSQL: when a text is complete, its commands, its help and its completion."""

from __future__ import annotations

import re
import readline
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows import api
from flows.languages.wsql import Outcome, Session, shell
from flows.languages.wsql.help import explanation, titles
from flows.languages.wsql.shell import Completer, Shell, is_complete
from flows.tests.pages import unique


@pytest.fixture
def flow(db: None) -> str:
    name = unique()
    api.flows.create(name)
    return name


def typed(session: Session, *lines: str) -> list[str]:
    """Return what a shell prints for these lines."""
    written: list[str] = []
    given: Iterator[str] = iter(lines)

    def read(prompt: str) -> str:
        line = next(given, None)
        if line is None:
            raise EOFError
        written.append(f"{prompt}{line}")
        return line

    def show(outcomes: list[Outcome]) -> None:
        for each in outcomes:
            written.extend([each.line] if each.line else each.sql or [str(each.listed and each.listed.rows)])

    Shell(session, read, written.append, show).loop()
    return written


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", False),
        ("LIST INSTANCES", False),
        ("LIST INSTANCES;", True),
        ("LIST INSTANCES; -- done", True),
        ("LIST INSTANCES -- done;", False),
        ("CREATE WED-CONDITION c WITH PREDICATE a = ';", False),
        ("CREATE WED-CONDITION c WITH PREDICATE $$a;", False),
        ("/* why;", False),
        ("BEGIN; LIST INSTANCES;", False),
        ("begin; LIST INSTANCES; commit;", True),
        ("CREATE WED-ATTRIBUTE begin;", True),
    ],
)
def test_a_text_is_complete_at_the_end_of_a_statement(text: str, complete: bool) -> None:
    assert is_complete(text) == complete


def test_statements_of_several_lines_are_run_and_errors_are_printed(flow: str) -> None:
    session = Session(flow)
    output = typed(session, "CREATE", "WED-ATTRIBUTE a;", "CREATE WED-ATRIBUTE b;", ";", "BEGIN;",
                    "CREATE WED-ATTRIBUTE c;", "ROLLBACK;", "quit;", "LIST INSTANCES;")  # fmt: skip

    assert output[1:3] == [f"{flow}=> CREATE", f"{flow}-> WED-ATTRIBUTE a;"]
    assert output[3:5] == ["CREATE WED-ATTRIBUTE a", f"Flow {flow} is at version 1."]
    assert output[6].startswith("line 1, column 8:") and "“WED-ATTRIBUTE”" in output[6]
    assert output[-2:] == ["Nothing of this block was kept.", f"{flow}=> quit;"]
    assert [each["name"] for each in api.flows.definition(flow)["attributes"]] == ["a"]


def test_commands_do_what_they_say(flow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made.wsql"
    path.write_text("CREATE WED-ATTRIBUTE a")
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/LIST/EXPLAIN\\ LIST/ "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    session = Session()

    output = "\n".join(typed(session, rf"\f {flow}", r"\f nowhere", rf"\i {path}",
                             r"\i /nowhere", r"\w", r"\?", "help", r"\h",
                             r"\h create wed-trigger", r"\h nothing", r"\sql F = c",
                             r"\sql CREATE WED-ATTRIBUTE b;", "LIST WED-ATTRIBUTES;", r"\e"))  # fmt: skip

    assert session.flow == flow
    assert "/nowhere: No such file or directory." in output
    assert r"There is no command \w." in output
    assert "There is no flow nowhere." in output
    assert output.count("leaves the shell") == 2, "also for the word help"
    assert "LIST [FINAL | EXCEPTION | REGULAR] INSTANCES" in output
    assert "    timeout: text | duration | NULL" in output
    assert "No statement has these words" in output
    assert "The flow has no condition “c”." in output
    assert "INSERT INTO wed_attr (aname) VALUES ('b');" in output
    assert output.rstrip().endswith("order by a.aid;"), "the editor has changed the last statement"


def test_help_explains_each_statement() -> None:
    assert len(titles()) == 23
    for text in titles().values():
        words = re.match(r"[A-Z-]+( [A-Z-]+)*", text)
        if words:
            assert text in explanation(words.group().lower())


def test_the_history_has_no_passwords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "HISTORY", tmp_path / "history")
    readline.clear_history()
    for line in ("LIST INSTANCES;", "create wed-flow x with password 'secret';", r"\q"):
        readline.add_history(line)

    shell._keep_history()

    assert shell.HISTORY.read_text().splitlines()[-2:] == ["LIST INSTANCES;", r"\q"]
    assert shell.HISTORY.stat().st_mode & 0o077 == 0


def test_words_and_names_are_completed(flow: str) -> None:
    session = Session(flow)
    list(session.run("A = {amount}; C = {c: amount = 'x'}"))

    def completed(text: str) -> list[str]:
        return Completer(session, lambda: text).complete(text.split(" ")[-1])

    assert completed("create wed-tr") == ["WED-TRANSITION ", "WED-TRIGGER "]
    assert completed("update wed-attribute am") == ["amount "]
    assert completed("F = ") == ["amount ", "c "]
    assert completed("LIST x ") == []
    assert completed("\\s") == ["\\sql"]
    state = Completer(session, lambda: "list hist")
    assert [state("hist", 0), state("hist", 1)] == ["HISTORY ", None]
