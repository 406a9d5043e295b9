"""What expressions of FEEL are in the database, by the rules of FEEL and not by those of SQL."""

from __future__ import annotations

import pytest
from django.db import transaction

from flows import api
from flows.languages.bpmn.feel import NotSimple, to_sql

TYPES = {
    "m": "integer",
    "least": "integer",
    "path": "text",
    "level": "enum",
    "n": "numeric",
    "s": "text",
    "d": "date",
    "t": "timestamptz",
    "i": "interval",
}
STATE = {
    "m": 2147483647, "least": -2147483648, "path": r"C:\dir", "level": "gold",
    "n": 0.1, "s": "Köln", "d": "2026-03-01", "t": "2026-10-25T00:30:00Z", "i": "PT36H",
}  # fmt: skip
TRUE = [
    r's = "K\u00f6ln"', r's = "K\U0000f6ln"', r'"\ud83d\ude00" = "\U01F600"', r'"\"\\\n" != "n"',
    r'"a\'b" = "a' + "'" + 'b"', 's + "!" = "Köln!"',
    "m + 1 = 2147483648", "m * m = 4611686014132420609", "m - -1 = 2147483648", "-m - 2 = -2147483649",
    "2147483647 + 1 > m", "m * 2 / 2 = m", "m + m > 4000000000", "99999999999 > m", "m + n > 2147483647",
    "n + 0.2 = 0.3", "1 / 4 = 0.25", "m / 2 = 1073741823.5", "7 / 2 * 2 = 7",
    "m / 0 = null", "(m / (m - m)) = null", "not(m / 0 != null)", "1 / 0 = null", "n / 0.0 = null",
    'd = date("2026-03-01")', 'd - date("2026-02-01") = duration("P28D")',
    'd - date("2026-03-04") = duration("-P3D")', 'd - date("2026-02-01") > duration("PT671H")',
    'd + duration("P1M") = date("2026-04-01")', 'date("2026-01-31") + duration("P1M") = date("2026-02-28")',
    'duration("P1Y") = duration("P12M")', 'duration("P1D") = duration("PT24H")',
    'duration("P200D") < duration("P201D")', 'i = duration("P1DT12H")', 'i > duration("-PT1H")',
    'i * 2 = duration("P3D")', 'i / 2 = duration("PT18H")', 'i + duration("PT12H") = duration("P2D")',
    't = date and time("2026-10-25T02:30:00+02:00")',
    't < date and time("2026-10-25T12:00:00@Europe/Berlin")',
    'date and time("2026-06-01T14:00:00@Europe/Berlin") = date and time("2026-06-01T12:00Z")',
    "m instance of number", "s instance of string", "level instance of string", "not(n instance of string)",
    "d instance of date", "t instance of date and time", "not(null instance of number)",
    '[m] instance of list', "{a: 1} instance of context", "(m > 1) instance of boolean",
    'duration("P1D") instance of days and time duration', "not((1 / 0) instance of number)",
    'duration("P1M") instance of years and months duration',
    "exp(0) = 1", "log(1) = 0", "log(0) = null", "exp(n) > 1.1", 'get value({a: m}, "a") = m',
    'get value({a: 1}, "b") = null', "before(n, m)", "not(after(n, m))",
    'before(d, date("2026-03-02"))', "after(t, t) = false",
    't + duration("PT1H") = date and time("2026-10-25T01:30Z")',
    't - date and time("2026-10-24T00:30:00Z") = duration("PT24H")',
    'date and time("2026-10-25T02:30:00+02:00") < date and time("2026-10-25T02:30:00+01:00")',
    "m in [1..2147483647]", "n in ]0..1[", "not(n in [1..0])", "not(m in [2147483647..1])",
    "-least = 2147483648", "-least * -1 = least", "-(least) > m", r'path = "C:\dir"', r'path = "C:\\dir"',
    r'"\x41" != "A"', 'level + "!" = "gold!"', 'duration("P3M") / 2 = duration("P1M")',
    'duration("-P3M") / 2 = duration("-P1M")', 'duration("P5M") * 0.5 = duration("P2M")',
    'duration("P1M") + duration("P11M") = duration("P1Y")', '-duration("P1M") = duration("-P1M")',
    "[1, 2, m][3] / 2 = 1073741823.5", "[1, 2, 3][m - 2147483644] / 2 = 1.5", "max([3, 2]) / 2 = 1.5",
    "[1, 3, m][item > 1][1] / 2 = 1.5", "sort([3, m], function(x, y) x < y)[1] / 2 = 1.5",
    "[m, 1][item > 1][1] + m = 4294967294", "min(3, m) / 2 = 1.5", "max(m, 1) * m > m",
    "-1 instance of number", "true = m instance of number", "m instance of number = true",
    "i instance of date = false", "not(i instance of number)",
    "n between 0 and 1", 'd in [date("2026-01-01")..date("2026-12-31")]',
]  # fmt: skip
REFUSED = [
    ('d = date("Jan 5 2024")', "no date of FEEL"), ('d < date("today")', "no date of FEEL"),
    ('d < date("now")', "no date of FEEL"), ('d = date("2026-3-1")', "no date of FEEL"),
    ('d = date("2026-02-30")', "no date of FEEL"), ('d = date("epoch")', "no date of FEEL"),
    ('t > date and time("now")', "no date and time of FEEL"),
    ('t > date and time("tomorrow")', "no date and time of FEEL"),
    ('t > date and time("2026-03-01")', "no date and time of FEEL"),
    ('t > date and time("2026-03-01x10:00Z")', "no date and time of FEEL"),
    ('t > date and time("2026-10-25T02:30:00@Europe/Berlin")', "no date and time of FEEL"),
    ('t > date and time("2026-03-01T10:00:00@Europe/Nowhere")', "no date and time of FEEL"),
    ('i = duration("5")', "no duration of FEEL"), ('i = duration("1 hour")', "no duration of FEEL"),
    ('i = duration("P1M1D")', "no duration of FEEL"), ('i = duration("P")', "no duration of FEEL"),
    ('i = duration("P1W")', "no duration of FEEL"), ('i = duration("--PT1H")', "no duration of FEEL"),
    ('duration("P1M") = duration("P30D")', "not comparable"),
    ('duration("P1M") < duration("PT1H")', "not comparable"),
    ('duration("P30D") in (duration("P1M"))', "not comparable"),
    ('duration("P30D") in duration("P1M")', "not comparable"),
    ('duration("P30D") in [duration("P1M")..duration("P2M")]', "not comparable"),
    ('duration("P30D") between duration("P1M") and duration("P2M")', "not comparable"),
    ('i / duration("PT1H") > 1', "quotient by a duration"), ("i / (i / 2) > 1", "quotient by a duration"),
    ("i / (i * 2) > 1", "quotient by a duration"), ("i / (i + i) > 1", "quotient by a duration"),
    ("i / (t - t) > 1", "quotient by a duration"),
    ('d = date("20260301")', "no date of FEEL"), ('d = date("2026-W09-7")', "no date of FEEL"),
    ('duration("P1M") * 1 = duration("P30D")', "not comparable"),
    ('duration("P1M") / 2 < duration("P15D")', "not comparable"),
    ('-duration("P1M") < duration("PT1H")', "not comparable"),
    ('t - t = duration("P0M")', "not comparable"), ('d - d = duration("P0M")', "not comparable"),
    ('duration("P1M") + duration("P1D") = i', "no sum"), ("d + 1 > d", "no sum"), ("n + d > d", "no sum"),
    (r's = "\ud800"', "cannot be kept"), (r's = "a\u0000"', "cannot be kept"),
    (r's = "\U110000"', "cannot be kept"),
]  # fmt: skip
REFUSED += [
    ("m + 1 instance of number", "truth value"),
    ("i instance of years and months duration", "months or of days"),
    ("1 * (m > 1)", "truth value"), ("m instance of list<number>", "The type"),
    ("x instance of number", "type of the value"),
    ("i instance of days and time duration", "months or of days"), ("m instance number", "“of”"),
    ('before(d, "a")', "not comparable"), ("nth([1, 2])", "not in the subset"),
    ('median([1, "a"])', "several types|A number is expected"), ("get entries(x)", "written out"),
    ('stddev([d, d])', "A number is expected"), ('context put({a: 1}, s, 1).a', "written out"),
]  # fmt: skip
UNTEXTUAL = [name for name, type_ in TYPES.items() if type_ not in ("text", "enum")]
REFUSED += [
    (form.format(name), "not comparable with a value of type")
    for name in [*UNTEXTUAL, "(n + 1)", "-m", 'date("2026-03-01")', "i * 2"]
    for form in ('{} = "today"', '"1" != {}', '{} in ("now", "1")', '{} in ["a".."b"]', '{} in "5"',
                 '{} between "1" and "2"')
]  # fmt: skip


@pytest.mark.django_db
def test_an_expression_has_the_value_that_it_has_in_feel() -> None:
    texts = [to_sql(each, TYPES) for each in TRUE]
    definition = {
        "attributes": [{"name": name, "type": type_} for name, type_ in TYPES.items()],
        "triggers": [
            {"name": f"c{number}", "transition": f"tr_{number}", "predicate": text}
            for number, text in enumerate(texts)
        ],
    }
    with transaction.atomic():
        (found,) = api.conditions.evaluate(definition, [STATE])
    assert not found.errors, found.errors
    wrong = [(each, text) for each, text, held in zip(TRUE, texts, found.held, strict=True) if held != "t"]
    assert wrong == []


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_what_only_sql_would_read_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(NotSimple, match=said) as caught:
        to_sql(text, TYPES)
    assert 1 <= caught.value.position <= len(text) + 1
