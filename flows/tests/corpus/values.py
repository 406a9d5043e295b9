"""Values to write into attributes: for each type what people and programs send, borders above all."""

from __future__ import annotations

import json
import random

# The types, each with the value that the expressions below find in its attribute.
FIRST = {
    "text": "12", "integer": 7, "numeric": "7.25", "boolean": True, "date": "2024-02-29",
    "timestamptz": "2024-02-29T10:00:00Z", "interval": "1 mon 2 days", "jsonb": {"a": 5}, "enum": "gold",
}  # fmt: skip
KINDS = (*FIRST,)
OPTIONS = ["gold", "silver", "", "it's", "ü"]

_SPACES = ("{}", " {}", "{} ", "\t{}\n", "  {}  ")
_ODD = [
    "", " ", "null", "NULL", "true", "x", "'", "''", '"', "\\", "\\n", "{}", "[]", "{1}", "ä", "漢", "😀",
    "٣",
]  # fmt: skip
_INTEGERS = [
    "0", "-0", "+0", "1", "-1", "7", "007", "-007", "+7", "2147483647", "2147483648", "-2147483648",
    "-2147483649", "9223372036854775807", "9223372036854775808", "1.0", "1.5", "-1.5", "1e3", "1E3",
    "1e-1", "0x1F", "0o17", "0b11", "1_000", "1,000", "1 000", "NaN", "Infinity", "--1", "+-1", "1-",
    "99999999999",
]  # fmt: skip
_NUMBERS = [
    "0.0", "-0.0", "0.00", "1.50", "1.500", ".5", "5.", "-.5", "+.5", ".", "1e10", "1e-10", "1.5e3",
    "1e308", "1e309", "1e999", "1e1000", "1e5000", "1e131071", "1e131072", "1e-999", "1e-1000", "1e-5000",
    "1e-16383", "1e-16384", "nan", "NAN", "inf", "-inf", "infinity", "-Infinity", "+inf", "1e", "e1",
    "1.2.3", "0x1p3", "1" * 100, "1" * 999, "1" * 1000, "1" * 1001, "9" * 4300, "0." + "3" * 998,
    "0." + "3" * 999, "1d", "1f",
]  # fmt: skip
_BOOLEANS = [
    "t", "T", "f", "tr", "tru", "true", "TRUE", "True", "y", "yes", "YES", "n", "no", "on", "off", "of",
    "o", "1", "0", "2", "01", "truee", "fals", "falsch", "wahr", "sim", "enable", "-1", "1.0", "on off",
]  # fmt: skip
_DAYS = [
    "2024-02-29", "2023-02-29", "2024-02-30", "2024-00-10", "2024-13-01", "2024-1-1", "20240101",
    "240101", "epoch", "infinity", "-infinity", "Infinity", "+infinity", "0044-03-15 BC", "0001-01-01",
    "0000-01-01", "0001-01-01 BC", "4713-01-01 BC", "4714-11-24 BC", "4714-11-23 BC", "5874897-12-31",
    "5874898-01-01", "294276-12-31", "294277-01-01", "Jan 5 2024", "5 Jan 2024", "January 5, 2024",
    "1/2/2024", "13/2/2024", "2024/02/03", "2024.060", "J2451187", "99-01-01", "24-Jan-05",
    "2024-01-01 10:00", "2024-01-01T10:00:00Z", "2024-01-01 AD", "2024 366", "10000-01-01",
    "2024-02-29 BC", "1582-10-10", "2024-W01", "-2024-01-01", "monday", "1",
]  # fmt: skip
_MOMENTS = [
    "2024-01-01 00:00", "2024-01-01 24:00", "2024-01-01 24:01", "2024-01-01 23:59:60",
    "2024-01-01 23:59:61", "2024-01-01 10:00:00.123456", "2024-01-01 10:00:00.1234565",
    "2024-01-01 10:00:00.9999999", "2024-01-01T10:00:00+00:00", "2024-01-01T10:00:00.5-03:30",
    "2024-01-01 10:00+15:59", "2024-01-01 10:00+16", "2024-01-01 10:00 PST",
    "2024-01-01 10:00 America/Sao_Paulo", "2018-11-04 00:30 America/Sao_Paulo",
    "2024-01-01 10:00 Nowhere/Town", "2024-01-01 10:00 AM", "2024-01-01 10:00 PM", "2024-01-01 13:00 PM",
    "20240101T100000", "20240101T100000Z", "2024-01-01 10", "2024-01-01 1:2:3", "0044-03-15 10:00 BC",
    "4714-11-24 00:00:00+00 BC", "4714-11-23 23:59:59+00 BC", "294276-12-31 23:59:59.999999", "10:00",
    "allballs",
]  # fmt: skip
_INTERVALS = [
    "1 day", "-1 day", "1 days 2 hours", "1 mon -1 day", "1 year 2 mons", "1-2", "-1-2", "1 2:03:04",
    "1:02:03.456789", "1:02:03.4567891", "-0:00:01", "P1Y2M3DT4H5M6S", "P1W", "P0001-02-03T04:05:06",
    "PT0S", "P-1Y2M", "@ 1 hour ago", "1 hour ago", "ago", "1", "-1", "1.5", "1.5 days", "1.5 months",
    "1e3 seconds", "0", "178000000 years", "178000001 years", "-178000000 years", "2147483647 months",
    "2147483648 months", "2147483647 days", "2147483648 days", "9223372036854 seconds",
    "9223372036855 seconds", "infinity", "-infinity", "1 century", "1 millennium", "1 decade", "3 weeks",
    "1 fortnight", "1 microsecond", "0.4 microseconds", "100 hours", "24:00", "00:60", "-00:00:00.000001",
    "1 day -25:00", "1 y 1 mon 1 d", "1 quarter", "1 hour 1 hour", "day", "+1 day",
]  # fmt: skip
_DOCUMENTS = [
    "null", " null ", "true", "false", "0", "-0", "1", "1.50", "1e3", "1e400", '"x"', '""', '"null"',
    '"\\u00e4"', '"\\\\"', '"a\\"b"', "[]", "{}", "[null]", '{"a": null}', '{"a": 1, "a": 2}',
    '{"b": 1, "a": 2}', '{"": 1}', '{ "a" : [ 1 , 2 ] }', "[1, 1.0, 1.00]", '{"a": {"b": {"c": []}}}',
    "[[[[]]]]", '"😀"', '"漢"', "[-0.0]", '{"wid": 1}', '{"a": "it\'s"}', "nul", "{", "[1,]", "{a: 1}",
    "'x'", "NaN", "01", "1.", "+1", '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', "1 2",
]  # fmt: skip
_TEXTS = [
    "a", "A", "it's", "''", "a'b''c", "$1", "$$", "--", "/* x */", ";", "%", "%s", "_", "\\", "\\\\",
    "\\'", "E'x'", "U&'\\0041'", "a\nb", "a\r\nb", "a\tb", "é", "e\u0301", "ß", "İ", "漢字", "😀",
    "👨‍👩‍👧".replace("\u200d", "+"), "\u00a0", "ﬁ", "now", "today", "{a,b}", "(1,2)", '{"a": 1}',
    "<b>&amp;</b>", "x" * 2000, "1", "1.50", "t", "2024-01-01",
]  # fmt: skip


def texts(kind: str) -> list[str]:
    """The texts to write into an attribute of this type, in a fixed order, each once."""
    made = {
        "text": [*_TEXTS, *_NUMBERS[:20], *_DAYS],
        "integer": _spaced(_INTEGERS) + _NUMBERS + _drawn("integer"),
        "numeric": _INTEGERS + _spaced(_NUMBERS[:34]) + _NUMBERS[34:] + _drawn("numeric"),
        "boolean": _spaced(_BOOLEANS) + _INTEGERS,
        "date": _DAYS + _MOMENTS + _drawn("date"),
        "timestamptz": _spaced(_MOMENTS) + _DAYS + _drawn("timestamptz"),
        "interval": _spaced(_INTERVALS) + _drawn("interval"),
        "jsonb": _spaced(_DOCUMENTS) + _drawn("jsonb"),
        "enum": [*_spaced(OPTIONS), "Gold", "GOLD", "gol", "goldd", "ü ", "u\u0308", *_TEXTS],
    }
    return list(dict.fromkeys(made[kind] + _ODD))


def _spaced(values: list[str]) -> list[str]:
    return values + [space.format(value) for value in values[:12] for space in _SPACES[1:]]


def _drawn(kind: str, count: int = 60) -> list[str]:
    """Ordinary values of the type."""
    draw = random.Random(kind)  # noqa: S311  # a corpus, not a secret
    one = {
        "integer": lambda: str(draw.randint(-(2**33), 2**33)),
        "numeric": lambda: (
            f"{draw.randint(-(10**20), 10**20)}.{draw.randint(0, 10**8)}e{draw.randint(-30, 30)}"
        ),
        "date": lambda: f"{draw.randint(1, 9999):04}-{draw.randint(1, 13):02}-{draw.randint(1, 31):02}",
        "timestamptz": lambda: (
            f"{draw.randint(1, 9999):04}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            f"T{draw.randint(0, 24):02}:{draw.randint(0, 60):02}:{draw.random() * 61:09.6f}"
            f"{draw.choice('+-')}{draw.randint(0, 15):02}:30"
        ),
        "interval": lambda: (
            f"{draw.randint(-99, 99)} years {draw.randint(-99, 99)} mons"
            f" {draw.randint(-999, 999)} days {draw.random() * 1e6:.6f} s"
        ),
        "jsonb": lambda: json.dumps(
            {draw.choice("abc"): [draw.randint(-9, 9), draw.random(), None, "x" * draw.randint(0, 9)]}
        ),
    }[kind]  # fmt: skip
    return [one() for _ in range(count)]


# Expressions that an UPDATE and a SET string can both say, to be assigned to an attribute of each type.
EXPRESSIONS = [
    "null", "(null)", "null::text", "null::integer", "true", "not true", "1", "-1", "- 1", "1.7", "-1.5",
    "2.5", "0.5", "1e3", "2147483647", "2147483648", "v_integer + 2147483647", "v_integer / 0", "1.0 / 3",
    "5 / 2", "('x')", "('1')", "'1'::text", "'1' || '2'", "'a' || 'b'", "1::numeric", "1::bigint",
    "1::smallint", "1.5::real", "1.1::double precision", "'1e400'::numeric", "'1e400'::double precision",
    "date '2024-02-29'", "timestamptz '2024-02-29 10:00+02'", "timestamp '2024-02-29 10:00'",
    "time '10:00'", "interval '1 day'", "date '2024-02-29' + 1", "date '2024-02-29' + interval '1 day'",
    "date 'infinity'", "timestamptz '-infinity'", "'{\"a\": 1}'::jsonb", "'{\"a\": 1}'::json",
    "'null'::jsonb -> 'a'", "'{\"a\": 7}'::jsonb -> 'a'", "'{\"a\": 7}'::jsonb ->> 'a'",
    "array['a', 'b']", "array[1, 2]", "'x'::varchar(10)", "'x'::char(3)",
    "'00000000-0000-0000-0000-000000000000'::uuid", "case when true then '1' end",
    "case when true then 1 end", "coalesce(null, '1')", "coalesce(null, 1)", "nullif('1', '2')",
    "greatest('1', '2')", "greatest(1, 2.5)", "v_text", "v_integer", "v_numeric", "v_boolean", "v_date",
    "v_timestamptz", "v_interval", "v_jsonb", "v_enum", "v_text || 'x'", "v_integer + 1", "v_numeric * 2",
    "not v_boolean", "v_date + 1", "v_timestamptz + interval '1 day'", "v_interval * 2",
    "v_jsonb || '{\"b\": 2}'", "v_jsonb -> 'a'", "v_jsonb ->> 'a'", "(v_jsonb ->> 'a')::integer",
    "v_integer::text", "v_numeric::text", "v_boolean::text", "v_date::text", "v_timestamptz::text",
    "v_interval::text", "v_jsonb::text", "v_text::integer", "v_text::jsonb", "v_integer = 7",
    "v_integer > v_numeric", "v_text is null", "length(v_text)", "upper(v_enum)",
    "extract(year from v_date)", "round(v_numeric, 1)", "v_numeric::integer",
    "(v_integer::text || '1')::integer", "v_date - date '2024-01-01'", "v_text::date",
    "v_date::timestamptz", "v_timestamptz::date", "v_integer::boolean", "v_boolean::integer",
    "'gold'::text", "lower('GOLD')", "v_jsonb = '{}'", "jsonb_array_length('[1, 2]')",
    "substr(v_text, 1, 2)", "trim(v_text)", "1 = 1 and null",
]  # fmt: skip
