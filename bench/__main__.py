"""``python -m bench``: run the benchmark, print the report, save the record."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import conditions, report
from bench.cluster import Cluster
from bench.contenders import ALL as CONTENDERS
from bench.contest import Contest, Plan, print_line
from bench.probes import ALL as PROBES
from bench.probes import ONLY_BY_NAME
from bench.probes.base import Stage
from bench.publish import publish
from bench.results import Results, default_path, read
from bench.verdicts import throughput_measures

_FULL = Plan(rounds=3, limit=3.0, floor_seconds=2, quick=False)
_QUICK = Plan(rounds=1, limit=2.0, floor_seconds=1, quick=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments select; return 1 when a contender of WED-SQL or a probe failed."""
    options = _parse(arguments)
    if options.publish:
        publish(read(options.publish))
        return 0
    # As on Ctrl-C: a terminated run must not leave its server and its workers behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    results = _measure(options)
    path = options.json or default_path()
    results.write(path)
    sys.stdout.write(report.render(results) + f"\n\nRaw runs: {path}\n")
    ours = [name for name in results.failures if results.labels.get(name, ("ours",))[0] == "ours"]
    return 1 if ours else 0


def _measure(options: argparse.Namespace) -> Results:
    plan = _plan(options)
    chosen: set[str] = options.only
    contenders = [c for c in CONTENDERS if not chosen or {c.name, c.kind} & chosen]
    with Cluster() as cluster:
        results = Results(conditions.describe(cluster))
        if contenders or "floor" in chosen:
            Contest(cluster, contenders, plan, results).run()
            results.measures += throughput_measures(results)
        _probe(cluster, plan, chosen, results)
    return results


def _probe(cluster: Cluster, plan: Plan, chosen: set[str], results: Results) -> None:
    stage = Stage(cluster, plan.quick)
    for name, probe in PROBES.items():
        wanted = {name} if name in ONLY_BY_NAME else {name, "probes"}
        if not wanted & (chosen or {"probes"}):
            continue
        print_line(f"measuring {name}")
        try:
            results.measures += probe(stage)
        except Exception as error:  # noqa: BLE001 - the other measures still run; the reason is reported
            results.failures[name] = f"{type(error).__name__}: {error}"
            print_line(f"{name} failed: {error}")


def _plan(options: argparse.Namespace) -> Plan:
    base = _QUICK if options.quick else _FULL
    return Plan(options.rounds or base.rounds, options.limit or base.limit, base.floor_seconds, base.quick)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, under two minutes")
    names = ", ".join(sorted(_known_names()))
    parser.add_argument("--only", type=_names, default=set(), help=f"comma separated, of: {names}")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (3; with --quick 1)")
    parser.add_argument("--limit", type=float, help="seconds after which a race is cut (3; with --quick 2)")
    parser.add_argument("--json", type=Path, help="where to write the raw runs (bench/results/<time>.json)")
    parser.add_argument("--publish", type=Path, metavar="JSON", help="only put a recorded run into the docs")
    options = parser.parse_args(arguments)
    if unknown := options.only - _known_names():
        parser.error(f"--only: no such name: {', '.join(sorted(unknown))}")
    return options


def _names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",") if name.strip()}


def _known_names() -> set[str]:
    return {"floor", "ours", "peer", "probes", *(c.name for c in CONTENDERS), *PROBES}


if __name__ == "__main__":
    sys.exit(main())
