"""What the languages have for tests of values, and what FEEL has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

from flows.languages.bpmn.dialects.grammar import (
    Call,
    Chain,
    Choice,
    Foreign,
    Group,
    Index,
    Member,
    Node,
    Plain,
    Unary,
)
from flows.languages.bpmn.dialects.languages import Different, Language
from flows.languages.bpmn.names import attribute_of

_SCOPES = (
    ("this", "environment", "variables"), ("environment", "variables"), ("this", "variables"),
    ("execution", "variables"), ("variables",), ("this",),
)  # fmt: skip
"""What stands before a variable in JavaScript and Groovy."""
_CONSTANTS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_SIGNS = {"is": "=", "is not": "!=", "div": "/"}
_FUNCTIONS: Mapping[str, str] = {
    "len": "count({0})",
    "starts_with": "starts with({0}, {1})",
    "ends_with": "ends with({0}, {1})",
    "string_length": "string length({0})",
    "execution.hasVariable": "({0} != null)",
    "KieFunctions.isNull": "({0} = null)",
    "KieFunctions.isEmpty": "is empty({0})",
    "KieFunctions.isTrue": "({0} = true)",
    "KieFunctions.isFalse": "({0} = false)",
    "KieFunctions.equalsTo": "({0} = {1})",
    "KieFunctions.contains": "contains({0}, {1})",
    "KieFunctions.startsWith": "starts with({0}, {1})",
    "KieFunctions.endsWith": "ends with({0}, {1})",
    "KieFunctions.greaterThan": "({0} > {1})",
    "KieFunctions.greaterOrEqualThan": "({0} >= {1})",
    "KieFunctions.lessThan": "({0} < {1})",
    "KieFunctions.lessOrEqualThan": "({0} <= {1})",
    "KieFunctions.between": "({0} >= {1} and {0} <= {2})",
}
_OF_VARIABLES: Mapping[str, str] = {
    "get": "{0}",
    "getOrDefault": "get or else({0}, {1})",
    "exists": "({0} != null)",
    "empty isEmpty": "is empty({0})",
    "notEmpty isNotEmpty": "not(is empty({0}))",
    "eq equals": "({0} = {1})",
    "ne notEquals": "({0} != {1})",
    "lt lessThan lowerThan": "({0} < {1})",
    "lte lessThanOrEquals lowerThanOrEquals": "({0} <= {1})",
    "gt greaterThan": "({0} > {1})",
    "gte greaterThanOrEquals": "({0} >= {1})",
}
"""Flowable's functions of variables, of which each has a long and some short names."""
_PREFIXED = {
    f"{prefix}:{name}": form
    for prefix in ("var", "vars", "variables")
    for names, form in _OF_VARIABLES.items()
    for name in names.split()
}
_CALLS = {**_FUNCTIONS, **_PREFIXED}
_BY_NAME = frozenset({"execution.hasVariable", *_PREFIXED})
"""Functions whose first argument is the name of a variable, which may be in quotes."""
_METHODS: Mapping[str, str] = {
    "equals": "({self} = {0})",
    "equalsIgnoreCase": "(lower case({self}) = lower case({0}))",
    "size": "count({self})",
    "length": "string length({self})",
    "isEmpty": "is empty({self})",
    "startsWith": "starts with({self}, {0})",
    "endsWith": "ends with({self}, {0})",
    "toLowerCase": "lower case({self})",
    "toUpperCase": "upper case({self})",
    **dict.fromkeys(
        ("toString", "booleanValue", "intValue", "longValue", "doubleValue"), "{self}"
    ),
}  # fmt: skip
_VARIABLE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_COMPARING = frozenset({"==", "!=", "===", "!==", "=", "<>", "eq", "ne", "<", "<=", ">", ">=",
                        "lt", "le", "gt", "ge"})  # fmt: skip
_WRITTEN = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?")
_CONVERTED = {
    "boolean": re.compile("true|false", re.IGNORECASE),
    **dict.fromkeys(("integer", "bigint", "numeric", "double precision"), _WRITTEN),
}
"""Types whose values Java compares with texts, and the texts that are such values."""
_SINGLE = frozenset({*_CONVERTED, "text", "date", "timestamptz", "interval"})
"""Types whose values have no items."""
_NUMBER = re.compile(r"""(["'])(-?\d+(?:\.\d+)?)\1""")


class Writer:
    """Writes a tree as FEEL; `changed` says whether anything is written otherwise than it was."""

    def __init__(self, types: Mapping[str, str], language: Language) -> None:
        self.types = types
        self.language = language
        self.changed = False

    def feel(self, node: Node) -> str:
        """Return an expression as FEEL."""
        return _FORMS[type(node)](self, node)

    def group(self, node: Group) -> str:
        inner = ", ".join(self.feel(each) for each in node.parts)
        return f"({inner})" if node.opened == "(" else f"[{inner}]"

    def choice(self, node: Choice) -> str:
        condition, yes, no = (self.feel(each) for each in (node.condition, node.yes, node.no))
        return self._change(f"(if {condition} then {yes} else {no})")

    def index(self, node: Index) -> str:
        value, part = self.feel(node.value), node.part
        if isinstance(part, Plain) and part.kind == "text" and _VARIABLE.fullmatch(part.text[1:-1]):
            return self._change(f"{value}.{part.text[1:-1]}")
        if self.language.from_zero:
            return self._change(f"{value}[{self._place(node)}]")
        return f"{value}[{self.feel(part)}]"

    def _place(self, node: Index) -> str:
        """Return the place of an item that is counted from 0. Raises Different for what is no list."""
        part, type_ = node.part, self._type(node.value)
        if type_ in _SINGLE:
            raise Different
        if isinstance(part, Plain) and part.kind == "number" and part.text.isdecimal():
            return str(int(part.text) + 1)
        if isinstance(part, Unary) and part.sign == "-" and self.language.name in ("python", "groovy"):
            return self.feel(part)
        if self.language.is_program or not (isinstance(part, Chain) and _COMPARING.issuperset(part.signs)):
            raise Different
        return self.feel(part)

    def _type(self, node: Node) -> str:
        """Return the type of a value; empty where it is not known."""
        if isinstance(node, Group) and node.opened == "(":
            return self._type(node.parts[0])
        if isinstance(node, Plain) and node.kind == "text":
            return "text"
        return self.types.get(attribute_of(node.text.lower()), "") if _is_name(node) else ""

    def _change(self, text: str) -> str:
        self.changed = True
        return text

    def plain(self, node: Plain) -> str:
        if node.kind == "text":
            self.language.check_text(node.text)
        elif node.kind == "number":
            self.language.check_number(node.text)
        if node.kind == "number" and node.text[-1].isalpha():
            return self._change(node.text[:-1])
        if node.kind == "name" and node.text in _CONSTANTS:
            return self._change(_CONSTANTS[node.text])
        return node.text

    def chain(self, node: Chain) -> str:
        self.language.check_signs(
            node.signs, [isinstance(each, Group) and each.opened == "[" for each in node.parts]
        )
        if "+" in node.signs:
            texts = [each.text for each in node.parts if isinstance(each, Plain) and each.kind == "text"]
            self.language.check_sum(texts, [self._type(each) for each in node.parts])
        parts = [self._like(part, node) for part in node.parts]
        found = self.feel(parts[0])
        for number, sign in enumerate(node.signs):
            found = self._joined(found, sign, parts[: number + 2])
        return found

    def _joined(self, found: str, sign: str, parts: Sequence[Node]) -> str:
        """Return the FEEL of a sign, of the text before it and of the last of the parts."""
        part = self.feel(parts[-1])
        if sign in ("%", "mod"):
            return self._change(self.language.remainder(found, part))
        if sign == "in" and self.language.is_program:
            return self._within(found, part, parts[-1])
        if sign == "/" and self.language.name == "java" and not any(map(self._is_decimal, parts)):
            raise Different
        self.changed |= sign in _SIGNS
        return f"{found} {_SIGNS.get(sign, sign)} {part}"

    def _within(self, found: str, part: str, node: Node) -> str:
        """Return the test that `in` of a program is: that of Python looks for a part in a text."""
        type_ = self._type(node)
        if self.language.name == "python" and type_ == "text":
            return self._change(f"contains({part}, {found})")
        listed = isinstance(node, Group) and "jsonb" not in map(self._type, node.parts)
        known = listed or (type_ == "jsonb" and not isinstance(node, Group))
        equal = self.language.name == "groovy" and type_ != "jsonb" and not isinstance(node, Group)
        if self.language.name not in ("python", "groovy") or not (known or equal):
            raise Different
        return f"{found} in {part}"

    def _is_decimal(self, node: Node) -> bool:
        """Return whether Java does not divide this as a whole number."""
        if isinstance(node, Plain) and node.kind == "number":
            return "." in node.text or node.text[-1] in "fFdD"
        return self._type(node) in ("numeric", "double precision")

    def _containing(self, method: Member) -> str | None:
        """Return the function that says whether a list, or a text, contains a value."""
        if method.name not in ("contains", "includes") or not _is_name(method.value):
            return None
        type_ = self.types.get(attribute_of(method.value.text.lower()), "")
        return {"text": "contains({self}, {0})", "jsonb": "list contains({self}, {0})"}.get(type_)

    def _like(self, part: Node, node: Chain) -> Node:
        """Return a text that is compared with a number or a truth value as one, which Java converts."""
        if not (isinstance(part, Plain) and part.kind == "text" and _COMPARING.issuperset(node.signs)):
            return part
        types = {self.types.get(attribute_of(each.text.lower()), "") for each in node.parts if _is_name(each)}
        known = (each for each in types if each in _CONVERTED and self.language.converts(node.signs, each))
        pattern = next((_CONVERTED[each] for each in known), None)
        if pattern is None or not pattern.fullmatch(part.text[1:-1]):
            return part
        self.changed = True
        return Plain("name", part.text[1:-1].lower())

    def unary(self, node: Unary) -> str:
        part = self.feel(node.part)
        if node.sign == "-":
            return f"-{part}"
        if node.sign == "empty":
            return self._change(f"is empty({part})")
        bracketed = isinstance(node.part, Group) and node.part.opened == "("
        if node.sign == "!" or not bracketed:
            self.changed = True
        return f"not{part}" if bracketed else f"not({part})"

    def member(self, node: Member) -> str:
        self.changed |= node.sign != "."
        names = _names(node)
        scope = next((each for each in _SCOPES if names[: len(each)] == each and len(names) > len(each)), ())
        if scope:
            return self._change(self._counted(names[len(scope) :]))
        if node.name in self.language.lengths and names:
            return self._change(self._counted(names))
        return f"{self.feel(node.value)}.{node.name}"

    def _counted(self, names: Sequence[str]) -> str:
        """Return a path as FEEL; the length of a list is no part of it."""
        *path, last = names
        if last not in self.language.lengths or not path:
            return ".".join(names)
        form = self._sized("count({0})", Plain("name", path[0])) if len(path) == 1 else "count({0})"
        return form.format(".".join(path))

    def _sized(self, form: str, node: Node) -> str:
        """Return a form that counts items, for texts as one that counts characters."""
        type_ = self._type(node)
        if "count(" in form and type_ in _SINGLE and type_ != "text":
            raise Different
        return form.replace("count(", "string length(") if type_ == "text" else form

    def call(self, node: Call) -> str:
        name = ".".join(_names(node.function))
        if name == "next" and len(node.arguments) == len(("error", "result")):
            return self._change(self.feel(node.arguments[1]))
        arguments = [self.feel(each) for each in node.arguments]
        if name in ("true", "false") and not arguments:
            return self._change(name)
        if name in _CALLS:
            listed = self._sized(_CALLS[name], node.arguments[0]) if node.arguments else _CALLS[name]
            return self._change(_filled(listed, _values(name, arguments)))
        if isinstance(node.function, Member):
            form = _METHODS.get(node.function.name) or self._containing(node.function)
            if form is None:
                return f"{self.feel(node.function)}({', '.join(arguments)})"
            if node.function.name in ("intValue", "longValue") and self._is_decimal(node.function.value):
                form = "round down({self}, 0)"
            form = self._sized(form, node.function.value)
            return self._change(_filled(form, arguments, self.feel(node.function.value)))
        return f"{name}({', '.join(arguments)})"


def _is_name(node: Node) -> TypeGuard[Plain]:
    return isinstance(node, Plain) and node.kind == "name"


_FORMS: Mapping[type, Callable[[Writer, Any], str]] = {
    Plain: Writer.plain,
    Group: Writer.group,
    Chain: Writer.chain,
    Unary: Writer.unary,
    Choice: Writer.choice,
    Index: Writer.index,
    Member: Writer.member,
    Call: Writer.call,
}


def _names(node: Node) -> tuple[str, ...]:
    """Return the names of a path that has nothing else; none for another expression."""
    if isinstance(node, Plain):
        return (node.text,) if node.kind == "name" else ()
    if isinstance(node, Member):
        before = _names(node.value)
        return (*before, node.name) if before else ()
    return ()


def _values(name: str, arguments: Sequence[str]) -> list[str]:
    """Return arguments as FEEL: a variable by its name, and numbers, which jBPM writes as texts."""
    found = [*arguments]
    if name in _BY_NAME and found:
        found[0] = found[0].strip("\"'")
        if not _VARIABLE.fullmatch(found[0]):
            raise Foreign
    if re.search("Than$|between$", name):
        found = [_NUMBER.sub(r"\2", each) for each in found]
    return found


def _filled(form: str, arguments: Sequence[str], value: str = "") -> str:
    """Return a form with its arguments. Raises Foreign for another number of them."""
    if len(arguments) != len(set(re.findall(r"\{(\d)\}", form))):
        raise Foreign
    return form.format(*arguments, self=value)
