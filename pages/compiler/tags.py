"""Compiled tags that call functions: those of libraries, addresses, static files, translated texts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.template import Context, TemplateSyntaxError
from django.template.base import FilterExpression, TokenType
from django.template.defaulttags import CsrfTokenNode, URLNode
from django.template.library import SimpleBlockNode, SimpleNode
from django.templatetags.i18n import BlockTranslateNode, LanguageNode, TranslateNode
from django.templatetags.static import StaticNode
from django.urls import NoReverseMatch
from django.utils import translation
from django.utils.safestring import SafeString

from pages.compiler.blocks import named
from pages.compiler.constants import Fixed, place_of
from pages.compiler.expressions import expression, is_constant
from pages.compiler.nodes import Renderer, compiles
from pages.compiler.texts import forget_language, per_language, shown, written
from pages.markup import escaped


@compiles(SimpleNode)
def simple(node: SimpleNode) -> Renderer:
    """Compile a tag that is a function."""
    call, target, takes_context = node.func, node.target_var, node.takes_context
    readers, values = [expression(each) for each in node.args], named(node.kwargs)
    names = bool(node.kwargs)

    def render(context: Context) -> str:
        given = [read(context) for read in readers]
        if takes_context:
            given.insert(0, context)
        return _put(context, target, call(*given, **values(context)) if names else call(*given))

    pure = getattr(call, "is_pure", False) and not (target or takes_context)
    return Fixed(render) if pure and _are_constant(*node.args, *node.kwargs.values()) else render


def _are_constant(*expressions: FilterExpression) -> bool:
    return all(map(is_constant, expressions))


@compiles(SimpleBlockNode)
def simple_block(node: SimpleBlockNode) -> Renderer:
    """Compile a tag that is a function of its content."""
    call, target, body, takes_context = node.func, node.target_var, node.nodelist.render, node.takes_context
    readers, values = [expression(each) for each in node.args], named(node.kwargs)

    def render(context: Context) -> str:
        given = [read(context) for read in readers]
        named_values = values(context)
        first = (context, body(context)) if takes_context else (body(context),)
        return _put(context, target, call(*first, *given, **named_values))

    return render


def _put(context: Context, target: str | None, output: Any) -> Any:
    """Return the output of a tag, or keep it as a variable."""
    if target is None:
        return written(output, context)
    context[target] = output
    return ""


@compiles(URLNode)
def url(node: URLNode) -> Renderer:
    """Compile `{% url %}`."""
    read_name, target = expression(node.view_name), node.asvar
    readers, values = [expression(each) for each in node.args], named(node.kwargs)

    def render(context: Context) -> str:
        given, named_values, found = [read(context) for read in readers], values(context), ""
        try:
            found = place_of(context).address(read_name(context), given, named_values)
        except NoReverseMatch:
            if target is None:
                raise
        return _put(context, target or None, found)

    constant = target is None and _are_constant(node.view_name, *node.args, *node.kwargs.values())
    return Fixed(render) if constant else render


@compiles(StaticNode)
def static(node: StaticNode) -> Renderer | None:
    """Compile `{% static "name" %}`; the files of a process have the same addresses as long as it runs."""
    return Fixed(node.render) if node.varname is None and is_constant(node.path) else None


@compiles(CsrfTokenNode)
def csrf_token(node: CsrfTokenNode) -> Renderer:
    """Compile `{% csrf_token %}`."""

    def render(context: Context) -> str:
        token = context.get("csrf_token")
        if not token or token == "NOTPROVIDED":  # noqa: S105 - Django's mark
            return node.render(context)
        return f'<input type="hidden" name="csrfmiddlewaretoken" value="{escaped(str(token))}">'

    return render


@compiles(TranslateNode)
def translate(node: TranslateNode) -> Renderer | None:
    """Compile `{% translate "text" %}`."""
    given = node.filter_expression
    literal = getattr(given.var, "literal", None)
    if node.noop or node.message_context or given.filters or not isinstance(literal, str):
        return None
    text = per_language(lambda: SafeString(str(_translated(literal)).replace("%%", "%")))
    if node.asvar is None:
        return Fixed(text)
    return lambda context: _put(context, node.asvar, text(context))


def _translated(literal: str) -> str:
    return translation.gettext(literal.replace("%", "%%"))


@compiles(LanguageNode)
def language(node: LanguageNode) -> Renderer:
    """Compile `{% language %}`."""

    def render(context: Context) -> str:
        forget_language(context)
        try:
            return node.render(context)
        finally:
            forget_language(context)

    return render


@compiles(BlockTranslateNode)
def block_translate(node: BlockTranslateNode) -> Renderer | None:
    """Compile `{% blocktranslate %}` without a context of the message."""
    if node.message_context or any(token.token_type == TokenType.BLOCK for token in node.singular):
        return None
    singular, names = node.render_token_list(node.singular)
    values = named(node.extra_context)
    one = per_language(lambda: translation.gettext(singular))
    count = _counted(node, singular, names)

    def render(context: Context) -> str:
        own = values(context)
        context.dicts.append(own)
        text = count(context, own) if count else one(context)
        data = {name: shown(_named(context, name), context) for name in names}
        context.dicts.pop()
        try:
            text %= data
        except (KeyError, ValueError):
            return node.render(context)  # the translation is malformed
        return _put_text(context, node.asvar, text)

    is_fixed = not (names or count or node.extra_context or node.asvar)
    return Fixed(render) if is_fixed else render


def _counted(node: Any, singular: str, names: list[str]) -> Any:
    """Return the function that chooses the form of the text by its number; None for a text without plural."""
    if not (node.plural and node.countervar and node.counter):
        return None
    plural, more = node.render_token_list(node.plural)
    names.extend(more)
    read, name = expression(node.counter), node.countervar

    def choose(context: Context, own: dict[str, Any]) -> str:
        own[name] = number = read(context)
        if not isinstance(number, (Decimal, float, int)):
            raise TemplateSyntaxError(f"{name!r} argument to {node.tag_name!r} tag must be a number.")
        return translation.ngettext(singular, plural, number)  # type: ignore[arg-type]

    return choose


def _named(context: Context, name: str) -> Any:
    return context.get(name, "")


def _put_text(context: Context, target: str | None, text: str) -> str:
    if not target:
        return text
    context[target] = SafeString(text)
    return ""
