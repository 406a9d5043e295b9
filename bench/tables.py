"""The tables of a run, as rows with their heads; the report prints them, performance.md shows them."""

from __future__ import annotations

from bench.results import Results, Spread
from bench.targets import TARGETS, Measure

Rows = list[list[str]]
_KINDS = {"ours": 0, "peer": 1}


def targets(results: Results) -> Rows:
    """Return each target with what this run measured."""
    found = {measure.key: measure for measure in results.measures}
    rows = [["measure", "target", "measured", ""]]
    for key, target in TARGETS.items():
        measure = found.get(key)
        today = value(measure, ".2f") if measure else "not measured in this run"
        rows.append([target.label, str(target), today, measure.verdict if measure else ""])
    return rows


def throughput(results: Results) -> Rows:
    """Return the rates of the floor and of each contender; * marks a rate of a race that was cut."""
    rows = [["contender", "workers", "steps/s", "lowest to highest", "of floor, 16", "lowest to highest"]]
    rows[0].append("of floor, same clients")
    for clients in sorted({int(floor["clients"]) for floor in results.floors}):
        if (floor := results.floor(clients)) is not None:
            rows.append(["floor (pgbench)", str(clients), *_rate(floor), "", "", ""])
    if one := [floor["rate"] for floor in results.floors if floor["one_statement"]]:
        rows.append(["floor in one statement", "16", *_rate(Spread.of(one)), "", "", ""])
    for name, (_, label) in sorted(results.labels.items(), key=lambda item: _KINDS.get(item[1][0], 2)):
        rows += [[label, *_contender(results, name, workers)] for workers in results.counts(name)]
    return rows


def _contender(results: Results, name: str, workers: int) -> list[str]:
    rate, ratio, same = results.rate(name, workers), results.ratio(name, workers), results.floor(workers)
    median, span = _rate(rate)
    cut = "" if all(run.complete for run in results.of(name, workers)) else "*"
    against = f"{rate.median / same.median:.2f}" if same else ""
    ratios = [f"{ratio.median:.2f}", f"{ratio.low:.2f} to {ratio.high:.2f}"]
    return [str(workers), median + cut, span, *ratios, against]


def _rate(spread: Spread) -> tuple[str, str]:
    return f"{spread.median:,.0f}", f"{spread.low:,.0f} to {spread.high:,.0f}"


def value(measure: Measure, form: str = ",.2f") -> str:
    """Return a measured value with its unit."""
    return f"{measure.value:{form}} {measure.unit}".strip()
