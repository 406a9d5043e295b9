"""Draws the grammar of WSQL: python -m flows.languages.wsql.railroad writes the pictures of docs/wsql.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from lark import Lark, Token

from flows.languages.wsql.parse import GRAMMAR

IMAGES = Path(__file__).parents[3] / "docs" / "images" / "wsql"
_CHARACTER, _HEIGHT, _GAP = 7.6, 24, 10
_STYLE = (
    "<style>text{font:13px monospace;text-anchor:middle;fill:#1b1f24}rect{fill:#fff;stroke:#57606a}"
    ".word rect{fill:#ddf4ff}path{fill:none;stroke:#57606a}</style>"
)
# Rules that are drawn where they are used, and kinds of tokens with their names for people.
_SHOWN = {
    "NAME": "name",
    "QUOTED": '"name"',
    "STRING": "'text'",
    "DOLLAR": "$$text$$",
    "NUMBER": "number",
    "WHOLE": "number",
    "DURATION": "duration",
    "OPERATOR": "operator",
}


@dataclass(frozen=True)
class Box:
    """A part of a picture: its size, the height of its line, and its drawing at a place."""

    width: float
    height: float
    line: float
    parts: tuple[tuple[float, float, Any], ...] = ()

    def drawn(self, x: float, y: float) -> Iterable[str]:
        """Return the SVG of the box with its upper left corner at a place."""
        for dx, dy, part in self.parts:
            if isinstance(part, Box):
                yield from part.drawn(x + dx, y + dy)
            else:
                yield part.format(x=_number(x + dx), y=_number(y + dy))


def pictures() -> dict[str, str]:
    """Return the pictures of all rules of the grammar by their names."""
    return {name: _picture(tree) for name, tree in rules().items()}


@cache
def rules() -> dict[str, Any]:
    """Return the rules of the grammar that have a picture, as their trees."""
    options: dict[str, Any] = {"parser": "lalr", "maybe_placeholders": False}
    reader = Lark.open_from_package("lark", "lark.lark", ["grammars"], **options)
    tree = reader.parse(GRAMMAR.read_text())
    found = {}
    for rule in tree.find_data("rule"):
        found[str(rule.children[0]).lstrip("_")] = rule.children[-1]
    return found


def write() -> None:
    """Write the pictures, and remove those of rules that are gone."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    drawn = pictures()
    for path in IMAGES.glob("*.svg"):
        if path.stem not in drawn:
            path.unlink()
    for name, picture in drawn.items():
        (IMAGES / f"{name}.svg").write_text(picture)


def _picture(tree: Any) -> str:
    box = _box(tree)
    width, height = box.width + 4 * _GAP, box.height + 2 * _GAP
    line = _number(_GAP + box.line)
    ends = f'<path d="M2 {line}h{2 * _GAP - 2}M{_number(width - 2 * _GAP)} {line}h{2 * _GAP - 2}"/>'
    size = f'width="{_number(width)}" height="{_number(height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {_number(width)} {_number(height)}">'
    top = _number(_GAP + box.line - 5)
    dots = f'<path d="M2 {top}v10M{_number(width - 2)} {top}v10"/>'
    return "".join([head, _STYLE, ends, dots, *box.drawn(2 * _GAP, _GAP), "</svg>\n"])


def _box(tree: Any) -> Box:
    """Return the drawing of a part of a rule."""
    if isinstance(tree, Token):
        return _token(tree)
    children = [each for each in tree.children if each is not None]
    if tree.data == "expansions":
        return _choice([_box(each) for each in children])
    if tree.data == "expansion":
        return _sequence(children)
    if tree.data == "expr":
        return _repeated(_box(children[0]), str(children[1]))
    if tree.data == "maybe":
        return _repeated(_box(children[0]), "?")
    return _box(children[0])


def _token(token: Token) -> Box:
    text = str(token)
    if token.type == "STRING":
        return _label(text.rstrip("i").strip('"'), word=True)
    if text.isupper() and text not in _SHOWN:
        return _label("DEFAULT" if text == "DEFAULTS" else text, word=True)
    return _label(_SHOWN.get(text, text.lstrip("_")), word=False)


def _label(text: str, *, word: bool) -> Box:
    width = len(text) * _CHARACTER + 16
    size = f'width="{_number(width)}" height="{_HEIGHT}"'
    drawn = f'<rect x="{{x}}" y="{{y}}" {size} rx="{12 if word else 2}"/>'
    kind = ' class="word"' if word else ""
    shown = escape(text).replace("{", "{{").replace("}", "}}")
    return Box(width, _HEIGHT, _HEIGHT / 2, (
        (0, 0, f"<g{kind}>{drawn}"), (width / 2, 17, f'<text x="{{x}}" y="{{y}}">{shown}</text></g>'),
    ))  # fmt: skip


def _sequence(children: list[Any]) -> Box:
    boxes = [_box(each) for each in children]
    line = max((each.line for each in boxes), default=0)
    below = max((each.height - each.line for each in boxes), default=0)
    parts: list[tuple[float, float, Any]] = []
    x = 0.0
    for place, box in enumerate(boxes):
        if place:
            parts.append((x, line, f'<path d="M{{x}} {{y}}h{_GAP}"/>'))
            x += _GAP
        parts.append((x, line - box.line, box))
        x += box.width
    return Box(x, line + below, line, tuple(parts))


def _choice(boxes: list[Box]) -> Box:
    """Return alternatives below each other."""
    if len(boxes) == 1:
        return boxes[0]
    width, side = max(each.width for each in boxes), 2 * _GAP
    parts: list[tuple[float, float, Any]] = []
    top, line = 0.0, boxes[0].line
    for box in boxes:
        down = top + box.line - line
        right = width - box.width + _GAP
        if down:
            parts.append((0, line, f'<path d="M{{x}} {{y}}h{_GAP}v{_number(down)}h{_GAP}"/>'))
            end = f"h{_number(right)}v{_number(-down)}h{_GAP}"
        else:
            parts.append((0, line, f'<path d="M{{x}} {{y}}h{side}"/>'))
            end = f"h{_number(right + _GAP)}"
        parts.append((side, top, box))
        parts.append((side + box.width, top + box.line, f'<path d="M{{x}} {{y}}{end}"/>'))
        top += box.height + _GAP
    return Box(width + 2 * side, top - _GAP, line, tuple(parts))


def _repeated(box: Box, sign: str) -> Box:
    """Return a part that may be missing ("?"), repeated ("+") or both ("*"): a way around, and a way back."""
    parts: list[tuple[float, float, Any]] = []
    top = _GAP if sign in "?*" else 0
    line, side = top + box.line, 2 * _GAP
    width, height = box.width + 2 * side, top + box.height + (_GAP if sign in "+*" else 0)
    parts.append((0, line, f'<path d="M{{x}} {{y}}h{side}"/>'))
    parts.append((side + box.width, line, f'<path d="M{{x}} {{y}}h{side}"/>'))
    parts.append((side, top, box))
    if sign in "?*":
        around = f"h{_GAP / 2:g}v{_number(-line)}h{_number(width - _GAP)}v{_number(line)}h{_GAP / 2:g}"
        parts.append((0, line, f'<path d="M{{x}} {{y}}{around}"/>'))
    if sign in "+*":
        back = f"v{_number(height - line)}h{_number(-box.width - _GAP)}v{_number(line - height)}"
        parts.append((side + box.width + _GAP / 2, line, f'<path d="M{{x}} {{y}}{back}"/>'))
    return Box(width, height, line, tuple(parts))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


if __name__ == "__main__":
    write()
