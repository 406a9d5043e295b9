"""Lists of nodes as one function each, and the registry of what compiles which node."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from itertools import groupby
from typing import Any

from django.template import Context
from django.template.base import Node, NodeList, TextNode, VariableNode
from django.template.defaulttags import CommentNode, LoadNode
from django.utils.safestring import SafeString

from pages.compiler.constants import Fixed
from pages.compiler.expressions import expression, is_constant
from pages.compiler.texts import shown

Renderer = Callable[[Context], str]
# Text, or what renders it.
Part = str | Renderer
Compiler = Callable[[Any], Renderer | None]
_COMPILERS: dict[type[Node], Compiler] = {}
_EMPTY = (CommentNode, LoadNode)


def compiles(kind: type[Node]) -> Callable[[Compiler], Compiler]:
    """Register what compiles nodes of exactly this type; None leaves a node to Django."""

    def register(compiler: Compiler) -> Compiler:
        _COMPILERS[kind] = compiler
        return compiler

    return register


class CompiledList(NodeList):
    """A list of nodes that is rendered by one function each; texts between them are joined beforehand."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__(nodes)
        self.contains_nontext = getattr(nodes, "contains_nontext", False)
        self._found: dict[type[Node], list[Node]] = {}
        self.parts = _joined(_part(node) for node in self if not isinstance(node, _EMPTY))
        self._texts = [each if isinstance(each, str) else "" for each in self.parts]
        self._dynamic = [(at, each) for at, each in enumerate(self.parts) if not isinstance(each, str)]

    def render(self, context: Context) -> SafeString:
        """Return the output of all nodes."""
        parts = self._texts.copy()
        for at, render in self._dynamic:
            parts[at] = render(context)
        return SafeString("".join(parts))

    def get_nodes_by_type(self, nodetype: type[Node]) -> list[Node]:
        """Return the nodes of a type in the list; they are found once, since the list stays as it is."""
        if nodetype not in self._found:
            self._found[nodetype] = super().get_nodes_by_type(nodetype)
        return self._found[nodetype].copy()


def _part(node: Node) -> Part:
    return node.s if isinstance(node, TextNode) else renderer(node)


def _joined(parts: Iterable[Part]) -> list[Part]:
    """Join neighbours that are texts, or fixed."""
    found: list[Part] = []
    for is_fixed, together in groupby(parts, lambda each: isinstance(each, (str, Fixed))):
        run = list(together)
        found += [_one(run)] if is_fixed else run
    return found


def _one(run: list[Part]) -> Part:
    if len(run) == 1:
        return run[0]
    if all(isinstance(each, str) for each in run):
        return "".join(run)  # type: ignore[arg-type]
    makers = [each.make if isinstance(each, Fixed) else each for each in run]
    return Fixed(
        lambda context: "".join([each if isinstance(each, str) else each(context) for each in makers])
    )


def body(nodes: Any) -> Renderer:
    """Return the function that renders a compiled list as a part of another."""
    if len(nodes.parts) != 1:
        return nodes.render
    only = nodes.parts[0]
    return (lambda _context: only) if isinstance(only, str) else only


def compiled(nodes: NodeList) -> NodeList:
    """Return the compiled form of a list of nodes."""
    return nodes if isinstance(nodes, CompiledList) else CompiledList(nodes)


def renderer(node: Node) -> Renderer:
    """Return the function that renders a node. Lists of nodes in it are compiled, whatever the node is."""
    for name, children in list(vars(node).items()):
        if type(children) is NodeList:
            setattr(node, name, CompiledList(children))
    compiler = _COMPILERS.get(type(node))
    found = compiler(node) if compiler else None
    return found or node.render_annotated  # type: ignore[return-value]


@compiles(VariableNode)
def variable(node: VariableNode) -> Renderer:
    """Compile `{{ expression }}`."""
    read = expression(node.filter_expression)

    def render(context: Context) -> str:
        try:
            value = read(context)
        except UnicodeDecodeError:
            return ""
        kind = type(value)
        if kind is SafeString:
            return value
        return escape(value) if kind is str and context.autoescape else shown(value, context)

    return Fixed(render) if is_constant(node.filter_expression) else render
