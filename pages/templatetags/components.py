"""Components of pages as tags; `/styleguide/` shows each of them.

A block tag takes the content up to its end tag: `{% fact _("Size") %}12 MB{% endfact %}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.http import HttpRequest
from django.template.defaultfilters import truncatechars
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pages import state_values
from pages.cells import Cells, opening
from pages.compiler.constants import pure
from pages.markup import escaped, format_html, format_html_join
from pages.once import FIELD, token_of
from pages.templatetags.wed import number

register = template.Library()


@register.simple_tag(takes_context=True)
def once(context: template.Context) -> SafeString:
    """Render the token of a form that creates something; the view asks for it (pages/once.py)."""
    html = '<input type="hidden" name="{}" value="{}">'
    return format_html(html, FIELD, token_of(context["request"]))


# Longer values show half of this until they are expanded.
FOLDED = 400


@register.simple_block_tag
def note(content: str, kind: str, label: str) -> SafeString:
    """Render a message of the page: `kind` is "info", "warning" or "error"; `label` is its aria-label."""
    html = '<section class="note note-{}" aria-label="{}">{}</section>'
    return format_html(html, kind, label, content)


@register.simple_block_tag
def fact(content: str, name: str, css: str = "", title: str = "") -> SafeString:
    """Render one name and value of a `<dl class="facts">`."""
    attributes = _attributes(**{"class": css, "title": title})
    return format_html("<div><dt>{}</dt><dd{}>{}</dd></div>", name, attributes, content)


@register.simple_tag
@pure
def column(label: str, css: str = "") -> SafeString:
    """Render a column heading of a table that becomes cards on a phone."""
    html = '<th role="columnheader" scope="col"{}>{}</th>'
    return format_html(html, _attributes(**{"class": css}), label)


@register.simple_block_tag
def cell(content: str, label: str, css: str = "") -> SafeString:
    """Render a cell of such a table; a card shows its label before it."""
    # A card does not show an empty cell; only spaces would not count as empty.
    return SafeString(f"{_cell(label, css)}{escaped(content) if content.strip() else ''}</td>")


_cell = lru_cache(maxsize=2048, typed=True)(opening)


@register.simple_tag
def row_cells(cells: Cells[Any], row: object) -> SafeString:
    """Render the cells of a row of such a table, of the columns that the view has chosen (pages/cells.py)."""
    return cells.row(row)


@register.simple_tag
@pure
def pill(kind: str, glyph: str, text: str) -> SafeString:
    """Render a result as shape, text and colour; `kind` is the status whose colour it has, or ""."""
    css = f"pill pill-{kind}" if kind else "pill"
    return format_html('<span class="{}"><span aria-hidden="true">{}</span> {}</span>', css, glyph, text)


@register.simple_tag
def value(text: str | None, kind: str = "", longest: int = 0, *, plain: bool = False) -> SafeString | str:
    """Render a value in the reader's form of its type, cut after `longest` characters.

    The database's text is its title, except where an option is shown by its label. Null is a sign, for a
    `plain` page a word.
    """
    if text is None:
        sign = _("empty") if plain else "∅"
        return format_html('<span class="null" title="{}">{}</span>', _("empty (null)"), sign)
    shown = state_values.shown(text, kind)
    cut = truncatechars(shown, longest) if 0 < longest < len(shown) else shown
    is_label = shown == text or hasattr(kind, "label_of")
    return cut if is_label else format_html('<span title="{}">{}</span>', text, cut)


LONGEST_CELL, UNTITLED = 120, 24


@register.simple_tag
def value_cells(cells: Iterable[str | None], kinds: Iterable[str]) -> SafeString:
    """Render the cells of a row of values by their types; a long value is the title of its cell, too.

    One tag for the row: a list has hundreds of cells, and a template of each costs more than all else.
    """
    null = value(None)
    return format_html_join(
        "\n",
        '<td class="cell{}"{}>{}</td>',
        (
            (
                " num" if kind in ("integer", "numeric") else "",
                _attributes(title=truncatechars(text, LONGEST_CELL)) if text and len(text) > UNTITLED else "",
                null if text is None else value(text, kind, LONGEST_CELL),
            )
            for text, kind in zip(cells, kinds, strict=True)
        ),
    )


@register.simple_tag
def whole_value(text: str | None, kind: str, length: int | None) -> SafeString | str:
    """Render a value, expandable if long; `length` is that of the whole if `text` is its beginning."""
    if text is None or len(text) <= FOLDED:
        shown = value(text, kind)
    else:
        html = '<summary><span class="cut">{} </span><span class="as-link">{}</span></summary>'
        summary = format_html(html, truncatechars(text, FOLDED // 2), _("all of it"))
        shown = format_html('<details class="long">{}{}</details>', summary, text)
    if not length:
        return shown
    rest = _("%(n)s characters in all") % {"n": number(length)}
    return format_html('{}<span class="dim"> … {}</span>', shown, rest)


@register.simple_block_tag
def pager(content: str) -> SafeString:
    """Render the links to the previous and next page of a list."""
    return format_html('<nav class="pager" aria-label="{}">{}</nav>', _("Pages"), content)


@register.simple_block_tag(takes_context=True)
def error_page(context: template.Context, content: str, code: str, title: str) -> SafeString:
    """Render the content of an error page, with the way back; `code` may be empty."""
    number = format_html('<p class="code-big" aria-hidden="true">{}</p>', code) if code else ""
    ways = [(before, _("Back"))] if (before := page_before(context.get("request"))) else []
    buttons = (*ways, ("/", _("All flows")))
    links = format_html_join(SafeString(" "), '<a class="button" href="{}">{}</a>', buttons)
    html = '<section class="empty" data-error-page>{}<h1>{}</h1>{}<p>{}</p></section>'
    return format_html(html, number, title, content, links)


def page_before(request: HttpRequest | None) -> str:
    """Return the address of the site from which a request came; "" for another site, or the same page."""
    if request is None:
        return ""
    before = urlsplit(request.headers.get("Referer", ""))
    path = f"{before.path}?{before.query}" if before.query else before.path
    own = before.netloc == request.META.get("HTTP_HOST", request.META.get("SERVER_NAME", ""))
    local = path.startswith("/") and not path.startswith("//")
    return path if own and local and path != request.get_full_path() else ""


def _attributes(**named: str) -> SafeString:
    """Return the attributes that have a value, with a space before each."""
    return SafeString("".join(f' {name}="{escaped(text)}"' for name, text in named.items() if text))
