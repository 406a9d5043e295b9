"""Compiled tags that contain others: conditions, loops, names, included and inherited templates."""

from __future__ import annotations

from typing import Any

from django.template import Context, VariableDoesNotExist
from django.template.base import FilterExpression, Template
from django.template.defaulttags import ForNode, IfNode, WithNode
from django.template.loader_tags import ExtendsNode, IncludeNode, construct_relative_path
from django.utils.safestring import SafeString

from pages.compiler.constants import Fixed
from pages.compiler.expressions import compared_text, condition, expression
from pages.compiler.lookups import Reader
from pages.compiler.nodes import Renderer, body, compiled, compiles


@compiles(IfNode)
def if_(node: IfNode) -> Renderer:
    """Compile `{% if %}`."""
    node.conditions_nodelists = [(test, compiled(nodes)) for test, nodes in node.conditions_nodelists]
    branches = [
        (_true if test is None else condition(test), body(nodes)) for test, nodes in node.conditions_nodelists
    ]

    def render(context: Context) -> str:
        for holds, shown in branches:
            try:
                chosen = holds(context)
            except VariableDoesNotExist:
                chosen = False
            if chosen:
                return shown(context)
        return ""

    return _by_text([test for test, _nodes in node.conditions_nodelists], branches, render) or render


def _by_text(tests: list[Any], branches: list[tuple[Reader, Renderer]], render: Renderer) -> Renderer | None:
    """Return the choice among branches whose tests compare one variable with texts; None for others.

    The variable is read once. `render` has the branches for a value that is no text.
    """
    texts = [compared_text(test) for test in tests if test is not None]
    if len(texts) < 3 or None in texts or len({name for name, _text in texts}) > 1:  # type: ignore[misc]
        return None
    read = expression(tests[0].first.value, None)
    chosen: dict[str, Renderer] = {}
    for (_name, text), (_test, shown) in zip(texts, branches, strict=False):  # type: ignore[misc]
        chosen.setdefault(text, shown)
    other = branches[-1][1] if tests[-1] is None else _nothing

    def choose(context: Context) -> str:
        try:
            value = read(context)
        except Exception:  # noqa: BLE001 - in a condition it is false
            return other(context)
        return chosen.get(value, other)(context) if type(value) in (str, SafeString) else render(context)

    return choose


def _nothing(_context: Context) -> str:
    return ""


def _true(_context: Context) -> bool:
    return True


@compiles(ForNode)
def for_(node: Any) -> Renderer:
    """Compile `{% for %}`."""
    read = expression(node.sequence, None)
    each, empty, names = body(node.nodelist_loop), body(node.nodelist_empty), tuple(node.loopvars)

    def render(context: Context) -> str:
        parent = context.get("forloop", {})
        stack = context.dicts
        stack.append({})
        try:
            values = read(context)
            values = [] if values is None else values if hasattr(values, "__len__") else list(values)
            if not len(values):
                return empty(context)
            rows = reversed(values) if node.is_reversed else values
            loop = context["forloop"] = {"parentloop": parent}
            return _rounds(context, loop, rows, len(values), names, each)
        finally:
            stack.pop()

    return render


def _rounds(
    context: Context, loop: dict[str, Any], rows: Any, count: int, names: tuple[str, ...], each: Renderer
) -> SafeString:
    parts, single, own = [], names[0], context.dicts[-1]
    unpacks = len(names) > 1
    for at, row in enumerate(rows):
        loop["counter0"] = at
        loop["counter"] = at + 1
        loop["revcounter"] = count - at
        loop["revcounter0"] = count - at - 1
        loop["first"] = at == 0
        loop["last"] = at == count - 1
        if unpacks:
            context.dicts.append(_unpacked(names, row))
            parts.append(each(context))
            context.dicts.pop()
        else:
            own[single] = row
            parts.append(each(context))
    return SafeString("".join(parts))


def _unpacked(names: tuple[str, ...], row: Any) -> dict[str, Any]:
    """Return the values of a row by name. Raises ValueError where it has another number of them."""
    count = len(row) if hasattr(row, "__len__") else 1
    if count != len(names):
        raise ValueError(f"Need {len(names)} values to unpack in for loop; got {count}. ")
    return dict(zip(names, row, strict=False))


def named(expressions: dict[str, FilterExpression]) -> Reader:
    """Return the reader of the values of `name=expression`, by name."""
    readers = [(name, expression(each)) for name, each in expressions.items()]
    return lambda context: {name: read(context) for name, read in readers}


@compiles(WithNode)
def with_(node: WithNode) -> Renderer:
    """Compile `{% with %}`."""
    values, within = named(node.extra_context), body(node.nodelist)

    def render(context: Context) -> str:
        context.dicts.append(values(context))
        try:
            return within(context)
        finally:
            context.dicts.pop()

    return render


@compiles(IncludeNode)
def include(node: Any) -> Renderer | None:
    """Compile `{% include %}` of a name that is constant."""
    if node.template.is_var or node.template.filters or not isinstance(node.template.var, str):
        return None
    name = construct_relative_path(node.origin.template_name, node.template.var)
    values = named(node.extra_context)
    found: list[tuple[Template, Fixed | None]] = []

    def render(context: Context) -> str:
        if not found:
            loaded = context.template.engine.select_template([name])  # type: ignore[union-attr]
            found.append((loaded, _fixed(loaded)))
        template, fixed = found[0]
        if fixed is not None:
            return fixed(context)
        if node.isolated_context:
            return rendered(template, context.new(values(context)))
        context.dicts.append(values(context))
        try:
            return rendered(template, context)
        finally:
            context.dicts.pop()

    return render


def _fixed(template: Template) -> Fixed | None:
    """Return the renderer of a template that is fixed as a whole, or None."""
    parts: list[Any] = getattr(template.nodelist, "parts", [])
    return parts[0] if len(parts) == 1 and isinstance(parts[0], Fixed) else None


@compiles(ExtendsNode)
def extends(node: Any) -> Renderer | None:
    """Compile `{% extends %}`: the template that it extends is found once."""
    find, known = node.find_template, {}

    def find_template(name: str, context: Context) -> Template:
        history: Any = context.render_context.setdefault(node.context_key, [node.origin])
        if any(origin.template_name == name for origin in history):
            return find(name, context)
        if name not in known:
            known[name] = find(name, context)
        else:
            history.append(known[name].origin)
        return known[name]

    if isinstance(node.parent_name.var, str):
        node.find_template = find_template
    return None


def rendered(template: Template, context: Context) -> str:
    """Render a template with a state of its own, as part of another."""
    state = context.render_context
    before, state.template = state.template, template
    state.dicts.append({})
    try:
        return str(template._render(context))  # type: ignore[attr-defined]
    finally:
        state.template = before
        state.dicts.pop()
