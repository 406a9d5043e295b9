"""Random conditions and SET strings: grown from the grammar, then broken with hostile pieces."""

from __future__ import annotations

import random

from flows.tests.corpus.oracle import ATTRS

KINDS = ("text", "integer", "numeric", "boolean", "date", "timestamptz", "interval", "jsonb")
LITERALS = {
    "text": ["''", "'x'", "'it''s'", "'a\\b'", "'{1,2}'", "'2026-01-01'", "'now'", "'ação'", "'%_'", "'\n'"],
    "integer": ["0", "1", "-1", "42", "2147483647", "1e3", ".5", "007"],
    "numeric": ["1.5", ".25", "1e300", "99999999999999999999", "-0.1"],
    "boolean": ["true", "false", "null"],
    "date": ["date '2026-01-01'", "'2026-02-28'::date", "'infinity'::date"],
    "timestamptz": ["timestamptz '2026-01-01 10:00+02'", "'2026-01-01'::timestamptz"],
    "interval": ["interval '3 days'", "'1 hour'::interval"],
    "jsonb": ["'{}'::jsonb", "'{\"a\": [1, 2]}'::jsonb", "'null'"],
}
COMPARISONS = ["=", "<>", "!=", "<", "<=", ">", ">="]
ARITHMETIC = ["+", "-", "*", "/", "%", "^"]
TEXT_CALLS = ["lower", "upper", "btrim", "md5", "reverse", "initcap", "quote_literal", "ltrim", "normalize"]
INTEGER_CALLS = ["length", "octet_length", "ascii", "bit_length"]
PATTERNS = ["'^a+$'", "'[0-9]{3,5}'", "'(a|b)*c'", "'\\d+'", "'((a{1,20}){1,20}){1,20}'", "'(?=x)'", "'['"]

# Pieces that a careless lexer would let through.
HOSTILE = [
    "select", "(select 1)", "exists (select 1)", "from pg_class", "with x as (select 1)",
    "union all select 1", "where true", ";", "; drop table x", "--", "/*", "*/", "$$", "$1", "$x$", '"',
    '"a1"', "\\", "E'\\''", "U&'\\0061'", "B'1'", "X'1F'", "N'x'", "'", "''", "'''", "::regclass", "::oid",
    "::cstring", "::pg_catalog.text", ".", "..", "a1.a2", "pg_catalog.", "pg_sleep(1)", "pg_read_file('x')",
    "set_config('a.b', 'c', false)", "pg_advisory_lock(1)", "lo_creat(1)", "random()",
    "current_setting('x')", "now()", "current_date", "current_user", "user", "localtime",
    "query_to_xml('select 1', true, true, '')", "nextval('x')", "txid_current()", "version()",
    "pg_backend_pid()", "generate_series(1, 3)", "unnest(array[1])", "count(*)", "max(a2)", "row(1, 2)",
    "(1, 2)", "array(select 1)", "collate \"C\"", "operator(pg_catalog.+)", ":=", "=>", ":", "::", "?",
    "@?", "@@", "ilike(a1)", "between", "symmetric", "like", "escape", "any", "all (array[1])", "some",
    "case", "when", "end", "cast(", "cast(a1 as", "treat(a1 as text)", "overlaps", "grouping(a1)",
    "merge_action()", "json_value(doc, '$.a')", "json_object('a': 1)", "json_exists(doc, '$')",
    "json_array(1, 2)", "json_scalar(1)", "xmlparse(document 'x')", "xmlelement(name x)", "xpath('x', 'y')",
    "is json", "is document", "is normalized", "at local", "at time zone 'UTC'", "over ()",
    "filter (where true)", "within group", "variadic", "distinct", "order by 1", "default", "new", "old",
    "r", "r.a1", "wid", "ctid", "tableoid", "xmin", "oid", "\u00a0", "\u2028", "\u200b", "é", "\x01",
    "\x0b", "\x0c", "{", "}", "[", "]", "(", ")", ",", "[1:2]", "[:]", "1_000", "0x1F", "1e", "1.", "1..2",
    "1a", "a1'x'", "'x'a1", "1'x'", "u&'1'", "@-1", "=-1", "- -1", "--1", "+-+1", "*/1", "=/*x*/1", "~-1",
    "interval '1' day", "interval(3) '1 day'", "time with time zone '10:00'",
    "timestamp without time zone '2026-01-01'", "double precision '1'", "numeric(5,2) '1'", "int[] '{1}'",
    "repeat('x', 1000000000)", "lpad('x', 1000000000)", "a1 ~ a3", "factorial(30000)", "gcd(1, 2)",
    "ts_rewrite('a'::tsquery, 'select 1')", "to_tsvector('x')", "jsonb_path_query(doc, '$')",
    "like_escape('a', 'b')", "textregexeq(a1, a3)", "substring(a1 similar a3 escape '#')",
    "collation for (a1)", "date 'today'",
]  # fmt: skip
# Words of the grammar, thrown in anywhere.
GLUE = [
    "and", "or", "not", "is", "null", "in", "(", ")", ",", "=", "-", "+", "::text", "::integer", "||", "->",
    "->>", "~", "a1", "a2", "doc", "position", "value", "name", "'x'", "1", "then", "else", "as", "for",
    "placing", "both", "unknown", "to", "similar",
]  # fmt: skip


class Grower:
    """Grows texts from one seed; the same seed gives the same texts."""

    def __init__(self, seed: int, functions: list[str], operators: list[str]) -> None:
        self.random = random.Random(seed)  # noqa: S311 -- texts that can be grown again
        self.functions = functions
        self.operators = operators

    def condition(self) -> str:
        """A condition, broken in two of three cases."""
        return self._maybe_break(self._boolean(self.random.randint(1, 4)))

    def assignments(self) -> str:
        """A SET string, broken in two of three cases."""
        names = self.random.sample(sorted(ATTRS), self.random.randint(1, 3))
        parts = [
            f"{name}{self._space()}={self._space()}{self._value(self._kind(ATTRS[name]), 2)}"
            for name in names
        ]
        return self._maybe_break(", ".join(parts))

    def _maybe_break(self, text: str) -> str:
        for _ in range(self.random.choice([0, 0, 1, 1, 2, 3])):
            text = self._break(text)
        return text

    def _break(self, text: str) -> str:
        at = self.random.randint(0, len(text))
        piece = self.random.choice(HOSTILE if self.random.random() < 0.6 else GLUE)
        way = self.random.randint(0, 4)
        if way == 0:
            return text[:at] + piece + text[at:]
        if way == 1:
            return text[:at] + " " + piece + " " + text[at:]
        if way == 2:
            return text[:at] + text[at + self.random.randint(1, 5) :]
        words = text.split(" ")
        spot = self.random.randrange(len(words))
        if way == 3:
            words[spot] = piece
        else:
            words.insert(spot, words[self.random.randrange(len(words))])
        return " ".join(words)

    def _boolean(self, depth: int) -> str:
        pick = self.random.choice
        if depth <= 0:
            return pick(["paid", "true", "a1 = 'x'", "a2 > 1", "a1 is null", "doc ? 'a'"])
        kind = pick(KINDS)
        left, right = self._value(kind, depth - 1), self._value(kind, depth - 1)
        space = self._space()
        return pick([
            lambda: f"{self._boolean(depth - 1)} {pick(['and', 'or', 'AND'])} {self._boolean(depth - 1)}",
            lambda: f"({self._boolean(depth - 1)})",
            lambda: f"not {self._boolean(depth - 1)}",
            lambda: f"{left}{space}{pick(COMPARISONS)}{space}{right}",
            lambda: f"{left} is {pick(['', 'not '])}{pick(['null', 'distinct from ' + right])}",
            lambda: f"{left} {pick(['', 'not '])}in ({right}, {self._value(kind, 0)})",
            lambda: f"{left} {pick(['', 'not '])}between {right} and {self._value(kind, 0)}",
            lambda: f"{left} between symmetric {right} and {self._value(kind, 0)}",
            lambda: f"{self._text(depth)} {pick(['like', 'not ilike', 'similar to'])} {pick(PATTERNS)}",
            lambda: f"{self._text(depth)} {pick(['~', '~*', '!~', '!~*'])} {pick(PATTERNS)}",
            lambda: f"{left} = {pick(['any', 'all', 'some'])} (array[{right}, {self._value(kind, 0)}])",
            lambda: f"case when {self._boolean(depth - 1)} then {self._boolean(depth - 1)} else paid end",
            lambda: f"{self._value(pick(KINDS), 0)} {pick(self.operators)} {self._value(pick(KINDS), 0)}",
            lambda: f"{self._wild_call()} is not null",
            lambda: f"doc {pick(['@>', '<@', '?', '@?', '@@'])} {pick(LITERALS['jsonb'] + LITERALS['text'])}",
        ])()  # fmt: skip

    def _value(self, kind: str, depth: int) -> str:
        pick = self.random.choice
        names = [name for name, its in ATTRS.items() if self._kind(its) == kind]
        if depth <= 0:
            return pick([*names, *names, *LITERALS[kind]])
        inner = self._value(kind, depth - 1)
        forms = [
            lambda: inner,
            lambda: f"({inner})",
            lambda: f"coalesce({inner}, {self._value(kind, 0)})",
            lambda: f"case when {self._boolean(depth - 1)} then {inner} else {self._value(kind, 0)} end",
            lambda: f"cast({inner} as {kind})",
            lambda: f"{self._value('text', 0)}::{kind}",
        ]
        if kind == "text":
            forms += [
                lambda: f"{pick(TEXT_CALLS)}({inner})",
                lambda: f"{inner} || {self._value('text', 0)}",
                lambda: f"substring({inner} from {pick(['1', 'a2', PATTERNS[0]])} {pick(['', 'for 2'])})",
                lambda: f"trim({pick(['both ', 'leading ', ''])}'x' from {inner})",
                lambda: f"doc ->> {pick(LITERALS['text'])}",
                lambda: f"regexp_replace({inner}, {pick(PATTERNS)}, {self._value('text', 0)}, 'g')",
                lambda: f"{self._value(pick(KINDS), 0)}::text",
            ]
        if kind in ("integer", "numeric"):
            forms += [
                lambda: f"{inner}{self._space()}{pick(ARITHMETIC)}{self._space()}{self._value(kind, 0)}",
                lambda: f"{pick(['-', '+', '@ ', '- -', '~ '])}{inner}",
                lambda: f"{pick(INTEGER_CALLS)}({self._value('text', depth - 1)})",
                lambda: f"position({self._value('text', 0)} in {self._value('text', 0)})",
                lambda: f"extract({pick(['year', 'epoch', 'century'])} from {self._moment()})",
            ]
        if kind in ("date", "timestamptz"):
            forms += [lambda: f"{inner} {pick('+-')} {self._value('interval', 0)}"]
        if kind == "jsonb":
            forms += [lambda: f"{inner} {pick(['->', '||', '-', '#>'])} {pick(LITERALS['text'])}"]
        return pick(forms)()

    def _text(self, depth: int) -> str:
        return self._value("text", depth - 1)

    def _moment(self) -> str:
        return self._value(self.random.choice(["date", "timestamptz", "interval"]), 0)

    def _wild_call(self) -> str:
        count = self.random.randint(0, 3)
        arguments = ", ".join(self._value(self.random.choice(KINDS), 0) for _ in range(count))
        return f"{self.random.choice(self.functions)}({arguments})"

    def _space(self) -> str:
        return self.random.choice(["", " ", " ", "\n", "\t"])

    @staticmethod
    def _kind(kind: str) -> str:
        return "text" if kind == "enum" else kind
