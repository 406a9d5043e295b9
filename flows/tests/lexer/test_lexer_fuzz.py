"""Random texts: what the lexer accepts is one harmless expression according to libpg_query, and runs as such.

WEDSQL_FUZZ=100000 runs more texts, WEDSQL_FUZZ_SEED=7 others; every failure reports the seed.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import oracle
from flows.tests.corpus.fuzz import Grower
from testkit.cases import long

pytestmark = pytest.mark.kernel
Connect = Callable[..., psycopg.Connection[Any]]

COUNT = int(os.environ.get("WEDSQL_FUZZ", "2000" if long() else "1000"))
SEED = int(os.environ.get("WEDSQL_FUZZ_SEED", "20260801"))
BATCH = 250

# Functions that return the errors of the lexer and of the check as rows.
HELPERS = """
create function pg_temp.attempt(p_text text, p_attrs jsonb, p_set boolean, out part text, out aligned text,
  out qualified text, out code text, out detail text, out checked boolean)
returns setof record language plpgsql as $$
declare
  v record;
begin
  begin
    for v in
      select a.attribute as part, wedsql.align(t.n, a.first, a.last, length(p_text)) as aligned, a.qualified
      from (select wedsql.parse(p_text, p_attrs, true) where p_set) t (n), wedsql.assignments(t.n) a
      union all
      select null, c.aligned, c.qualified from wedsql.canonical(p_text, p_attrs) as c where not p_set
    loop
      part := v.part; aligned := v.aligned; qualified := v.qualified;
      return next;
    end loop;
  exception when others then
    get stacked diagnostics code = returned_sqlstate, detail = pg_exception_detail;
    part := null; aligned := null;
    return next;
    return;
  end;
  begin
    if p_set then
      perform wedsql.check_set_text(p_text, p_attrs);
    else
      perform wedsql.check_predicate_text(p_text, p_attrs);
    end if;
    checked := true;
  exception when others then
    get stacked diagnostics code = returned_sqlstate, detail = pg_exception_detail;
    checked := false;
  end;
  aligned := null; qualified := null;
  return next;
end $$;
create function pg_temp.run(p_query text, out code text, out took interval) language plpgsql security definer
  set timezone = 'UTC' set search_path = pg_catalog, pg_temp as $$
declare
  v_start timestamptz := clock_timestamp();
begin
  execute p_query;
  took := clock_timestamp() - v_start;
exception when others then
  code := sqlstate;
  took := clock_timestamp() - v_start;
end $$;
alter function pg_temp.run(text) owner to wed_eval;
"""
CATALOGS = ("pg_class", "pg_proc", "pg_largeobject_metadata", "pg_type", "pg_namespace")
# Temporary objects are ignored, and the schemas that the first one of a session creates and leaves.
PERMANENT = {"pg_class": "relpersistence <> 't'", "pg_namespace": "nspname !~ '^pg_(toast_)?temp_'"}
STATES: list[dict[str, Any]] = [
    {},
    {"a1": "x", "a2": 2, "a3": "2026-01-01", "a4": "1", "amount": 1.5, "paid": True, "due": "2026-01-01",
     "seen": "2026-01-01T10:00:00Z", "wait": "1 day", "doc": {"a": [1, 2]}, "kind": "gold", "position": 1,
     "value": "v", "name": "n"},
]  # fmt: skip


class Fuzz:
    """One run: counts of the results of its texts, and the violations found."""

    def __init__(self, db: psycopg.Connection[Any], *, sets: bool) -> None:
        self.db, self.sets = db, sets
        self.counts: Counter[str] = Counter()
        self.violations: list[tuple[str, str]] = []
        self.slowest = 0.0
        words = "select array_agg(word order by word) from wedsql.vocabulary where "
        self.functions = self._one(words + "func = 'ok'")
        self.operators = self._one(words + "infix")
        self.sources = [oracle.row_source(state).as_string(db) for state in STATES]

    def _one(self, query: str) -> Any:
        row = self.db.execute(query).fetchone()
        assert row is not None
        return row[0]

    def run(self, count: int, seed: int) -> None:
        grower = Grower(seed, self.functions, self.operators)
        texts: Iterator[str] = iter(lambda: grower.assignments() if self.sets else grower.condition(), None)
        for batch in _batches(texts, count):
            self._judge(batch)

    def _judge(self, texts: list[str]) -> None:
        rows = self.db.execute(
            "select t.ord, a.* from unnest(%s::text[]) with ordinality as t(text, ord), "
            "pg_temp.attempt(t.text, %s, %s) as a order by t.ord",
            [texts, oracle.ATTRS_JSON, self.sets],
        ).fetchall()
        accepted: list[tuple[str, str]] = []
        for order, of_text in itertools.groupby(rows, key=lambda row: row[0]):
            accepted += self._one_text(texts[order - 1], list(of_text))
        self._evaluate(accepted)

    def _one_text(self, text: str, rows: list[Any]) -> list[tuple[str, str]]:
        *parts, last = rows
        _ord, _part, _aligned, _qualified, code, detail, checked = last
        self.counts["inputs"] += 1
        if checked is None:
            self.counts["refused by the lexer"] += 1
            self._expect(code == ("WD211" if self.sets else "WD005"), text, f"refused with {code}")
            self._expect('"position"' in (detail or ""), text, "refused without a position")
            return []
        self.counts["accepted by the lexer"] += 1
        for row in parts:
            self._oracle(text, row[2], row[3], checked)
        if not checked:
            self.counts["refused by the check"] += 1
            self._expect(code == ("WD211" if self.sets else "WD006"), text, f"the check raised {code}")
            self._expect('"position"' in (detail or ""), text, "the check refused without a position")
            return []
        self.counts["accepted by both"] += 1
        return [(text, row[3]) for row in parts]

    def _oracle(self, text: str, aligned: str, qualified: str, checked: bool) -> None:
        self._expect(len(aligned) == len(text), text, "aligned is not as long as the text")
        for complaint in oracle.complaints(aligned, set(self.functions)):
            self._expect(False, text, complaint)
        one, other = oracle.skeleton(aligned, drop_prefix=False), oracle.skeleton(qualified, drop_prefix=True)
        self._expect(one == other, text, f"aligned and qualified differ: {qualified}")
        self._expect(one is not None or not checked, text, "the check accepts what libpg_query cannot read")

    def _evaluate(self, accepted: list[tuple[str, str]]) -> None:
        for source in self.sources:
            queries = [f"select ({expression}) from {source}" for _text, expression in accepted]
            run = (
                "select r.* from unnest(%s::text[]) with ordinality as q(text, ord), "
                "pg_temp.run(q.text) as r order by q.ord"
            )
            rows = self.db.execute(run, [queries]).fetchall()
            for (text, _expression), (code, took) in zip(accepted, rows, strict=True):
                self.counts["evaluations"] += 1
                self.counts["evaluations with a data error"] += code is not None
                self._expect(code is None or code[:2] in ("22", "42"), text, f"evaluation raised {code}")
                self.slowest = max(self.slowest, took.total_seconds())

    def _expect(self, holds: bool, text: str, complaint: str) -> None:
        if not holds:
            self.violations.append((text, complaint))


def _batches(texts: Iterator[str], count: int) -> Iterator[list[str]]:
    while count > 0:
        yield list(itertools.islice(texts, min(count, BATCH)))
        count -= BATCH


def census(db: psycopg.Connection[Any]) -> dict[str, Any]:
    counts = {}
    for catalog in CATALOGS:
        where = PERMANENT.get(catalog, "true")
        counts[catalog] = db.execute(f"select count(*) from pg_catalog.{catalog} where {where}").fetchone()
    return counts


@pytest.mark.parametrize("sets", [False, True], ids=["condition", "set"])
def test_random_text_is_refused_or_harmless(connect: Connect, *, sets: bool) -> None:
    db = connect()
    db.execute("set statement_timeout = '60s'")
    db.execute(HELPERS)
    fuzz = Fuzz(db, sets=sets)
    before = census(db)
    fuzz.run(COUNT if not sets else COUNT // 2, SEED)
    print(f"\nseed {SEED}, {dict(fuzz.counts)}, slowest evaluation {fuzz.slowest * 1000:.1f} ms")
    assert fuzz.violations[:20] == [], f"seed {SEED}: {len(fuzz.violations)} violations"
    assert fuzz.counts["accepted by both"] > fuzz.counts["inputs"] // 50, fuzz.counts
    assert fuzz.slowest < 2, "an accepted text takes too long"
    assert census(db) == before
