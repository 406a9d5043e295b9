"""The tree of an expression as SQL.

Operations whose values differ between the languages are in `values`, functions in `functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flows.languages.bpmn.feel import lists, tree
from flows.languages.bpmn.feel.comparisons import alike, compared
from flows.languages.bpmn.feel.functions import called
from flows.languages.bpmn.feel.lists import NULL, Closure, Context, Listed, NoValue, Ranged, Value, as_type
from flows.languages.bpmn.feel.path_tests import Tests
from flows.languages.bpmn.feel.paths import Documents
from flows.languages.bpmn.feel.range_texts import range_of
from flows.languages.bpmn.feel.repetitions import Names, repeated
from flows.languages.bpmn.feel.selections import filtered, part_of
from flows.languages.bpmn.feel.type_tests import is_of
from flows.languages.bpmn.feel.values import (
    NUMBERS,
    TEXTS,
    Part,
    added,
    divided,
    multiplied,
    negative,
    power,
    text_of,
)
from flows.languages.bpmn.feel.words import NotSimple
from flows.languages.bpmn.names import attribute_of

_LONGEST = 10_000
_NO_SUM = 'A date and a number have no sum; add a duration such as duration("P1D").'
_NO_RESULT = {
    "/": "A quotient by a duration is not in the subset.",
    "**": "The exponent is a whole number from 0 to 20 that is written out.",
}
_OF_TEXTS = frozenset({"date", "time", "date and time", "duration"})


def translated(node: tree.Node, types: Mapping[str, str]) -> Part:
    """Return an expression as SQL; `types` are those of attributes. Raises NotSimple."""
    found = _Translation(types).value(node, {})
    if isinstance(found, Part):
        return found
    try:
        return Part(lists.as_json(found), "jsonb")
    except NoValue as error:
        raise NotSimple(str(error), node.position) from error


class _Translation:
    def __init__(self, types: Mapping[str, str]) -> None:
        self.types = types

    def value(self, node: tree.Node, names: Names) -> Value:
        """Return the value of a node, where names have values."""
        form = _FORMS.get(type(node))
        if form is None:
            raise NotSimple("A test is no value; write it after “in”.", node.position)
        try:
            found = form(self, node, names)
        except NoValue as error:
            raise NotSimple(str(error), node.position) from error
        if isinstance(found, Part) and len(found) > _LONGEST:
            raise NotSimple(f"It becomes a condition of more than {_LONGEST} characters.", node.position)
        return found

    def part(self, node: tree.Node, names: Names) -> Part:
        """Return the value of a node that is neither a list nor a context."""
        try:
            return lists.one(self.value(node, names))
        except NoValue as error:
            raise NotSimple(str(error), node.position) from error

    def truth(self, node: tree.Node, names: Names) -> Part:
        """Return a truth value; PostgreSQL would take a text such as “on” for one."""
        if isinstance(node, tree.Text | tree.Number):
            raise NotSimple("A text or a number that is written out is no truth value.", node.position)
        return as_type(self.part(node, names), "boolean")

    def number(self, node: tree.Number, _names: Names) -> Part:
        return Part(node.text, "integer" if node.text.isdecimal() else "numeric")

    def constant(self, node: tree.Constant, _names: Names) -> Part:
        return NULL if node.text == "null" else Part(node.text, "boolean")

    def text(self, node: tree.Text, _names: Names) -> Part:
        found = text_of(node.text)
        if found is None:
            raise NoValue("The text has a character that cannot be kept.")
        return lists.text(found)

    def named(self, node: tree.Name, names: Names) -> Value:
        """Return a value that the expression has named, or an attribute."""
        if node.key in names:
            found = names[node.key]
            return lists.closed(found) if isinstance(found, Part) else found
        name = attribute_of(node.key)
        return Part(name, self.types.get(name, ""))

    def grouped(self, node: tree.Group, names: Names) -> Value:
        inner = self.value(node.part, names)
        if not isinstance(inner, Part) or inner == NULL:
            return inner
        return lists.like(f"({inner})", inner)

    def negative(self, node: tree.Negative, names: Names) -> Part:
        part = as_type(self.part(node.part, names), "numeric")
        return NULL if part == NULL else negative(part)

    def contrary(self, node: tree.Contrary, names: Names) -> Part:
        return Part(f"not ({self.truth(node.part, names)})", "boolean")

    def joined(self, node: tree.Joined, names: Names) -> Part:
        parts = [self.truth(each, names) for each in node.parts]
        return Part(f" {node.word} ".join(parts), "boolean")

    def chosen(self, node: tree.Choice, names: Names) -> Part:
        """Return one of two values."""
        condition = self.truth(node.condition, names)
        yes, no = self.part(node.yes, names), self.part(node.no, names)
        if "jsonb" in (yes.type, no.type) and yes.type != no.type:
            type_ = lists.common([yes, no])
            yes, no = as_type(yes, type_), as_type(no, type_)
        type_ = yes.type if yes.type == no.type else "numeric" if {yes.type, no.type} <= NUMBERS else ""
        type_ = type_ or (no.type if yes == NULL else yes.type if no == NULL else "")
        return Part(f"(case when coalesce(({condition}), false) then {yes} else {no} end)", type_)

    def calculated(self, node: tree.Calculation, names: Names) -> Part:
        """Return a sum, a product, a quotient or a power."""
        left, right = self.part(node.left, names), self.part(node.right, names)
        if NULL in (left, right):
            return NULL
        if "boolean" in (left.type, right.type):
            raise NoValue("A truth value has no sum, product or quotient.")
        if left.type == right.type == "jsonb" and node.sign == "+":
            raise NoValue("Two values of JSON are texts or numbers; add them where the type of one is known.")
        if "jsonb" in (left.type, right.type):
            type_ = "text" if TEXTS & {left.type, right.type} and node.sign == "+" else "numeric"
            left, right = as_type(left, type_), as_type(right, type_)
        if node.sign in ("+", "-"):
            _check_sum(left, right, node.position)
            return added(left, node.sign, right)
        found = {"*": multiplied, "/": divided, "**": power}[node.sign](left, right)
        if found is None:
            raise NoValue(_NO_RESULT[node.sign])
        return found

    def compared(self, node: tree.Comparison, names: Names) -> Part:
        left, right = self.value(node.left, names), self.value(node.right, names)
        return compared(left, node.sign, right, node.place)

    def between(self, node: tree.Between, names: Names) -> Part:
        parts = [self.part(each, names) for each in (node.value, node.low, node.high)]
        left, low, high = alike(parts, node.position)
        return Part(f"{left} between {low} and {high}", "boolean")

    def is_of(self, node: tree.InstanceOf, names: Names) -> Part:
        return is_of(self.value(node.value, names), node.type)

    def within(self, node: tree.Within, names: Names) -> Part:
        """Return the tests of `in`: those of a list of values at once."""
        left = self.part(node.value, names)
        if not any(isinstance(each, tree.Range | tree.Test) for each in node.parts):
            values = [self.value(each, names) for each in node.parts]
            parts = [each for each in values if isinstance(each, Part) and each.type != "jsonb"]
            if len(parts) == len(values) > 0 and not node.only:
                left, *parts = alike([left, *parts], node.end)
                return Part(f"{left} in ({', '.join(parts)})", "boolean")
        found = [self.test(left, each, node, names) for each in node.parts]
        return Part(found[0] if len(found) == 1 else f"({' or '.join(found) or 'false'})", "boolean")

    def test(self, left: Part, part: tree.Node, node: tree.Within, names: Names) -> str:
        """Return one of the tests of `in`."""
        if isinstance(part, tree.Range):
            return self.in_range(left, self.ranged(part, names), node)
        if isinstance(part, tree.Test):
            return f"({compared(left, part.sign, self.part(part.part, names), node.position)})"
        value = self.value(part, names)
        if isinstance(value, Documents) or (isinstance(value, Part) and value.type == "jsonb"):
            return str(called("list contains", [value, left]))
        if isinstance(value, Ranged):
            return self.in_range(left, value, node)
        if isinstance(value, Listed):
            pairs = [(item.kept, compared(left, "=", item.value, node.position)) for item in value.items]
            texts = [f"({kept} and {test})" if kept else str(test) for kept, test in pairs]
            return f"({' or '.join(texts) or 'false'})"
        left, only = alike([left, lists.one(value)], node.end)
        return f"{left} = {only}"

    def in_range(self, left: Part, of: Ranged, node: tree.Within) -> str:
        """Return the test whether a value is in a range."""
        left, low, high = alike([left, of.low, of.high], node.end)
        first, last = ">=" if of.with_low else ">", "<=" if of.with_high else "<"
        return f"({left} {first} {low} and {left} {last} {high})"

    def ranged(self, node: tree.Range, names: Names) -> Ranged:
        low, high = self.part(node.low, names), self.part(node.high, names)
        return Ranged(low, high, node.with_low, node.with_high)

    def function(self, node: tree.Function, names: Names) -> Closure:
        """Return a function, whose result is made where it is called."""

        def result(arguments: Sequence[Value]) -> Value:
            return self.value(node.part, {**names, **dict(zip(node.arguments, arguments, strict=True))})

        return Closure(node.arguments, result)

    def listed(self, node: tree.Items, names: Names) -> Listed:
        return lists.listed(lists.item(self.value(each, names)) for each in node.parts)

    def context(self, node: tree.Entries, names: Names) -> Context:
        """Return a context; an entry may use those before it."""
        entries: dict[str, Value] = {}
        for key, part in node.parts:
            if tree.key_of(key) in map(tree.key_of, entries):
                raise NotSimple(f"The entry “{key[:40]}” is there twice.", part.position)
            known = {tree.key_of(name): value for name, value in entries.items()}
            entries[key] = lists.item(self.value(part, {**names, **known}))
        return Context(entries)

    def filtered(self, node: tree.Filter, names: Names) -> Value:
        def part(of_item: Names) -> Part:
            return self.part(node.part, {**names, **of_item})

        return filtered(self.value(node.of, names), node, part, Tests(self.types, names))

    def part_of(self, node: tree.Path, names: Names) -> Value:
        return part_of(self.value(node.of, names), node.key)

    def repeated(self, node: tree.Repetition, names: Names) -> Value:
        return repeated(node, names, self)

    def call(self, node: tree.Call, names: Names) -> Value:
        """Return the value of a function."""
        only = node.parts[0] if len(node.parts) == 1 else None
        if node.function in _OF_TEXTS and (not node.parts or isinstance(only, tree.Number | tree.Constant)):
            place = only.position if only is not None else node.position + len(node.function) + 1
            raise NotSimple(f"A text in quotes is expected after “{node.function}(”.", place)
        if node.function == "range" and isinstance(only, tree.Text):
            return self.value(range_of(only), names)
        values = [lists.item(self.value(each, names)) for each in node.parts]
        try:
            return called(node.function, values, node.names)
        except NoValue as error:
            place = only.position if isinstance(only, tree.Text) else node.position
            said = str(error)
            said = said if f"“{node.function}" in said else f"In “{node.function[:40]}”: {said}"
            raise NotSimple(said, place) from error


_FORMS: dict[type[tree.Node], Callable[[_Translation, Any, Names], Value]] = {
    tree.Number: _Translation.number,
    tree.Constant: _Translation.constant,
    tree.Text: _Translation.text,
    tree.Name: _Translation.named,
    tree.Group: _Translation.grouped,
    tree.Negative: _Translation.negative,
    tree.Contrary: _Translation.contrary,
    tree.Joined: _Translation.joined,
    tree.Choice: _Translation.chosen,
    tree.Calculation: _Translation.calculated,
    tree.Comparison: _Translation.compared,
    tree.Between: _Translation.between,
    tree.Within: _Translation.within,
    tree.InstanceOf: _Translation.is_of,
    tree.Items: _Translation.listed,
    tree.Entries: _Translation.context,
    tree.Filter: _Translation.filtered,
    tree.Path: _Translation.part_of,
    tree.Repetition: _Translation.repeated,
    tree.Range: _Translation.ranged,
    tree.Function: _Translation.function,
    tree.Call: _Translation.call,
}


def _check_sum(left: Part, right: Part, place: int) -> None:
    """Reject a sum that has no value in FEEL, and has one in SQL."""
    if {True, False} <= {left.months, right.months}:
        raise NotSimple("A duration of months and one of days have no sum.", place)
    if "time" in (left.type, right.type) and True in (left.months, right.months):
        raise NotSimple("A time and a duration of months have no sum.", place)
    if {"date", "time"} & {left.type, right.type} and NUMBERS & {left.type, right.type}:
        raise NotSimple(_NO_SUM, place)
