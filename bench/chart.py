"""The bar chart of docs/performance.md: each contender's best figure as a share of the floor."""

from __future__ import annotations

from html import escape

from bench.results import Results, Spread

_WIDTH = 820
_LABEL = 350
_ROW = 28
_TOP = 82
_TITLE = "Committed steps a second, as a multiple of the floor with 16 clients"
_NOTE = "each at the number of workers that suited it best; line: lowest to highest round"
_STYLE = """
  .ink { fill: #1f2933; } .soft { fill: #52606d; } .ours { fill: #0b6e4f; } .peer { fill: #8a94a3; }
  .rule { stroke: #c2410c; stroke-width: 2; stroke-dasharray: 5 4; }
  .spread { stroke: #1f2933; stroke-width: 1.5; }
  text { font: 13px system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) {
    .ink { fill: #f0f4f8; } .soft { fill: #a8b3c1; } .ours { fill: #4cc38a; } .peer { fill: #7b8794; }
    .rule { stroke: #fb923c; } .spread { stroke: #f0f4f8; }
  }
"""


def draw(results: Results) -> str:
    """Return an SVG: the floor, and per contender a bar at its best concurrency with its spread."""
    bars = _bars(results)
    scale = (_WIDTH - _LABEL - 70) / max([1.0, *(ratio.high for _, _, ratio in bars)])
    height = _TOP + _ROW * len(bars) + 34
    parts = [_head(results, height)]
    parts += [_bar(row, label, kind, ratio, scale) for row, (label, kind, ratio) in enumerate(bars)]
    parts.append(_floor_line(scale, height))
    return "\n".join([*parts, "</svg>", ""])


def _bars(results: Results) -> list[tuple[str, str, Spread]]:
    bars = []
    for name, (kind, label) in results.labels.items():
        found = [(results.ratio(name, workers), workers) for workers in results.counts(name)]
        if found:
            ratio, workers = max(found, key=lambda item: item[0].median)
            bars.append((f"{label}, {workers}", kind, ratio))
    return sorted(bars, key=lambda bar: -bar[2].median)


def _head(results: Results, height: int) -> str:
    when = escape(str(results.conditions.get("date", "")))
    server = escape(str(results.conditions.get("PostgreSQL", "")))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-labelledby="title note">\n<style>{_STYLE}</style>\n'
        f'<text id="title" class="ink" x="8" y="22" font-weight="600">{_TITLE}</text>\n'
        f'<text id="note" class="soft" x="8" y="42">{_NOTE}</text>\n'
        f'<text class="soft" x="8" y="62">{server}, {when}</text>'
    )


def _bar(row: int, label: str, kind: str, ratio: Spread, scale: float) -> str:
    top = _TOP + row * _ROW
    middle = top + _ROW / 2
    low, high, text = _LABEL + ratio.low * scale, _LABEL + ratio.high * scale, middle + 4
    width = ratio.median * scale
    return (
        f'<text class="ink" x="{_LABEL - 8}" y="{text:.1f}" text-anchor="end">{escape(label)}</text>'
        f'<rect class="{kind}" x="{_LABEL}" y="{top + 5}" width="{width:.1f}" height="{_ROW - 10}"/>'
        f'<line class="spread" x1="{low:.1f}" x2="{high:.1f}" y1="{middle:.1f}" y2="{middle:.1f}"/>'
        f'<text class="ink" x="{high + 8:.1f}" y="{text:.1f}">{ratio.median:.2f}</text>'
    )


def _floor_line(scale: float, height: int) -> str:
    x = _LABEL + scale
    return (
        f'<line class="rule" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{height - 26}"/>'
        f'<text class="soft" x="{x:.1f}" y="{height - 10}" text-anchor="middle">the floor = 1</text>'
    )
