"""Operands that make functions of PostgreSQL slow: for each type a few values of about $n bytes, as SQL."""

from __future__ import annotations

_POINTS = "(select string_agg('(' || i || ',' || {y} || ')', ',') from generate_series(1, $n / 16) i)"
_MANY = "(select array_agg({element}) from generate_series(1, $n / 4) i)"
_RANGES = (
    "(select range_agg(int4range(i * 3 + {shift}, i * 3 + {shift} + 1)) from generate_series(1, $n / 8) i)"
)

TEXT = [
    "repeat('a', $n)",
    "repeat('a', $n - 1) || 'b'",
    "'b' || repeat('a', $n / 2)",
    "repeat('ab', $n / 2)",
    "'%' || repeat('a', $n / 2) || 'b'",
    "(select string_agg(chr(256 + i % 40000), '' order by i) from generate_series(1, $n / 2) i)",
    "repeat(chr(769) || chr(803), $n / 4)",
    "repeat('a,', $n / 2)",
    "repeat('9', $n)",
    "repeat('\\', $n)",
    "'[' || repeat('1,', $n / 2) || '1]'",
    "'1e$n'",
    # Arguments that name a form, a unit, an encoding.
    *("'NFC'", "'hex'", "'day'", "'UTC'", "'[]'", "'UTF8'", "'escape'"),
]
BYTES = [f"convert_to({text}, 'UTF8')" for text in (*TEXT[:5], TEXT[9])]
DOCUMENT = [
    "(select jsonb_agg(i::text) from generate_series(1, $n / 8) i)",
    "(select jsonb_object_agg(i::text, i) from generate_series(1, $n / 8) i)",
    "(select jsonb_agg(i) from generate_series(1, $n / 8) i)",
    "(select jsonb_agg(jsonb_build_array(-i)) from generate_series(1, $n / 8) i)",
    "to_jsonb(repeat('a', $n))",
    "(repeat('[', 1000) || repeat(']', 1000))::jsonb",
    "'1.5'::jsonb",
]
NUMBER = [
    "repeat('9', $n)::numeric",
    "('0.' || repeat('7', least($n, 16000)))::numeric",
    "('1' || repeat('0', $n) || '.5')::numeric",
    "7::numeric",
    "0.5",
]
POLYGON = [f"('(' || {_POINTS.format(y=y)} || ')')::polygon" for y in ("i % 2", "i % 2 + 10", "i * i")]
MULTIRANGE = [_RANGES.format(shift=shift) for shift in (0, 1)]


def _array(kind: str) -> list[str]:
    return [_MANY.format(element=f"({sign}i)::{kind}") for sign in ("", "-")]


def _range_array(kind: str) -> list[str]:
    return [f"array_fill({kind}(null, null), array[$n / 8])"]


RANGES = ("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange")
VALUES: dict[str, list[str]] = {
    "text": TEXT,
    "varchar": TEXT[:5],
    "bpchar": [f"({text})::bpchar" for text in TEXT[:9]],
    "bytea": BYTES,
    "jsonb": DOCUMENT,
    "json": [f"({document})::json" for document in DOCUMENT],
    "jsonpath": ["'$[*] ? (@ == $[*])'::jsonpath", "'$.a'::jsonpath"],
    "numeric": NUMBER,
    "bit": ["repeat('1', $n)::varbit", "(repeat('0', $n - 1) || '1')::varbit", "B'1'"],
    "varbit": ["repeat('1', $n)::varbit", "(repeat('0', $n / 2) || '1')::varbit"],
    "tsquery": [
        f"(select string_agg('{word}' || i, '{sign}')"
        " from generate_series(1, least($n / 16, 150)) i)::tsquery"
        for word, sign in (("a", "&"), ("b", "|"))
    ],
    "polygon": POLYGON,
    "path": [p.replace("polygon", "path") for p in POLYGON],
    "inet": ["'10.0.0.1'::inet"],
    "cidr": ["'10.0.0.0/8'::cidr"],
    **{f"_{kind}": _array(kind) for kind in ("text", "int4", "int8", "float8")},
    **{
        f"_{kind}range": _range_array(f"{kind}range")
        for kind in ("int4", "int8", "num", "date", "ts", "tstz")
    },
    "anyarray": _array("text"),
    "anycompatiblearray": _array("text"),
    **dict.fromkeys(("anyelement", "anycompatible", "anynonarray", "anycompatiblenonarray"), TEXT[:3]),
    **dict.fromkeys(("anymultirange", "int4multirange", "anycompatiblemultirange"), MULTIRANGE),
    **{kind: ["int4range(1, 100)"] for kind in ("anyrange", "int4range", "anycompatiblerange")},
    "int4": ["1", "$n / 2", "$n"],
    "int8": ["1", "$n / 2"],
    "int2": ["1::int2"],
    "bool": ["true"],
    "float8": ["1.5::float8"],
    "float4": ["1.5::float4"],
    "char": ["'a'::\"char\""],
    "name": ["'a'::name"],
    "point": ["point(1, 1)"],
    "box": ["box(point(0, 0), point(9, 9))"],
    "lseg": ["lseg(point(0, 0), point(9, 9))"],
    "line": ["line(point(0, 0), point(9, 9))"],
    "circle": ["circle(point(1, 1), 5)"],
    "date": ["date '2020-01-01'"],
    "time": ["time '10:00'"],
    "timetz": ["timetz '10:00'"],
    "timestamp": ["timestamp '2020-01-01'"],
    "timestamptz": ["timestamptz '2020-01-01'"],
    "interval": ["interval '1 day'"],
    "_interval": [
        "array[interval '1 day', interval '2 days']",
        "(select array_agg(interval '1 day') from generate_series(1, $n))",
    ],
    "uuid": ["'00000000-0000-0000-0000-000000000000'::uuid"],
    "int8range": ["int8range(1, 9)"],
    "numrange": ["numrange(1, 9)"],
    "daterange": ["daterange('2020-01-01', '2021-01-01')"],
    "tsrange": ["tsrange('2020-01-01', '2021-01-01')"],
    "tstzrange": ["tstzrange('2020-01-01', '2021-01-01')"],
}

# What a polymorphic argument, or one whose values need another type, is called here.
CONCRETE = {
    "anyarray": "text[]",
    "anycompatiblearray": "text[]",
    **dict.fromkeys(("anyelement", "anycompatible", "anynonarray", "anycompatiblenonarray"), "text"),
    **dict.fromkeys(("anymultirange", "anycompatiblemultirange"), "int4multirange"),
    **dict.fromkeys(("anyrange", "anycompatiblerange"), "int4range"),
    "char": '"char"',
    "bit": "varbit",
}
# Types of which no operand can be made: conditions have no values of them.
WITHOUT_VALUES = {"_cstring", "anyenum", "any"}
