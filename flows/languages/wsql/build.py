"""Makes the statements of a WSQL text from its syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from lark import Token, Tree

from flows.languages.wsql.tree import (
    Block,
    CreateAttribute,
    CreateCondition,
    CreateFlow,
    CreateInstance,
    CreateTransition,
    CreateTrigger,
    Defining,
    Enable,
    Explain,
    List,
    Piece,
    SetDefault,
    SetFinal,
    SetOf,
    SetTimeout,
    Statement,
    Statements,
)

Node: TypeAlias = Any  # a tree of lark, whose children are trees and tokens
_COMMENT = re.compile(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|'(?:[^']|'')*'|\$\$.*?\$\$", re.DOTALL)


def build(text: str, tree: Node) -> Statements:
    """Return the statements of the tree of a whole text."""
    return tuple(_Builder(text).statement(node.children[0]) for node in tree.children)


class _Builder:
    """Makes statements of the nodes of one text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def statement(self, node: Node) -> Statement:
        """Return the statement of a node, by the name of its rule."""
        make: Callable[[Node, int, int], Statement] = getattr(self, f"_{node.data}")
        return make(node, *_span(node))

    # -- definitions
    def _create_flow(self, node: Node, start: int, end: int) -> Statement:
        return CreateFlow(start, end, self._name(node), self._piece(node, "text"))

    def _create_attribute(self, node: Node, start: int, end: int) -> CreateAttribute:
        kind: Piece | None = None
        options: tuple[Piece, ...] = ()
        for given in node.find_data("type"):
            word = given.children[0]
            kind = Piece(word.lower(), word.start_pos, word.end_pos)
            options = tuple(self._of_text(each) for each in given.children[1:])
        return CreateAttribute(start, end, self._name(node), kind, options, self._piece(node, "value"))

    def _create_transition(self, node: Node, start: int, end: int) -> CreateTransition:
        by = next(node.find_data("performer"), None)
        role = self._piece(by, "text") if by is not None else None
        timeout = self._piece(node, "timeout")
        return CreateTransition(start, end, self._name(node), timeout, by is not None, role)

    def _create_condition(self, node: Node, start: int, end: int) -> CreateCondition:
        return CreateCondition(
            start, end, self._name(node), self._needed(node, "predicate"), _has(node, "FINAL")
        )

    def _create_trigger(self, node: Node, start: int, end: int) -> CreateTrigger:
        fired, condition = (next(node.find_data(kind)) for kind in ("fired", "condition"))
        return CreateTrigger(
            start,
            end,
            self._name(node),
            self._name(fired),
            self._piece(fired, "timeout"),
            self._name(condition),
            self._piece(condition, "predicate"),
        )

    def _update_attribute(self, node: Node, start: int, end: int) -> SetDefault:
        return SetDefault(start, end, self._name(node), self._needed(node, "value"))

    def _update_transition(self, node: Node, start: int, end: int) -> SetTimeout:
        return SetTimeout(start, end, self._name(node), self._needed(node, "timeout"))

    def _enable_trigger(self, node: Node, start: int, end: int) -> Enable:
        return Enable(start, end, self._name(node), _has(node, "ENABLE"))

    # -- the papers' sets
    def _attribute_set(self, node: Node, start: int, end: int) -> SetOf:
        return self._set("A", node, (start, end), self._create_attribute)

    def _condition_set(self, node: Node, start: int, end: int) -> SetOf:
        return self._set("C", node, (start, end), self._create_condition)

    def _transition_set(self, node: Node, start: int, end: int) -> SetOf:
        return self._set("T", node, (start, end), self._create_transition)

    def _trigger_set(self, node: Node, start: int, end: int) -> SetOf:
        return self._set("G", node, (start, end), self._pair)

    def _final_set(self, node: Node, start: int, end: int) -> SetOf:
        return SetOf(start, end, "F", (SetFinal(start, end, self._name(node)),))

    def _pair(self, node: Node, start: int, end: int) -> CreateTrigger:
        *name, condition, transition = (self._of_name(each) for each in node.children)
        return CreateTrigger(start, end, name[0] if name else None, transition, None, condition, None)

    def _set(self, letter: str, node: Node, at: tuple[int, int], make: Callable[..., Defining]) -> SetOf:
        return SetOf(*at, letter, tuple(make(each, *_span(each)) for each in node.children))

    # -- everything else
    def _create_instance(self, node: Node, start: int, end: int) -> CreateInstance:
        given = node.find_data("assignment")
        pairs = ((self._name(each), self._needed(each, "value")) for each in given)
        return CreateInstance(start, end, tuple(sorted(pairs, key=lambda pair: pair[0].start)))

    def _list(self, node: Node, start: int, end: int) -> List:
        only = next((each.lower() for each in node.children if isinstance(each, Token)), "")
        return List(start, end, str(node.data).removeprefix("list_"), only, self._piece(node, "instance"))

    _list_triggers = _list_attributes = _list_conditions = _list_transitions = _list
    _list_fired = _list_instances = _list_history = _list

    def _block(self, node: Node, start: int, end: int) -> Block:
        return Block(start, end, node.children[0].lower())

    def _explain(self, node: Node, start: int, end: int) -> Explain:
        return Explain(start, end, self.statement(node.children[0]))

    # -- parts
    def _name(self, node: Node) -> Piece:
        return self._of_name(next(each for each in node.children if _is(each, "name")))

    def _of_name(self, node: Node) -> Piece:
        token: Token = node.children[0]
        quoted = token.type == "QUOTED"
        name = token[1:-1].replace('""', '"') if quoted else token.lower()
        return Piece(name, *_span(node))

    def _needed(self, node: Node, kind: str) -> Piece:
        found = self._piece(node, kind)
        if found is None:
            raise LookupError(f"{node.data} has no {kind}")
        return found

    def _piece(self, node: Node, kind: str) -> Piece | None:
        """Return the value of the child of a node with this name."""
        child = next((each for each in node.children if _is(each, kind)), None)
        if child is None:
            return None
        if kind == "predicate":
            return self._predicate(child)
        return self._of_text(child) if kind == "text" else self._value(child)

    def _value(self, node: Node) -> Piece:
        child = node.children[0]
        if isinstance(child, Tree):
            return self._of_text(child)
        return Piece(None if child.type == "NULL" else child.lower(), *_span(node))

    def _of_text(self, node: Node) -> Piece:
        return _quoted(node.children[0])

    def _predicate(self, node: Node) -> Piece:
        """Return a condition; it may be in quotes as a whole. Comments in it are spaces."""
        start, end = _span(node)
        if len(node.children) == 1 and node.children[0].type in ("STRING", "DOLLAR"):
            if (node.children[0].start_pos, node.children[0].end_pos) == (start, end):
                return _quoted(node.children[0])
        return Piece(_COMMENT.sub(_blank, self.text[start:end]), start, end)


def _quoted(token: Token) -> Piece:
    """Return the value of a text in quotes, with where each of its characters is."""
    start, end = token.start_pos or 0, token.end_pos or 0
    if token.type == "DOLLAR":
        return Piece(token[2:-2], start, end, first=start + 2)
    value = token[1:-1].replace("''", "'")
    if "''" not in token[1:-1]:
        return Piece(value, start, end, first=start + 1)
    places, at = [], start + 1
    for character in value:
        places.append(at)
        at += 2 if character == "'" else 1
    return Piece(value, start, end, places=(*places, end - 1))


def _blank(found: re.Match[str]) -> str:
    text = found.group()
    return re.sub(r"[^\n]", " ", text) if text.startswith(("--", "/*")) else text


def _span(node: Node) -> tuple[int, int]:
    return node.meta.start_pos, node.meta.end_pos


def _is(node: object, kind: str) -> bool:
    return isinstance(node, Tree) and node.data == kind


def _has(node: Node, kind: str) -> bool:
    return any(isinstance(each, Token) and each.type == kind for each in node.children)
