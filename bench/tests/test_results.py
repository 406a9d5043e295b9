"""How the bench evaluates its figures: medians, ratios, verdicts, the record and the chart."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from bench import chart, report
from bench.conditions import BUSY
from bench.contenders import ALL as CONTENDERS
from bench.probes import ALL as PROBES
from bench.probes.base import percentile
from bench.publish import BEGIN, END, publish
from bench.results import Results, Run, Spread, read
from bench.targets import TARGETS, Measure
from bench.verdicts import throughput_measures


def run(contender: str, workers: int, number: int, rate: float, floor16: float = 8000.0) -> Run:
    return Run(contender, workers, 1000, round(rate), 1.0, True, number, floor16)


@pytest.fixture
def results() -> Results:
    found = Results({"date": "2026-01-01 00:00 UTC", "PostgreSQL": "PostgreSQL 18"})
    found.labels = {"wedsql-batch": ("ours", "batched"), "a-peer": ("peer", "a peer <1>")}
    for number, rate in enumerate((24_000, 40_000, 16_000), start=1):
        found.runs += [run("wedsql-batch", 2, number, rate), run("a-peer", 16, number, 2_000)]
        found.floors.append({"round": number, "clients": 16, "rate": 8000.0, "one_statement": False})
    return found


def test_spread_is_median_and_extremes() -> None:
    assert Spread.of([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)


def test_a_ratio_is_to_the_floor_measured_around_that_very_run() -> None:
    assert run("x", 1, 1, 4000, floor16=8000).ratio == 0.5
    assert run("x", 1, 1, 4000, floor16=4000).ratio == 1.0


def test_targets_are_judged_by_the_median_ratio(results: Results) -> None:
    measures = {measure.key: measure for measure in throughput_measures(results)}
    assert measures["batch"].value == 3.0
    assert measures["batch"].verdict == "met"
    assert measures["best-peer"].value == 12.0


def test_what_did_not_run_has_no_figure(results: Results) -> None:
    keys = {measure.key for measure in throughput_measures(results)}
    assert "step16" not in keys
    results.measures = throughput_measures(results)
    line = next(line for line in report.render(results).splitlines() if "one commit a step, 16" in line)
    assert "not measured" in line and "met" not in line.split("not measured")[1].replace("in this run", "")


@pytest.mark.parametrize(
    ("key", "value", "verdict"),
    [
        ("latency-p50", 3.5, "met"),
        ("latency-p50", 3.6, "NOT MET"),
        ("step16", 0.60, "met"),
        ("step16", 0.59, "NOT MET"),
        ("start-web", 1.0, ""),
    ],
)
def test_verdicts_follow_the_sign_of_the_target(key: str, value: float, verdict: str) -> None:
    assert Measure(key, "some figure", value).verdict == verdict


def test_a_failed_peer_is_in_the_report_with_its_reason(results: Results) -> None:
    results.failures["lost-peer"] = "not installed: lost-peer"
    assert "lost-peer  not installed: lost-peer" in report.render(results)


def test_the_record_reads_back_as_it_was(results: Results, tmp_path: Path) -> None:
    results.measures = throughput_measures(results)
    results.write(tmp_path / "run.json")
    back = read(tmp_path / "run.json")
    assert back.runs == results.runs
    assert back.measures == results.measures
    assert report.render(back) == report.render(results)


def test_the_chart_has_a_bar_for_each_contender_in_the_order_of_their_figures(results: Results) -> None:
    drawn = ElementTree.fromstring(chart.draw(results))  # noqa: S314 - drawn just now
    space = "{http://www.w3.org/2000/svg}"
    bars = [bar.get("class") for bar in drawn.iter(f"{space}rect")]
    words = [text.text for text in drawn.iter(f"{space}text")]
    assert bars == ["ours", "peer"]
    assert "a peer <1>, 16" in words
    assert drawn.get("role") == "img"


def test_publishing_replaces_the_figures_and_nothing_else(results: Results, tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"before\n{BEGIN}\nold figures\n{END}\nafter\n")
    results.measures.append(Measure("free", "a figure without a target", 5.7, "commits"))
    for _ in range(2):
        publish(results, tmp_path)
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n")
    assert "old figures" not in text
    assert text.count("| a figure without a target | 5.70 commits |") == 1
    assert text.count("| batched | 2 | 24,000 | 16,000 to 40,000 | 3.00 | 2.00 to 5.00 |") == 1
    assert (tmp_path / "performance.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(("load", "expected"), [("1.0", False), ("1.1", True), ("11.8", True)])
def test_a_run_on_a_busy_machine_says_so(results: Results, tmp_path: Path, load: str, expected: bool) -> None:
    results.conditions |= {"system": "Linux, 2 cores, 24 GB", "load before the run": load}
    (tmp_path / "performance.md").write_text(f"{BEGIN}{END}")
    publish(results, tmp_path)
    assert (BUSY in (tmp_path / "performance.md").read_text()) is expected
    assert (BUSY in report.render(results)) is expected


def test_publishing_refuses_a_page_without_its_marks(results: Results, tmp_path: Path) -> None:
    (tmp_path / "performance.md").write_text("no marks")
    with pytest.raises(ValueError, match="marks"):
        publish(results, tmp_path)
    assert (tmp_path / "performance.md").read_text() == "no marks"


def test_percentile_takes_the_nearest_rank() -> None:
    values = [float(n) for n in range(1, 101)]
    assert percentile(values, 0.99) == 99.0
    assert percentile(values, 0.5) == 50.0
    assert percentile([7.0], 0.99) == 7.0


def test_names_are_distinguished() -> None:
    names = [contender.name for contender in CONTENDERS] + list(PROBES)
    assert len(names) == len(set(names))
    assert all("," not in name for name in names)


def test_every_target_of_a_contender_names_one_that_exists() -> None:
    from bench.verdicts import _RATIOS

    known = {contender.name for contender in CONTENDERS}
    assert {contender for _, contender, _ in _RATIOS} <= known
    assert {key for key, _, _ in _RATIOS} <= set(TARGETS)
