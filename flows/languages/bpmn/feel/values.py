"""Values of FEEL as SQL: literals, and operations whose result differs between the two languages.

Numbers of FEEL are decimals without a largest whole number, a quotient by zero is null, and the difference
of two dates is a duration. Types are those of attributes; where one is unknown, the database checks the
operation.
"""

from __future__ import annotations

import re

from flows.languages.bpmn import iso

NUMBERS = frozenset({"integer", "numeric"})
# The types whose values FEEL does not write as a text; PostgreSQL would read one as such a value.
UNTEXTUAL = NUMBERS | {"boolean", "date", "time", "timestamptz", "interval"}
TEXTS = frozenset({"text", "enum"})
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{6})|(.))", re.DOTALL)
_LARGEST_EXPONENT = 20
_SHORT = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'", "\\": "\\"}
_WHOLE_DAYS = re.compile(r"interval 'P[^T]*'$")
_MONTHS = re.compile(r"P(?:\d+Y)?(?:\d+M)?")
WRITTEN = {
    "date": "2026-06-01",
    "time": "14:30:00",
    "date and time": "2026-06-01T12:00:00Z",
    "duration": "P1Y6M, P3DT4H or -PT1H",
}


class Part(str):
    """A part of an expression as SQL, with its type; empty where it is not known."""

    __slots__ = ("months", "type")
    type: str
    months: bool | None

    def __new__(cls, text: str, type_: str = "", months: bool | None = None) -> Part:
        """Return a part; `months` says of a duration that is written out whether it counts months."""
        found = super().__new__(cls, text)
        found.type, found.months = type_, months
        return found


def literal(kind: str, text: str) -> Part | None:
    """Return a date, a moment or a duration as the database reads it; None for another text."""
    if kind == "date":
        day = iso.day(text)
        return Part(f"date '{day}'", "date") if day else None
    if kind == "date and time":
        moment = iso.moment(text, local=True)
        return Part(f"timestamptz '{moment}'", "timestamptz") if moment else None
    if kind == "time":
        found = iso.time_of_day(text)
        return Part(f"time '{found}'", "time") if found else None
    plain = text.removeprefix("-")
    months = _MONTHS.fullmatch(plain) is not None
    days = re.match(r"P(?:\d+D)?(?:T.*)?$", plain) is not None
    if not iso.has_form_of_duration(plain) or not (months or days):
        return None
    signed = plain if plain == text else re.sub(r"(?<![\d.])(?=\d)", "-", plain)
    return Part(f"interval '{signed}'", "interval", months)


def text_of(quoted: str) -> str | None:
    """Return the content of a text in quotes, None if it has characters that the database cannot keep."""
    found = _ESCAPE.sub(_character, quoted[1:-1])
    try:
        found = found.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None
    return None if "\0" in found else found


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code is None:
        return _SHORT.get(found[3], found[0])  # a backslash before another character is one
    return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else "\0"


def added(left: Part, sign: str, right: Part) -> Part:
    """Return a sum or a difference."""
    types = {left.type, right.type}
    if types <= NUMBERS:
        return Part(f"{_exact(left)} {sign} {right}", "numeric")
    if types == {"date"} and sign == "-":
        return Part(f"(({left} - {right}) * interval '1 day')", "interval", False)
    if types <= TEXTS and sign == "+":
        return Part(f"({left} || {right})", "text")
    if types in ({"timestamptz"}, {"time"}) and sign == "-":
        return Part(f"{left} {sign} {right}", "interval", False)
    if types == {"date", "interval"} and _WHOLE_DAYS.match(right):
        return Part(f"({left} {sign} {right})::date", "date")
    months = left.months if left.months == right.months else None
    moments = types - {"interval"}
    type_ = next(iter(moments), "interval") if moments <= {"timestamptz"} or moments <= {"time"} else ""
    return Part(f"{left} {sign} {right}", type_, None if moments else months)


def multiplied(left: Part, right: Part) -> Part:
    """Return a product; of a duration of months, whole months."""
    if {left.type, right.type} <= NUMBERS:
        return Part(f"{_exact(left)} * {right}", "numeric")
    found = Part(f"{left} * {right}")
    for one, other in ((left, right), (right, left)):
        if one.type == "interval":
            return _of_months(found) if one.months and other.type != "integer" else _like(found, one)
    return found


def divided(left: Part, right: Part) -> Part | None:
    """Return a quotient with its decimals, null by zero; None for a quotient of durations."""
    if right.type == "interval":
        return None
    number = re.fullmatch(r"\d*\.?\d*", right) is not None
    divisor = str(right) if number and float(right) else f"nullif({right}, 0)"
    if left.type in NUMBERS:
        return Part(f"{_exact(left)} / {divisor}", "numeric")
    if left.type == "interval":
        found = Part(f"{left} / {divisor}")
        return _of_months(found) if left.months else _like(found, left)
    if number and right.isdecimal() and float(right):
        return Part(f"{left} / {divisor}.0")
    return Part(f"{left} * 1.0 / {divisor}")


def negative(part: Part) -> Part:
    """Return a number or duration with the other sign."""
    written = re.fullmatch(r"[-()\d]+", part) is not None
    sized = part if written else Part(_exact(part), part.type)
    text = f"({sized})" if sized.startswith("-") else sized  # two of them begin a comment in SQL
    return Part(f"-{text}", "numeric" if sized != part else part.type, part.months)


def _of_months(part: Part) -> Part:
    """Return a duration without the days that PostgreSQL makes of a part of a month."""
    number = f"(extract(year from {part}) * 12 + extract(month from {part}))"
    return Part(f"({number} * interval '1 month')", "interval", True)


def _like(part: Part, other: Part) -> Part:
    return Part(part, other.type, other.months)


def _exact(part: Part) -> str:
    """Return a number whose operations have no largest whole number."""
    return f"{part}::numeric" if part.type == "integer" else part


def power(left: Part, right: Part) -> Part | None:
    """Return a power whose exponent is written out; None for another one."""
    exponent = right.strip("()")
    if not re.fullmatch(r"\d{1,2}", exponent) or int(exponent) > _LARGEST_EXPONENT:
        return None
    return Part(f"power(({left})::numeric, {exponent})", "numeric")
