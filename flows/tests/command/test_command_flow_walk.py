"""Every verb of manage.py flow with wrong values of each argument: refused in words, nothing written."""

from __future__ import annotations

import json
import re
from argparse import Action
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import connection

from flows import api
from flows.management import verbs
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.pages import unique
from flows.tests.pdl.pdl import workflow as pdl
from testkit.cases import some

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "x" * 20_000
NAMES = ["", " ", "nope", LONG, "a\udc80b", "flöw", "😀", "a b", "a\nb", "../x", "x@1", "x@", "@",
         "pg_catalog", "'; --"]  # fmt: skip
NUMBERS = ["", "x", "0", "-1", "1.5", "१", "1_0", str(2**31), str(2**63), str(2**80), "9" * 5_000]
TIMES = [
    "",
    "x",
    "2026-13-01",
    "0001-01-01",
    "9999-12-31T23:59:59",
    "2030-01-01T00:00:00+99:00",
    "1999-01-01",
    "9" * 5_000,
]
LENGTHS = ["", "x", "-1", "nan", "inf", "1e400", "1e300", "9" * 5_000]
TEXTS = {
    "empty": b"", "nul": b"a\x00b", "latin": "fl\xf6w".encode("latin-1"), "list": b"[]", "null": b"null",
    "number": b"1", "text": b'"x"', "open": b"{", "nested": b"[" * 50_000, "wrong": b'{"triggers": 1}',
    "unknown": b'{"nope": [], "attributes": [], "triggers": []}', "markup": b"<a><b></a>",
    "many": b'{"triggers": [], "attributes": [%s]}' % b",".join(b'{"name": "a%d"}' % n for n in range(3000)),
    "large": b" " * 6_000_000,
}  # fmt: skip
ENDINGS = {"load": (".json", ".yaml", ".sql"), "draft": (".json", ".yaml"), "import bpmn": (".bpmn",),
           "import graph": (".json", ".yaml", ".txt"), "import pdl": (".pdl",)}  # fmt: skip
RAW = re.compile(
    r"Traceback|invalid input syntax|DETAIL|psycopg|relation \"|Errno|fromisoformat|_time value|\bparse value"
    r"|invalid (?:int|float|Path) value|codec can't|not JSON serializable|NoneType|object has no"
)
SHARED = {action.dest for action in BaseCommand().create_parser("manage.py", "x")._actions} | {
    "json",
    "actor",
}
"""What every command of Django has, and the name of who acts, which may be any text."""
TABLES = ("flow", "attr", "trig", "flow_version", "flow_source", "draft", "draft_revision", "publication",
          "scenario", "acknowledgement", "named_object", "attr_index", "instance")  # fmt: skip


@pytest.fixture
def flow() -> Iterator[str]:
    before = {name for (name,) in rows("select name from wedsql.flow")}
    name = unique("walked")
    api.flows.create(name)
    rules = [{"transition": "tr_a", "predicate": "a is null"}, {"predicate": "a = 'x'", "final": True}]
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": rules})
    api.drafts.open(name)
    api.instances.start(name)
    yield name
    for (made,) in rows("select name from wedsql.flow"):
        if made not in before:
            api.flows.drop(made, force=True)


def rows(query: str) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def digest() -> str:
    """Return a digest of what the verbs may write."""
    parts = " || ".join(
        f"(select coalesce(md5(string_agg(t::text, '' order by t::text)), '') from wedsql.{name} t)"
        for name in TABLES
    )
    return rows(f"select {parts}")[0][0]


def basis(verb: str, flow: str, at: Path) -> list[list[str]]:
    """Return command lines of a verb that do something."""
    (at / "d.json").write_text(json.dumps(api.flows.definition(flow)))
    (at / "p.bpmn").write_bytes(ORDER)
    (at / "g.txt").write_text("R = [{r1, a, b}, {r2, b, c}]")
    (at / "w.pdl").write_text(pdl("a: m { ROLE r; }"))
    found: dict[str, list[list[str]]] = {
        "list": [[]],
        "create": [[unique("made")]],
        "show": [[flow]],
        "load": [[str(at / "d.json"), "--flow", flow]],
        "draft": [["list"], ["open", unique("made"), "--file", str(at / "d.json")], ["show", flow],
                  ["save", flow, "--file", str(at / "d.json"), "--revision", "1"], ["merge", flow],
                  ["discard", flow, "--branch", "none"], ["rollback", flow, "--from-version", "1"],
                  ["requests"], ["approve", "1"], ["reject", "1"], ["withdraw", "1"]],
        "publish": [[flow]],
        "diff": [[flow, f"{flow}@1"]],
        "lint": [[flow]],
        "test": [[flow]],
        "impact": [[flow, str(at / "d.json")]],
        "whatif": [[flow, "a is null"], [flow, "a is null", "--history"]],
        "import bpmn": [[str(at / "p.bpmn"), "--flow", unique("made"), "--dry-run"]],
        "import graph": [[str(at / "g.txt"), "--flow", unique("made"), "--dry-run"]],
        "import pdl": [[str(at / "w.pdl"), "--flow", unique("made"), "--dry-run"]],
        "export bpmn": [[flow, "--output", str(at / "x.bpmn")]],
        "export pdl": [[flow, "--output", str(at / "x.pdl")]],
        "makemigrations": [[flow, "--check"]],
        "index": [[flow, "a"]],
        "role": [[flow, "--drop"]],
        "groups": [["--flow", flow]],
        "export log": [[flow, "--output", str(at / "x.xes")]],
        "drop": [[flow]],
    }  # fmt: skip
    return found[verb]


def kind(action: Action) -> str:
    return getattr(action.type, "__qualname__", "str")


def wrong_values(verb: str, action: Action, at: Path) -> Sequence[str]:
    """Return wrong values of an argument by what it takes."""
    if action.choices:
        return ["nope", "", LONG]
    of = kind(action)
    if of == "Path":
        if action.dest == "output":
            return ["", str(at), str(at / "none" / "x"), str(at / ("x" * 300)), "/proc/x", "a\udc80b"]
        files = ["", str(at), str(at / "none.json"), "a\udc80b", LONG]
        for ending in ENDINGS.get(verb, (".json",)):
            for name, content in TEXTS.items():
                (at / f"{name}{ending}").write_bytes(content)
                files.append(str(at / f"{name}{ending}"))
        return files
    if "time" in of or action.dest in ("at", "since", "until"):
        return TIMES
    if of == "float" or of.startswith("span"):
        return LENGTHS
    return NUMBERS if of == "int" or of.startswith("number") else NAMES


def lines(verb: str, flow: str, at: Path) -> Iterator[list[str]]:
    """Yield command lines of a verb with one wrong value each.

    In a short run an argument gets each third of them, and the next one others.
    """
    known = verbs.command(verb).create_parser("manage.py", "x")._actions
    for words in basis(verb, flow, at):
        place = 0
        for number, action in enumerate(known):
            if action.dest in SHARED or action.nargs == 0:
                continue
            values = some(wrong_values(verb, action, at), 3, [*verbs.VERBS].index(verb) + number)
            if action.option_strings:
                option = action.option_strings[-1]
                rest = [*words]
                if option in rest:
                    i = rest.index(option)
                    del rest[i : i + 2]
                yield from ([*rest, f"{option}={value}"] for value in values)
            elif place < len(words) and not words[place].startswith("--"):
                yield from ([*words[:place], value, *words[place + 1 :]] for value in values)
                place += 1
            else:
                yield from ([value, *words] for value in values)
        yield from (words[:-1], [*words, "more", "words"], [*words, "--nope"])


def said(verb: str, words: Sequence[str]) -> tuple[str | None, str]:
    """Return why a command line is refused, None where it is not, and what is wrong with that."""
    try:
        call_command("flow", *verb.split(), *words, stdout=StringIO(), stderr=StringIO())
    except CommandError as error:
        text = str(error)
        if not text or error.returncode == 0:
            return text, "no sentence, or no exit code"
        if found := RAW.search(text):
            return text, f"raw words: {found[0]}"
        return text, "longer than a screen" if len(text) > 4_000 else ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 - anything else is a traceback for the user
        return str(error), f"{type(error).__name__}"
    return None, ""


ACCEPTED = {
    "--held=0", "--replay=0", "--seconds=0",  # nothing is taken, replayed; the checks that need no time
    "--since=0001-01-01", "--since=1999-01-01", "--until=1999-01-01", "--until=9999-12-31T23:59:59",
}  # fmt: skip
"""Values that are wrong elsewhere, and mean something here."""
MEASURED = {*NUMBERS, *TIMES, *LENGTHS} - {*NAMES}


@pytest.mark.parametrize("verb", verbs.VERBS)
def test_a_wrong_argument_is_refused_in_a_sentence_and_writes_nothing(
    flow: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bad, tried, before = [], 0, digest()
    for words in lines(verb, flow, tmp_path):
        tried += 1
        text, fault = said(verb, words)
        now = digest()
        if text is not None and now != before:
            fault = fault or "refused, but something was written"
        before = now
        name, _equals, value = words[-1].partition("=") if words else ("", "", "")
        if text is None and name.startswith("--") and value in MEASURED and words[-1] not in ACCEPTED:
            fault = "accepted, and never works"
        if fault:
            bad.append(f"{' '.join(repr(word[:60]) for word in words)}: {fault}: {(text or '')[:200]!r}")
    assert not bad, "\n".join(bad)
    assert tried >= 3
