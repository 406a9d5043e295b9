"""The same value is stored, or the same error raised, for every way to send a result.

The ways: the paper's UPDATE, a SET string, and changes as JSON, in a transaction of its own or held by the
session. A quoted text and a JSON text are the same for every type except jsonb, whose JSON is the document
itself. An error of the kernel names in its detail the SQLSTATE with which PostgreSQL rejects the UPDATE.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import values
from flows.tests.kit import Kit
from testkit.cases import long, pairs, some, turn

pytestmark = pytest.mark.kernel

READ_BY_THE_KERNEL = {
    "timezone": "'UTC'", "datestyle": "'ISO, YMD'", "intervalstyle": "'postgres'", "extra_float_digits": "1",
    "client_encoding": "'UTF8'", "standard_conforming_strings": "on", "transform_null_equals": "off",
    "timezone_abbreviations": "'Default'",
}  # fmt: skip
EXPRESSIONS = pairs(values.KINDS, values.EXPRESSIONS, 2)
READ = "select to_jsonb(v_{kind}), v_{kind}::text, v_{kind} is null from {{f}}.wed_flow where wid = %s"


@dataclass(frozen=True)
class Outcome:
    """The result of a write: the stored value, or the SQLSTATE of PostgreSQL's error."""

    stored: Any = None
    refused: str = ""


class WritePaths:
    """One instance with an attribute of each type; everything written to it is rolled back."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        for kind in values.KINDS:
            kit.attr(f"v_{kind}", None, kind, values.OPTIONS if kind == "enum" else None)
        kit.attrs("go")
        self.tgid = kit.numbered_trig("tr_x", "go = '1'", timeout="1 hour")
        for setting, value in READ_BY_THE_KERNEL.items():  # an UPDATE depends on the session's own settings
            kit.rows(f"set {setting} = {value}")
        self.wid = kit.start(go="1", **{f"v_{kind}": value for kind, value in values.FIRST.items()})
        self.job = kit.one("select id from wedsql.job_pool where wid = %s", [self.wid])

    def update(self, kind: str, expression: str) -> Outcome:
        """Run the paper's UPDATE under the lock of its job."""

        def write() -> None:
            self.kit.one("select pg_advisory_xact_lock(%s, %s)", [self.wid, self.tgid])
            self._execute(f"update {{f}}.wed_flow set v_{kind} = {expression} where wid = {self.wid}")

        return self._try(kind, write)

    def set_string(self, kind: str, expression: str) -> Outcome:
        """Pass a SET string to complete_many."""
        return self._try(kind, lambda: self._complete(sets=f"v_{kind} = {expression}"))

    def held_set_string(self, kind: str, expression: str) -> Outcome:
        """Pass a SET string to complete_held."""
        return self._try(kind, lambda: self._complete_held(None, f"v_{kind} = {expression}"))

    def changes(self, kind: str, document: str) -> Outcome:
        """Pass changes as JSON to complete_many."""
        return self._try(kind, lambda: self._complete(changes=f'{{"v_{kind}": {document}}}'))

    def held_changes(self, kind: str, document: str) -> Outcome:
        """Pass changes as JSON to complete_held."""
        return self._try(kind, lambda: self._complete_held(f'{{"v_{kind}": {document}}}', None))

    def _try(self, kind: str, write: Callable[[], None]) -> Outcome:
        self.kit.conn.execute("select pg_advisory_unlock_all()")  # locks that remain after a rejected result
        try:
            with self.kit.conn.transaction(force_rollback=True):
                write()
                row = self.kit.conn.execute(
                    READ.format(kind=kind).format(f=f'"{self.kit.name}"'), [self.wid]
                ).fetchone()
                return Outcome(row)
        except psycopg.Error as error:
            return Outcome(refused=_code(error.sqlstate or "", error.diag.message_detail))

    def _execute(self, query: str) -> None:
        self.kit.conn.execute(query.replace("{f}", f'"{self.kit.name}"'))

    def _complete(self, changes: str | None = None, sets: str | None = None) -> None:
        self.kit.conn.execute("select from wedsql.take(%s, '{tr_x}', 1, 'me')", [self.kit.name])
        row = self.kit.conn.execute(
            "select ok, sqlstate, message, detail from"
            " wedsql.complete_many(%s, array[%s::int], array[%s::bigint],"
            " array[null]::bigint[], array[%s::jsonb], 'me', %s)",
            [self.kit.name, self.wid, self.job, changes, None if sets is None else [sets]],
        ).fetchone()
        assert row is not None
        if not row[0]:
            raise _Refused(row[1], row[2], row[3])

    def _complete_held(self, changes: str | None, sets: str | None) -> None:
        self._execute("select from {f}.hold('{tr_x}', 1, 'me')")
        call = f'select "{self.kit.name}".complete_held(%s, %s, %s::jsonb, %s, %s)'
        self.kit.conn.execute(call, [self.wid, self.job, changes, "me", sets])


class _Refused(psycopg.Error):
    """An error that was returned as a row."""

    def __init__(self, code: str, message: str, detail: str | None) -> None:
        super().__init__(message)
        self.sqlstate = code
        self._detail = detail

    @property
    def diag(self) -> Any:
        return type("Diagnostic", (), {"message_detail": self._detail})


def _code(code: str, detail: str | None) -> str:
    """Return the SQLSTATE of PostgreSQL's error behind an error of the kernel."""
    if not code.startswith("WD"):
        return code
    try:
        return str(json.loads(detail or "")["sqlstate"])
    except (ValueError, KeyError):
        return f"{code} {detail}"


@pytest.fixture
def paths(kit: Kit) -> WritePaths:
    return WritePaths(kit)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def compare(cases: list[tuple[str, dict[str, Outcome]]], least_refused: int = 5) -> None:
    """Check that every way has the same outcome as the UPDATE."""
    wrong = [(what, found) for what, found in cases if len(set(map(repr, found.values()))) > 1]
    lines = "\n".join(f"{what!r:.60}: {found}" for what, found in wrong[:8])
    assert not wrong, f"{len(wrong)} of {len(cases)} differ\n{lines}"
    stored = sum(not found["UPDATE"].refused for _, found in cases)
    print(f"\n{len(cases)} values, {stored} stored, {len(cases) - stored} refused")
    few = 1 if long() else 3  # a short run has fewer cases
    assert stored >= 5 // few and len(cases) - stored >= least_refused // few


@pytest.mark.parametrize("kind", [kind for kind in values.KINDS if kind != "jsonb"])
def test_a_text_means_the_same_in_every_call(paths: WritePaths, kind: str) -> None:
    cases = []
    for number, text in enumerate(some(values.texts(kind), 2), values.KINDS.index(kind)):
        ways = {
            "SET": (paths.set_string, quoted(text)),
            "JSON": (paths.changes, json.dumps(text)),
            "held": (paths.held_changes, json.dumps(text)),
        }
        found = {"UPDATE": paths.update(kind, quoted(text))}
        for way in turn([*ways], number):
            write, given = ways[way]
            found[way] = write(kind, given)
        cases.append((text, found))
    compare(cases, least_refused=0 if kind == "text" else 5)


def test_a_document_means_the_same_in_every_call(paths: WritePaths) -> None:
    cases = []
    for text in values.texts("jsonb"):
        found = {
            "UPDATE": paths.update("jsonb", quoted(text)),
            "SET": paths.set_string("jsonb", quoted(text)),
        }
        if not found["UPDATE"].refused and text.strip() != "null":
            found |= {"JSON": paths.changes("jsonb", text), "held": paths.held_changes("jsonb", text)}
        if text.strip() == "null":  # the one value that only SQL can write
            assert found.pop("UPDATE").stored == (None, "null", False)
            found["UPDATE"] = paths.update("jsonb", "null")
        cases.append((text, found))
    compare(cases)


@pytest.mark.parametrize("kind", values.KINDS)
def test_an_expression_means_the_same_in_an_update_and_a_set_string(paths: WritePaths, kind: str) -> None:
    cases = []
    expressions = [each for other, each in EXPRESSIONS if other == kind]
    for number, expression in enumerate(expressions, values.KINDS.index(kind) // 2):
        ways = {"SET": paths.set_string, "held": paths.held_set_string}
        found = {"UPDATE": paths.update(kind, expression)}
        cases.append(
            (expression, found | {way: ways[way](kind, expression) for way in turn([*ways], number)})
        )
    compare(cases, least_refused=3)


JSON_VALUES = [
    "null", "true", "false", "0", "1", "-1", "1.0", "1.7", "1.50", "1e2", "1e400", "2147483648",
    "[]", "[1]", "{}", '{"a": 1}', '"null"', '""',
]  # fmt: skip


def of_kind(documents: list[str], kind: str) -> list[str]:
    """Return the documents that a run writes to attributes of this type."""
    return [document for each, document in pairs(values.KINDS, documents, 2) if each == kind]


@pytest.mark.parametrize("kind", [kind for kind in values.KINDS if kind != "jsonb"])
def test_a_json_value_is_read_as_its_text(paths: WritePaths, kind: str) -> None:
    """Where an UPDATE would round 1.7 for an integer, JSON passes the text '1.7', which is not an integer."""
    for number, document in enumerate(of_kind(JSON_VALUES, kind), values.KINDS.index(kind) // 2):
        text = paths.kit.one("select %s::jsonb #>> '{}'", [document])
        literal = "null" if text is None else quoted(text)
        expected = paths.update(kind, literal)
        for write in turn([paths.changes, paths.held_changes], number):
            assert write(kind, document) == expected, document


def test_null_is_null_for_a_document_too(paths: WritePaths) -> None:
    for outcome in (
        paths.changes("jsonb", "null"), paths.held_changes("jsonb", "null"),
        paths.set_string("jsonb", "null"), paths.update("jsonb", "null"),
    ):  # fmt: skip
        assert outcome == Outcome((None, None, True))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("v_integer = 'many'", "22P02"),
        ("v_integer = 1 / (v_integer - 7)", "22012"),
        ("v_integer = v_text", "42804"),
        ("v_jsonb = v_text", "42804"),
        ("v_integer = 99999999999", "22003"),
        ("v_date = '2024-02-30'", "22008"),
    ],
)
def test_a_refused_set_string_names_postgresql_s_reason(paths: WritePaths, text: str, code: str) -> None:
    attribute, expression = text.split(" = ", 1)
    kind = attribute.removeprefix("v_")
    assert paths.set_string(kind, expression) == paths.update(kind, expression) == Outcome(refused=code)
