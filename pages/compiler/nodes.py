"""Lists of nodes as one function each, and the registry of what compiles which node."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.template import Context
from django.template.base import Node, NodeList, TextNode, VariableNode
from django.template.defaulttags import CommentNode, LoadNode
from django.utils.safestring import SafeString

from pages.compiler.expressions import expression
from pages.compiler.texts import shown

Renderer = Callable[[Context], str]
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
        self._texts: list[str] = []
        self._dynamic: list[tuple[int, Renderer]] = []
        for node in self:
            self._add(node)

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

    def _add(self, node: Node) -> None:
        if isinstance(node, _EMPTY):
            return
        if not isinstance(node, TextNode):
            self._dynamic.append((len(self._texts), renderer(node)))
            self._texts.append("")
        elif self._texts and (not self._dynamic or self._dynamic[-1][0] < len(self._texts) - 1):
            self._texts[-1] += node.s
        else:
            self._texts.append(node.s)


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
        return shown(value, context)

    return render
