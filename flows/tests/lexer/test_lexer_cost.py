"""The cost of conditions: no permitted call that cannot be interrupted grows faster than its operands.

Every function and operator in the vocabulary of this server is run with computed operands of the worst
shapes. Slow ones are run again at half the size: a call that takes three times as long for twice the size,
and that a statement timeout does not end, must be in wedsql.costly_function: those need a short operand.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows.tests.corpus import operands, oracle
from testkit import cases

pytestmark = [pytest.mark.kernel, pytest.mark.cost]
Connect = Callable[..., psycopg.Connection[Any]]

SIZE = 24_000
# Of all functions, in runs that are not long; what it finds is verified by CPU time.
SHORTER = SIZE if cases.long() else 8_000
SLOW_MS = 20.0
# A function with a call that takes this long, or with so many slow calls, is judged by the slowest of them.
LONG_MS = 100.0
SLOW_CALLS = 20
COMBINATIONS = 400
SHORT = {"numeric", "int4", "int8", "float8", "point", "box", "lseg", "line", "circle", "name"}

# Each function with an argument of variable size that a condition can call, by name, operator or cast.
PERMITTED = """
select p.oid, p.proname, p.provariadic <> 0,
  array(select t.typname::text from unnest(p.proargtypes::oid[]) with ordinality a (type, i)
        join pg_type t on t.oid = a.type order by i),
  exists (select 1 from wedsql.costly_function c where p.proname ~ c.pattern)
from wedsql.pure_function f join pg_proc p using (oid) left join wedsql.vocabulary v on v.word = p.proname
where exists (select 1 from unnest(p.proargtypes::oid[]) a join pg_type t on t.oid = a
              where t.typlen < 0 or t.typtype = 'p')
  and (v.func = 'ok' or exists (select 1 from pg_cast k where k.castfunc = p.oid)
       or coalesce(v.func, '') <> 'pattern_not_literal'
          and exists (select 1 from pg_operator o where o.oprcode = p.oid))
  -- Their pattern is one fixed text, and PostgreSQL looks for interrupts while it matches.
  and v.pattern_arg is null and not (p.proname = 'substring' and p.proargtypes[1] = 'text'::regtype)
order by p.proname, p.oid
"""


# Each name that a condition may call with a value of variable size, and the types, from the vocabulary only.
NAMED = """
with word as materialized (
  select v.word from wedsql.vocabulary v where v.func = 'ok' and v.pattern_arg is null),
pure as materialized (select f.oid from wedsql.pure_function f)
select p.proname, k.types
from pg_proc p cross join lateral (
  select array_agg(t.typname::text) as types, bool_or(t.typlen < 0 or t.typtype = 'p') as varies
  from unnest(p.proargtypes::oid[]) a join pg_type t on t.oid = a) k
where p.oid in (table pure) and p.proname in (table word) and k.varies
"""


@dataclass(frozen=True)
class Function:
    """One function of the catalog."""

    oid: int
    name: str
    variadic: bool
    types: Sequence[str]
    costly: bool

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.types)})"

    def call(self) -> str:
        """Return the call with the variables v1, v2, ... of a block."""
        arguments = [f"v{number}" for number in range(1, len(self.types) + 1)]
        if self.variadic:
            arguments[-1] = f"variadic {arguments[-1]}"
        return f'pg_catalog."{self.name}"({", ".join(arguments)})'


@dataclass(frozen=True)
class Worst:
    """The slowest combination of operands, its time, and how many combinations could be computed."""

    ms: float
    which: Sequence[int]
    good: int


# The CPU time of this server process, from the scheduler's counter, which a short sleep updates.
PROCESSOR = """
create function pg_temp.processor_ms() returns float8 language plpgsql as $$
begin
  perform pg_sleep(0.0001);
  return split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e6;
end $$
"""
CLOCK = "extract(epoch from clock_timestamp()) * 1000"


class Stopwatch:
    """Measures functions in one session, with operands stored in two sizes.

    Candidates are found by elapsed time and verified by CPU time, which other processes do not affect.
    """

    def __init__(self, db: psycopg.Connection[Any], size: int = SIZE) -> None:
        self.db, self.size = db, size
        self.precise = CLOCK
        if Path("/proc/self/schedstat").exists():
            db.execute(PROCESSOR)
            self.precise = "pg_temp.processor_ms()"
        self._kept: set[str] = set()

    def _kept_in(self, kind: str, size: int) -> str:
        """Return the table with the operands of this type and size, which is made when it is first used."""
        table = f'pg_temp."operand {kind} {size}"'
        if table not in self._kept:
            self._keep(table, kind, size)
            self._kept.add(table)
        return table

    def _keep(self, table: str, kind: str, size: int) -> None:
        concrete = operands.CONCRETE.get(kind, kind)
        values = (value.replace("$n", str(self.size * size)) for value in operands.VALUES[kind])
        rows = ", ".join(f"({number}, ({value})::{concrete})" for number, value in enumerate(values))
        self.db.execute(f"create table {table} as select i, v from (values {rows}) as o (i, v)")

    def worst(
        self,
        function: Function,
        size: int = 2,
        only: Sequence[int] = (),
        timeout_ms: int = 0,
        time: str = CLOCK,
    ) -> Worst:
        """Return the slowest combination, or that of `only`; stop at the first that takes long."""
        self.db.execute(f"set statement_timeout = {timeout_ms}")
        self.db.execute(self._block(function, size, only, time))
        row = self.db.execute("select current_setting('test.worst')").fetchone()
        ms, which, good = json.loads(row[0] if row else "")
        return Worst(ms, which, good)

    def _block(self, function: Function, size: int, only: Sequence[int], time: str) -> str:
        numbers = range(1, len(function.types) + 1)
        froms = [f"{self._kept_in(kind, size)} t{n}" for n, kind in enumerate(function.types, 1)]
        where = [f"t{n}.i = {i}" for n, i in enumerate(only, 1)] or ["true"]
        declared = "".join(
            f"v{n} {operands.CONCRETE.get(kind, kind)};" for n, kind in enumerate(function.types, 1)
        )
        read = "".join(f"select v into v{n} from {self._kept_in(kind, size)} where i = w[{n}];"
                       for n, kind in enumerate(function.types, 1))  # fmt: skip
        indexes = ", ".join(f"t{n}.i" for n in numbers)
        return f"""do $do$
            declare {declared} w int[]; worst int[];
              most float8 := 0; t float8; ms float8; good int := 0; slow int := 0;
            begin
              for w in select array[{indexes}] from {", ".join(froms)} where {" and ".join(where)}
                       order by md5(concat_ws(',', {indexes})) limit {COMBINATIONS} loop
                {read}
                t := {time};
                begin
                  perform {function.call()};
                  good := good + 1;
                exception when others then null;
                end;
                ms := {time} - t;
                if ms > most then most := ms; worst := w; end if;
                slow := slow + (ms > {SLOW_MS})::int;
                exit when most > {LONG_MS} or slow = {SLOW_CALLS};
              end loop;
              perform set_config('test.worst', json_build_array(most, worst, good)::text, false);
            end $do$"""

    def runs_away(self, function: Function, first: Worst) -> Worst | None:
        """Return operands with which twice the size takes three times as long and a timeout does not help.

        first: the slowest combination by elapsed time.
        """
        if first.ms < SLOW_MS:
            return None
        # Other processes can make any combination look like the slowest one.
        worst = self.worst(function, time=self.precise)
        if worst.ms < SLOW_MS or self.can_be_ended(function, worst):
            return None
        twice = self._measured(function, 2, worst)
        once = self._measured(function, 1, worst)
        return worst if twice > SLOW_MS and twice > 3 * once else None

    def _measured(self, function: Function, size: int, worst: Worst) -> float:
        """Return the time of one call in milliseconds: the least of four, or of fewer if they take long."""
        taken: list[float] = []
        while len(taken) < 4 and sum(taken) < 500:
            taken.append(self.worst(function, size, worst.which, time=self.precise).ms)
        return min(taken)

    def can_be_ended(self, function: Function, worst: Worst) -> bool:
        """Return whether a timeout of a tenth of its time ends it before half of its time."""
        begun = time.monotonic()
        try:
            self.worst(function, 2, worst.which, timeout_ms=max(5, int(worst.ms / 10)))
        except psycopg.errors.QueryCanceled:
            return (time.monotonic() - begun) * 1000 < worst.ms / 2
        return False


def permitted(db: psycopg.Connection[Any]) -> Iterator[Function]:
    for row in db.execute(PERMITTED).fetchall():
        function = Function(*row)
        if not operands.WITHOUT_VALUES & set(function.types):
            yield function


def test_no_permitted_call_runs_away(connect: Connect) -> None:
    """The test covers the whole vocabulary of this server, so it includes new functions of PostgreSQL."""
    stopwatch = Stopwatch(connect(), SHORTER)
    tried = computed = 0
    runaways = []
    for function in permitted(stopwatch.db):
        if function.costly:
            continue
        tried += 1
        first = stopwatch.worst(function)
        computed += first.good > 0
        if worst := stopwatch.runs_away(function, first):
            runaways.append(f"{function}: {worst}")
    assert runaways == []
    print(f"\n{tried} functions, {computed} of them with operands that they take")
    assert computed > 0.9 * tried


def test_every_function_that_a_condition_can_name_is_among_them(connect: Connect) -> None:
    """The names come from the vocabulary of this server; an older PostgreSQL has fewer."""
    db = connect()
    rows = db.execute(NAMED).fetchall()
    named = {name for name, types in rows if not operands.WITHOUT_VALUES & set(types)}
    assert named - {function.name for function in permitted(db)} == set()
    assert {"lower", "jsonb_set", "array_append", "btrim"} <= named


@pytest.mark.parametrize(
    ("name", "size"),
    cases.some(
        [
            ("arrayoverlap", 12_000),
            ("jsonb_exists_any", SIZE),
            ("jsonb_contains", 12_000),
            ("translate", 6_000),
            ("btrim", 12_000),
            ("textlike", 16_000),
            ("normalize", 12_000),
            ("replace", SIZE),
        ],
        4,
    ),
)
def test_the_stopwatch_finds_what_is_refused(connect: Connect, name: str, size: int) -> None:
    """Each of these would make the test above fail if its calls were not bounded; size: one that shows it."""
    stopwatch = Stopwatch(connect(), size)
    found = [f for f in permitted(stopwatch.db) if f.name == name]
    assert found and all(f.costly for f in found)
    # Other processes of the machine can hide it once, but not each time.
    assert any(stopwatch.runs_away(f, stopwatch.worst(f)) for _time in range(5) for f in found)


def test_a_costly_function_needs_a_short_operand(connect: Connect) -> None:
    """The parse tree of a call is checked, for every form of every function of the list."""
    db = connect()
    tried = 0
    for function in permitted(db):
        long = [kind for kind in function.types if kind not in SHORT]
        if not function.costly or len(long) < (1 if "normalize" in function.name else 2):
            continue
        kinds = [operands.CONCRETE.get(kind, kind) for kind in function.types]
        source = ", ".join(f"null::{kind} as v{n}" for n, kind in enumerate(kinds, 1))
        query = f"select {function.call()} from (select {source} offset 0) as r"
        words = db.execute(
            "select c.words, c.reason from wedsql.parse_tree(%s) p, wedsql.too_costly(p.tree, p.functions) c",
            [query],
        ).fetchone()
        assert words is not None and words[1] in ("costly", "too_large"), f"{function}: {words}"
        tried += 1
    assert tried > 40


def test_numbers_may_be_multiplied_a_few_times(connect: Connect) -> None:
    db = connect()
    product = "a1::numeric * a3::numeric > 1"
    check = "select wedsql.check_predicate_text(%s, %s)"
    assert db.execute(check, [" and ".join([product] * 5), oracle.ATTRS_JSON]).fetchone()
    with pytest.raises(psycopg.Error) as caught:
        db.execute(check, [" and ".join([product] * 20), oracle.ATTRS_JSON])
    assert json.loads(caught.value.diag.message_detail or "")["reason"] == "costly"
    assert db.execute(check, [" and ".join(["amount * amount > 1"] * 100), oracle.ATTRS_JSON]).fetchone()
