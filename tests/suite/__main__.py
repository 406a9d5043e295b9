"""`python -m tests.suite [PART ...]`: run the parts of `make test`, or those named.

--long: every mode, both servers, all settings; the result is written to tests/suite/long.json.
--resume: go on with a run of the same commit that was interrupted.
--record: write the durations by which the next runs are cut to tests/suite/durations.json.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.suite import durations, execution, flakiness, interruption, parts, report, shards

LONG = Path(__file__).with_name("long.json")


def main() -> int:
    """Return 1 when a test failed, or a part ran none."""
    asked = _arguments()
    wanted = parts.named(asked.parts, asked.long)
    if asked.long:
        os.environ["WEDSQL_LONG"] = "1"  # random tests run with more seeds
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        cut = shards.cut(wanted, durations.read())
        results = _run(cut, Path(folder), asked)
        passed_alone, failed = execution.run_again(results, Path(folder))
    now = report.summary(results, time.monotonic() - began) | ({"resumed": True} if asked.resume else {})
    earlier = LONG if asked.long else report.FILE
    print(report.show(now, report.read(earlier)))
    report.write_tests(results)
    if asked.record:
        durations.write(report.by_part(results), [part.name for part in wanted])
    if not asked.parts:
        report.write(now, earlier)
    return _verdict(results, passed_alone, failed)


def _run(cut: list[shards.Shard], folder: Path, asked: argparse.Namespace) -> list[execution.Result]:
    """Run the shards; with --resume only those that have not ended at this commit."""
    commit = report.commit()
    before = interruption.kept(cut, commit) if asked.resume else interruption.forget() or []
    done = {id(result.shard) for result in before}
    left = [shard for shard in cut if id(shard) not in done]
    print(f"{len(before)} shards have ended before; {len(left)} are run." if asked.resume else "", flush=True)
    kept = functools.partial(interruption.keep, commit=commit)
    results = before + execution.run_all(left, folder, asked.at_once, kept)
    interruption.forget()
    return results


def _verdict(results: list[execution.Result], passed_alone: list[str], failed: list[str]) -> int:
    """Print what failed and the counts, and return the exit code."""
    again = flakiness.judge(passed_alone)
    for test in passed_alone:
        print(f"FAILED AT FIRST, passed alone{', and is listed already' if test in again else ''}: {test}")
    for test in failed:
        print(f"FAILED: {test}")
    broken = [result.shard.name for result in results if result.broken()] + _empty(results)
    for name in broken:
        print(f"FAILED: {name}: pytest did not end as expected, or ran no test")
    total = {outcome: sum(result.count(outcome) for result in results) for outcome in ("passed", "skipped")}
    wrong = len(failed) + len(again) + len(broken)
    print(f"\n{total['passed'] + len(passed_alone)} passed, {wrong} failed, {total['skipped']} skipped")
    return int(wrong > 0)


def _empty(results: list[execution.Result]) -> list[str]:
    """Return the parts of which no test ran."""
    tests: dict[str, int] = {}
    for result in results:
        tests[result.shard.part.name] = tests.get(result.shard.part.name, 0) + len(result.tests)
    return [name for name, number in tests.items() if not number]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.suite", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--at-once", type=int, default=execution.AT_ONCE)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
