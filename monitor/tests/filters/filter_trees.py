"""Random filters with their meaning: each is a tree and what it means of a row, in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from flows.filters import And, Condition, Node, Not, Or

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
TEXTS = (
    "Ana 100%", "Bia_O'Hara", 'say "or"', "São Paulo", "日本 🚚", "a\\b", "..", "-x", "or", "city:Rio",
    "(x)", "é", "x,y", "100", "*", "line\nbreak",
)  # fmt: skip
MOMENTS = [datetime(2026, 1, day, hour, 30, tzinfo=UTC) for day in (1, 2, 31) for hour in (0, 2, 3, 23)]
DAYS = [date(2026, 1, 1), date(2026, 2, 28), date(2026, 12, 31)]

Row = dict[str, Any]
Test = Callable[[Row], bool]


@dataclass(frozen=True)
class Leaf:
    """A condition, and what it means."""

    condition: Condition
    holds: Test


@dataclass
class Grower:
    """Makes random trees with their meaning."""

    random: random.Random

    def tree(self, depth: int = 0) -> tuple[Node, Test]:
        kind = self.random.choice(["leaf", "leaf", "not", "and", "or"]) if depth < 4 else "leaf"
        if kind == "leaf":
            leaf = self.leaf()
            return leaf.condition, leaf.holds
        if kind == "not":
            node, holds = self.tree(depth + 1)
            return Not(node), lambda row: not holds(row)
        parts = [self.tree(depth + 1) for _ in range(self.random.randint(2, 3))]
        tests = [test for _node, test in parts]
        nodes = tuple(node for node, _test in parts)
        if kind == "and":
            return And(nodes), lambda row: all(test(row) for test in tests)
        return Or(nodes), lambda row: any(test(row) for test in tests)

    def leaf(self) -> Leaf:
        return self.random.choice(
            [self.text, self.number, self.whole, self.flag, self.day, self.moment, self.empty, self.option,
             self.part, self.document, self.length, self.sql, self.happened, self.took]
        )()  # fmt: skip

    def text(self) -> Leaf:
        value = self.random.choice(TEXTS)
        operator = self.random.choice(["=", "!=", "~", "^", "list"])
        if operator == "list":
            some = tuple(self.random.sample(TEXTS, 3))
            return Leaf(Condition("customer", "=", some), lambda row: row["customer"] in some)
        if operator == "=":
            return Leaf(Condition("customer", "=", (value,)), lambda row: row["customer"] == value)
        if operator == "!=":
            return Leaf(Condition("customer", "!=", (value,)), lambda row: row["customer"] != value)
        part = value[: self.random.randint(1, len(value))].upper()

        def meets(row: Row) -> bool:
            found = (row["customer"] or "").lower()
            return part.lower() in found if operator == "~" else found.startswith(part.lower())

        return Leaf(
            Condition("customer", operator, (part,)), lambda row: bool(row["customer"]) and meets(row)
        )

    def ordered(self, name: str, shown: str, value: Any) -> Leaf:
        operator = self.random.choice(["=", "!=", "<", "<=", ">", ">=", "low", "high"])
        if operator in ("low", "high"):
            values = (shown, None) if operator == "low" else (None, shown)
            sign = ">=" if operator == "low" else "<="
            return Leaf(Condition(name, "range", values), lambda row: _compare(row[name], sign, value))
        return Leaf(Condition(name, operator, (shown,)), lambda row: _compare(row[name], operator, value))

    def number(self) -> Leaf:
        value = Decimal(self.random.choice(["0", "-2.50", "1e2", "0.1", "99999999999999999999.5"]))
        return self.ordered("weight", str(value), value)

    def whole(self) -> Leaf:
        value = self.random.choice([0, -3, 7, 2**31, 10**25])
        return self.ordered("pieces", str(value), value)

    def length(self) -> Leaf:
        text, value = self.random.choice([("90m", 90), ("2h", 120), ("1d12h", 36 * 60), ("0s", 0)])
        return self.ordered("wait", text, timedelta(minutes=value))

    def flag(self) -> Leaf:
        value = self.random.choice([True, False])
        return Leaf(Condition("fragile", "=", (str(value).lower(),)), lambda row: row["fragile"] is value)

    def day(self) -> Leaf:
        value = self.random.choice(DAYS)
        return self.ordered("due", value.isoformat(), value)

    def moment(self) -> Leaf:
        """Compare with a day or a minute in the zone of São Paulo."""
        local = self.random.choice(MOMENTS).astimezone(SAO_PAULO)
        whole_day = self.random.choice([True, False])
        shown = local.date().isoformat() if whole_day else local.strftime("%Y-%m-%dT%H:%M")
        low = local.replace(hour=0, minute=0) if whole_day else local
        high = low + (timedelta(days=1) if whole_day else timedelta(minutes=1))
        operator = self.random.choice(["=", "!=", "<", "<=", ">", ">="])
        tests: dict[str, Callable[[datetime], bool]] = {
            "=": lambda at: low <= at < high,
            "<": lambda at: at < low,
            "<=": lambda at: at < high,
            ">": lambda at: at >= high,
            ">=": lambda at: at >= low,
        }
        if operator == "!=":
            return Leaf(
                Condition("seen", "!=", (shown,)),
                lambda row: not (row["seen"] and tests["="](row["seen"])),
            )
        return Leaf(
            Condition("seen", operator, (shown,)),
            lambda row: bool(row["seen"]) and tests[operator](row["seen"]),
        )

    def empty(self) -> Leaf:
        name = self.random.choice(["customer", "weight", "due", "seen", "extra", "wait", "fragile"])
        wanted = self.random.choice(["has", "no"])
        return Leaf(Condition(name, wanted), lambda row: (row[name] in (None, "")) == (wanted == "no"))

    def option(self) -> Leaf:
        some = tuple(self.random.sample(["new", "packed", "sent", "lost"], self.random.randint(1, 3)))
        return Leaf(Condition("stage", "!=", some), lambda row: row["stage"] not in some)

    def part(self) -> Leaf:
        some = tuple(self.random.sample(["running", "final", "exception", "cancelled"], 2))
        which = self.random.choice(["status", "id", "pending", "key"])
        if which == "status":
            return Leaf(Condition("status", "=", some), lambda row: row["status"] in some)
        if which == "pending":
            return Leaf(Condition("pending", "=", ("tr_pack",)), lambda row: "tr_pack" in row["pending"])
        if which == "key":
            return Leaf(Condition("key", "=", ("key 3",)), lambda row: row["key"] == "key 3")
        return self.ordered("id", "40", 40)

    def document(self) -> Leaf:
        text, part = self.random.choice([('{"gift": true}', {"gift": True}), ("{}", {})])
        return Leaf(
            Condition("extra", "~", (text,)),
            lambda row: row["extra"] is not None and part.items() <= row["extra"].items(),
        )

    def happened(self) -> Leaf:
        """Compare with the steps of the history, which `stored` reads one by one."""
        names = ("tr_label", "tr_pack", "tr_send")
        one, some = self.random.choice(names), tuple(self.random.sample(names, 2))
        source = self.random.choice(["start", *names])
        path = self.random.choice(["tr_label > tr_pack > tr_send", "tr_label>tr_pack", "tr_label"])
        spaced = " > ".join(path.replace(" ", "").split(">"))
        return self.random.choice(
            [
                Leaf(Condition("did", "=", some), lambda row: not {*some}.isdisjoint(row["steps"])),
                Leaf(Condition("excepted", "has"), lambda row: row["excepted"]),
                Leaf(Condition("excepted", ">=", ("-1h",)), lambda row: row["excepted"]),
                Leaf(Condition("excepted", "<", ("2020-01-01",)), lambda row: False),
                Leaf(Condition("did", "no"), lambda row: not row["steps"]),
                Leaf(Condition("redid", "=", (one,)), lambda row: row["steps"].count(one) > 1),
                Leaf(Condition("redid", "has"), lambda row: len({*row["steps"]}) < len(row["steps"])),
                Leaf(Condition("failed", "=", (one,)), lambda row: one in row["failed"]),
                Leaf(Condition("failed", "has"), lambda row: bool(row["failed"])),
                Leaf(Condition("path", "=", (path,)), lambda row: row["path"] == spaced),
                Leaf(Condition("path", "!=", (path,)), lambda row: row["path"] != spaced),
                Leaf(Condition("path", "no"), lambda row: row["path"] == ""),
                Leaf(
                    Condition("followed", "=", (f"{source} > {one}",)),
                    lambda row: (source, one) in row["followed"],
                ),
            ]
        )

    def took(self) -> Leaf:
        text, value = self.random.choice([("2h", 120), ("1d", 1440), ("30m", 30)])
        operator = self.random.choice(["<", "<=", ">", ">="])
        return Leaf(
            Condition("took", operator, (text,)),
            lambda row: _compare(row["took"], operator, timedelta(minutes=value)),
        )

    def sql(self) -> Leaf:
        return Leaf(
            Condition("where", "=", ("pieces > 3 and customer <> 'é'",)),
            lambda row: (row["pieces"] or 0) > 3 and row["customer"] not in (None, "é"),
        )


def _compare(found: Any, operator: str, value: Any) -> bool:
    if operator == "!=":
        return found != value
    if found is None:
        return False
    return {
        "=": found == value, "<": found < value, "<=": found <= value, ">": found > value,
        ">=": found >= value,
    }[operator]  # fmt: skip
