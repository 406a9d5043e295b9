"""What is said of an item of JSON, as a path of the SQL/JSON standard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from flows.languages.bpmn.feel import tree
from flows.languages.bpmn.feel.library.text_functions import checked_pattern
from flows.languages.bpmn.feel.lists import NULL, Context, Value, is_written
from flows.languages.bpmn.feel.values import NUMBERS, TEXTS, Part, text_of
from flows.languages.bpmn.names import attribute_of

_COMPARED = {"=": "==", "<>": "!="}
_PASSED = NUMBERS | TEXTS | {"boolean"}
_CALCULATED = ("+", "-", "*")
_ARGUMENTS = 2
_MATCHES: dict[str, Callable[[str], str]] = {
    "starts with": lambda text: f"starts with {_quoted(text)}",
    "contains": lambda text: f'like_regex {_quoted(text)} flag "q"',
    "ends with": lambda text: f"like_regex {_quoted(re.escape(text) + '$')}",
    "matches": lambda text: f"like_regex {_quoted(checked_pattern(text))}",
}


class NoPath(ValueError):
    """What is said of the items is not comparable by a path; `position` is where."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Tests:
    """Writes what is said of an item as a path; `types` are those of attributes that it may name.

    `names` have the values that the expression has named, which come before attributes. `item` is the name of
    the item; in a filter it is empty: there any other name is that of a part of the item. `passed` has the
    values of attributes that the paths name.
    """

    def __init__(self, types: Mapping[str, str], names: Mapping[str, Value], item: str = "") -> None:
        self.types, self.names, self.item = types, names, item
        self.passed: dict[str, str] = {}

    def test(self, node: tree.Node) -> str:
        """Return a test as a path. Raises NoPath."""
        form = _TESTS.get(type(node))
        if form is not None:
            return form(self, node)
        found = self.operand(node)
        if found in ("true", "false"):
            return f"1 == {int(found == 'true')}"
        if not found.startswith("@"):
            raise NoPath(node.position)
        return f"{found} == true"

    def operand(self, node: tree.Node) -> str:
        """Return the item, one of its parts, an attribute, or a value that is written out. Raises NoPath."""
        form = _OPERANDS.get(type(node))
        if form is None:
            raise NoPath(node.position)
        return form(self, node)

    def joined(self, node: tree.Joined) -> str:
        sign = "||" if node.word == "or" else "&&"
        return f" {sign} ".join(self._joined_part(node, each) for each in node.parts)

    def _joined_part(self, node: tree.Joined, part: tree.Node) -> str:
        found = self.test(part)
        return f"({found})" if isinstance(part, tree.Joined) and node.word == "and" else found

    def contrary(self, node: tree.Contrary) -> str:
        return f"!({self.test(node.part)})"

    def group(self, node: tree.Group) -> str:
        return f"({self.test(node.part)})"

    def comparison(self, node: tree.Comparison) -> str:
        return _compared(self.operand(node.left), node.sign, self.operand(node.right))

    def between(self, node: tree.Between) -> str:
        value = self.operand(node.value)
        return f"({value} >= {self.operand(node.low)} && {value} <= {self.operand(node.high)})"

    def within(self, node: tree.Within) -> str:
        return f"({' || '.join(self._one_of(node.value, each) for each in node.parts) or '1 == 0'})"

    def _one_of(self, value: tree.Node, part: tree.Node) -> str:
        left = self.operand(value)
        match part:
            case tree.Range():
                low, high = ">=" if part.with_low else ">", "<=" if part.with_high else "<"
                return f"({left} {low} {self.operand(part.low)} && {left} {high} {self.operand(part.high)})"
            case tree.Test():
                return _compared(left, part.sign, self.operand(part.part))
        return _compared(left, "=", self.operand(part))

    def call(self, node: tree.Call) -> str:
        """Return the test of a text or a list: what it begins with, contains or matches."""
        if len(node.parts) != _ARGUMENTS or node.names:
            raise NoPath(node.position)
        value = self.operand(node.parts[0])
        if not value.startswith("@"):
            raise NoPath(node.position)
        if node.function == "list contains":
            return f"exists({value}[*] ? (@ == {self.operand(node.parts[1])}))"
        sought = text_of(node.parts[1].text) if isinstance(node.parts[1], tree.Text) else None
        if node.function not in _MATCHES or sought is None:
            raise NoPath(node.position)
        return f"{value} {_MATCHES[node.function](sought)}"

    def repeated(self, node: tree.Repetition) -> str:
        """Return the test of some or all items of a list within the item."""
        if node.word == "for" or len(node.lists) != 1:
            raise NoPath(node.position)
        (name, of), outer = node.lists[0], {self.item or "item": Context({})}
        inner = Tests(self.types, {**self.names, **outer}, name)
        items, test = self.operand(of), inner.test(node.part)
        if not items.startswith("@") or not self.item:
            raise NoPath(node.position)
        self.passed |= inner.passed
        return (
            f"exists({items}[*] ? ({test}))" if node.word == "some" else f"!exists({items}[*] ? (!({test})))"
        )

    def size(self, node: tree.Call) -> str:
        """Return the number of items of a list within the item."""
        found = self.operand(node.parts[0]) if len(node.parts) == 1 and not node.names else ""
        if node.function != "count" or not found.startswith("@."):
            raise NoPath(node.position)
        return f"{found}.size()"

    def number(self, node: tree.Number) -> str:
        return node.text if node.text[0] != "." else f"0{node.text}"

    def constant(self, node: tree.Constant) -> str:
        return node.text

    def text(self, node: tree.Text) -> str:
        found = text_of(node.text)
        if found is None:
            raise NoPath(node.position)
        return _quoted(found)

    def negative(self, node: tree.Negative) -> str:
        return f"-{self.operand(node.part)}"

    def inner(self, node: tree.Group) -> str:
        return f"({self.operand(node.part)})"

    def calculation(self, node: tree.Calculation) -> str:
        if node.sign not in _CALCULATED:
            raise NoPath(node.position)
        return f"{self.operand(node.left)} {node.sign} {self.operand(node.right)}"

    def part(self, node: tree.Path) -> str:
        found = self.operand(node.of)
        if not found.startswith("@"):
            raise NoPath(node.position)
        return f"{found}.{json.dumps(node.key)}"

    def named(self, node: tree.Name) -> str:
        """Return the item, a part of it, or a value that has a name."""
        name = attribute_of(node.key)
        if node.key == (self.item or "item"):
            return "@"
        if node.key in self.names:
            return self.value(self.names[node.key], node.position)
        if name not in self.types and not self.item:
            return f"@.{json.dumps(node.text)}"
        return self.value(Part(name, self.types.get(name, "")), node.position)

    def value(self, of: Value, place: int) -> str:
        """Return a value that is written out, or the variable of an attribute. Raises NoPath."""
        if not isinstance(of, Part):
            raise NoPath(place)
        if of == NULL or is_written(of) or of in ("true", "false"):
            return json.dumps(of[1:-1].replace("''", "'")) if of.startswith("'") else str(of)
        if of.type not in _PASSED or not of.isidentifier():
            raise NoPath(place)
        self.passed[of] = variable(of, of, of.type in TEXTS)
        return f"${of}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _compared(left: str, sign: str, right: str) -> str:
    """Return a comparison; a part that an item does not have is null."""
    plain = f"{left} {_COMPARED.get(sign, sign)} {right}"
    part = right if left == "null" else left
    if sign != "=" or "null" not in (left, right) or not part.startswith("@."):
        return plain
    return f"(!exists({part}) || {plain})"


def variable(name: str, value: str, is_text: bool) -> str:
    """Return a document with a value under a name, as the variables of a path."""
    if is_text:
        return f"jsonb_object(array['{name}', ({value})::text])"
    return f"""('{{"{name}": ' || coalesce(({value})::text, 'null') || '}}')::jsonb"""


_Forms = dict[type[tree.Node], Callable[[Tests, Any], str]]
_TESTS: _Forms = {
    tree.Joined: Tests.joined,
    tree.Contrary: Tests.contrary,
    tree.Group: Tests.group,
    tree.Comparison: Tests.comparison,
    tree.Between: Tests.between,
    tree.Within: Tests.within,
    tree.Call: Tests.call,
    tree.Repetition: Tests.repeated,
}
_OPERANDS: _Forms = {
    tree.Number: Tests.number,
    tree.Constant: Tests.constant,
    tree.Text: Tests.text,
    tree.Negative: Tests.negative,
    tree.Group: Tests.inner,
    tree.Calculation: Tests.calculation,
    tree.Path: Tests.part,
    tree.Name: Tests.named,
    tree.Call: Tests.size,
}
