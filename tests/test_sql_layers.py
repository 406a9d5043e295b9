"""The calls between the folders of SQL: each calls only those below it. `sql_layers.toml` has the order."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

from tests.sql_calls import FINISH, Arrow, arrows, code, functions, hooks, sources, tables

LAW: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("sql_layers.toml").read_text())
ENGINE: Sequence[str] = LAW["engine"]
ORDER: Sequence[str] = (*ENGINE, *LAW["above"], FINISH)


def places(found: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the folders of each function, view, hook and table."""
    owned: dict[str, set[str]] = {}
    for name, folder in (*functions(found), *hooks(found)):
        owned.setdefault(name, set()).add(folder)
    for folder, names in LAW["tables"].items():
        for name in names:
            owned.setdefault(name, set()).add(folder)
    return owned


def against(found: Iterable[Arrow]) -> set[Arrow]:
    """Return the arrows to a folder that the other may not call."""
    return {each for each in found if not _allowed(each.folder, each.other)}


def _allowed(folder: str, other: str) -> bool:
    if ORDER.index(other) >= ORDER.index(folder):
        return False
    return folder not in LAW["uses"] or other in ENGINE or other in LAW["uses"][folder]


def shared(found: Mapping[str, str]) -> list[str]:
    """Return the private functions that two folders define."""
    names = Counter(name for name, _ in {*functions(found)} if name.startswith("_"))
    return sorted(name for name, count in names.items() if count > 1)


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    """The code of each folder, which is read once."""
    return sources()


@pytest.fixture(scope="module")
def every(found: dict[str, str]) -> set[Arrow]:
    """The arrows between all folders."""
    return arrows(found, places(found))


def test_each_folder_has_its_place_in_the_order(found: dict[str, str]) -> None:
    assert sorted(found) == sorted(ORDER)
    assert set(LAW["uses"]) <= set(ORDER)


def test_each_table_belongs_to_one_folder() -> None:
    listed = [name for names in LAW["tables"].values() for name in names]
    assert sorted(listed) == sorted(tables())


def test_no_folder_calls_one_above_it(every: set[Arrow]) -> None:
    new = sorted(map(str, against(every)))
    assert new == [], "call a hook (CONTRIBUTING.md, 'A capability'), or move the function down"


def test_no_folders_call_each_other_in_a_cycle(every: set[Arrow]) -> None:
    graph: dict[str, set[str]] = {}
    for each in every:
        graph.setdefault(each.folder, set()).add(each.other)
    TopologicalSorter(graph).prepare()


def test_no_two_folders_define_a_private_function_of_one_name(found: dict[str, str]) -> None:
    assert shared(found) == []


@pytest.mark.parametrize(
    ("folder", "text", "seen"),
    [
        ("40_engine", "select wedsql.save_webhook(1)", "40_engine -> webhooks: save_webhook"),
        ("40_engine", "insert into wedsql.webhook values (1)", "40_engine -> webhooks: webhook"),
        ("20_lexer", "select wedsql._settle(1)", "20_lexer -> 40_engine: _settle"),
        ("40_engine", "execute 'select wedsql.save_webhook(1)'", "40_engine -> webhooks: save_webhook"),
        ("40_engine", "$x$ v := 'wedsql.webhook; -- $x$", "40_engine -> webhooks: webhook"),
        ("webhooks", "select wedsql.claim_case(1)", "webhooks -> cases: claim_case"),
        ("webhooks", "select wedsql._call_proposed(1)", "webhooks -> cases: _call_proposed"),
    ],
)
def test_a_call_of_a_folder_above_is_found(found: dict[str, str], folder: str, text: str, seen: str) -> None:
    added = f"create or replace function wedsql._new() as $$ begin {text}; end $$;"
    known = places(found)
    assert [str(each) for each in against(arrows({folder: code(added)}, known))] == [seen]


@pytest.mark.parametrize(
    "text",
    [
        "-- wedsql.save_webhook()\nnull",
        "perform wedsql._raise('WD001', 'Call wedsql.save_webhook() first.')",
        "select wedsql.now()",
    ],
)
def test_comments_messages_and_calls_of_folders_below_are_none(found: dict[str, str], text: str) -> None:
    added = f"create or replace function wedsql._new() as $$ begin {text}; end $$;"
    assert against(arrows({"40_engine": code(added)}, places(found))) == set()


def test_taking_part_in_a_hook_of_a_folder_above_is_found(found: dict[str, str]) -> None:
    added = "create or replace function wedsql._on_proposed_hooks() as $$ select 1 $$;"
    known = places(found)
    assert against(arrows({"webhooks": code(added)}, known)) == {Arrow("webhooks", "cases", "_call_proposed")}


def test_a_private_name_of_two_folders_is_found() -> None:
    made = "create or replace function wedsql._new()"
    assert shared({"a": f"{made}; {made}", "b": "create or replace function wedsql._other()"}) == []
    assert shared({"a": made, "b": made}) == ["_new"]
