"""The picture of docs/architecture.md, drawn from the sources: packages, their parts, their imports.

To update it: WEDSQL_WRITE_PICTURE=1 python -m pytest tests/test_architecture.py
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from tests.imports import Import

# The packages by layer, the top one first; a package imports only from the layers below it.
FLOORS = (("wedsql_site",), ("monitor", "workers"), ("flows", "BaseWorker"), ("pages", "database"))
SAYS = {
    "wedsql_site": "settings, addresses, log-in, supervisor, embedded server",
    "monitor": "live pages: flows, instances, workers, health",
    "workers": "perform transitions; the reaper",
    "flows": "definitions, public API, admin, and the kernel in SQL",
    "BaseWorker": "the paper's worker, without Django",
    "pages": "page parts and the live connection",
    "database": "PostgreSQL: tables, kernel, a schema per flow",
}
# Packages that access the database by SQL statements.
SPEAKS_SQL = ("flows", "workers", "BaseWorker")
_WIDTH, _BOX, _HIGH, _STEP, _TOP = 860, 400, 74, 124, 20
_STYLE = """
  .box { fill: #f4f6f8; stroke: #8a94a3; }
  .name { font: 600 15px system-ui, sans-serif; fill: #1f2933; }
  .says, .parts { font: 12.5px system-ui, sans-serif; fill: #52606d; }
  .parts { font-size: 11px; fill: #0b6e4f; }
  .arrow { stroke: #52606d; stroke-width: 1.4; fill: none; }
  .sql { stroke-dasharray: 5 4; }
  .tip { fill: #52606d; }
  @media (prefers-color-scheme: dark) {
    .box { fill: #1f2933; stroke: #7b8794; }
    .name { fill: #f0f4f8; }
    .says { fill: #a8b3c1; }
    .parts { fill: #4cc38a; }
    .arrow { stroke: #a8b3c1; }
    .tip { fill: #a8b3c1; }
  }
"""


def draw(modules: Iterable[str], found: Iterable[Import]) -> str:
    """Return the picture as SVG."""
    names = [name for floor in FLOORS for name in floor]
    pairs = {
        (one.importer.split(".")[0], one.imported.split(".")[0]) for one in found if not _test(one.importer)
    }
    pairs = {(upper, lower) for upper, lower in pairs if upper != lower and {upper, lower} <= set(names)}
    height = _TOP * 2 + _STEP * (len(FLOORS) - 1) + _HIGH
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"'
        ' aria-label="The packages and who imports whom">',
        f"<style>{_STYLE}</style>",
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
        ' orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker>',
    ]
    lines += [_arrow(upper, lower, "arrow") for upper, lower in sorted(pairs)]
    lines += [_arrow(name, "database", "arrow sql") for name in SPEAKS_SQL]
    parts = list(modules)
    lines += [_box(name, _parts(name, parts)) for name in names]
    return "\n".join([*lines, "</svg>", ""])


def _test(module: str) -> bool:
    return bool({"tests", "conftest"} & set(module.split(".")))


def _parts(package: str, modules: Iterable[str]) -> list[str]:
    """Return the sub-packages, without those that every Django app has."""
    folders = {
        name.split(".")[1] for name in modules if name.startswith(f"{package}.") and name.count(".") > 1
    }
    return sorted(folders - {"tests", "management", "migrations", "templatetags"})


def _place(name: str) -> tuple[float, int]:
    for number, floor in enumerate(FLOORS):
        if name in floor:
            gap = (_WIDTH - _BOX * len(floor)) / (len(floor) + 1)
            return gap + floor.index(name) * (_BOX + gap), _TOP + number * _STEP
    raise LookupError(name)


def _box(name: str, parts: list[str]) -> str:
    x, y = _place(name)
    return (
        f'<rect class="box" x="{x:g}" y="{y}" width="{_BOX}" height="{_HIGH}" rx="6"/>'
        f'<text class="name" x="{x + 12:g}" y="{y + 22}">{escape(name)}</text>'
        f'<text class="says" x="{x + 12:g}" y="{y + 42}">{escape(SAYS[name])}</text>'
        f'<text class="parts" x="{x + 12:g}" y="{y + 61}">{escape(" · ".join(parts))}</text>'
    )


def _arrow(upper: str, lower: str, kind: str) -> str:
    """Return an arrow from the lower edge of a box to the upper edge of another, or sideways in one layer."""
    (x1, y1), (x2, y2) = _place(upper), _place(lower)
    if y1 == y2:
        start, end = (x1 + _BOX, x2) if x1 < x2 else (x1, x2 + _BOX)
        return f'<path class="{kind}" marker-end="url(#tip)" d="M{start:g} {y1 + 37}L{end:g} {y2 + 37}"/>'
    lean = 30 * (1 if x2 > x1 else -1 if x2 < x1 else 0)
    far = y2 - y1 > _STEP  # skips a layer: along the outer side of the boxes
    start, end = x1 + _BOX / 2 + lean, x2 + _BOX / 2 - lean
    if far:
        side = (
            min(x1, x2) - 12 if x1 + _BOX / 2 <= _WIDTH / 2 and x2 < _WIDTH / 2 else max(x1, x2) + _BOX + 12
        )
        start, end = _edge(x1, side), _edge(x2, side)
        return (
            f'<path class="{kind}" marker-end="url(#tip)"'
            f' d="M{start:g} {y1 + 55}H{side:g}V{y2 + 20}H{end:g}"/>'
        )
    return f'<path class="{kind}" marker-end="url(#tip)" d="M{start:g} {y1 + _HIGH}L{end:g} {y2}"/>'


def _edge(x: float, side: float) -> float:
    return x if side < x else x + _BOX
