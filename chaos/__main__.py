"""`python -m chaos --seed N [--only f2,f4] [--quick] [--minutes M]`: inject faults and count losses."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import time
import traceback

from chaos import table
from chaos.run import Row, Run, print_line
from testkit.server import new_directory

FULL_MINUTES = 20.0
QUICK = 0.2


def main() -> int:
    """Return 1 when a guarantee was violated, 2 when a name in --only is unknown, else 0."""
    options = _options()
    os.environ["CHAOS_SEED"] = str(options.seed)
    from chaos.faults import FAULTS
    from chaos.template import prepared

    unknown = set(options.only) - set(FAULTS)
    if unknown:
        print_line(f"There is no fault {', '.join(sorted(unknown))}. There are: {', '.join(FAULTS)}.")
        return 2
    home = new_directory(f"wedsql-chaos-{os.getpid()}-")
    print_line(f"seed {options.seed}: python -m chaos --seed {options.seed} repeats this run")
    try:
        run = Run(options.seed, home, prepared(home), options.scale)
        for key in options.only or FAULTS:
            run.rows.append(_one(run, *FAULTS[key]))
        run.template.remove()
    finally:
        shutil.rmtree(home, ignore_errors=True)
    table.print_rows(run.rows, options.seed)
    print_line(f"\n{table.write_results(run.rows, options.seed)}")
    return 0 if all(row.good for row in run.rows) else 1


def _one(run: Run, title: str, fault: object) -> Row:
    row = Row(title)
    begun = time.monotonic()
    print_line(f"{title} ...")
    try:
        fault(run, row)  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001 - a fault that cannot be injected must not prevent the others
        row.fail(f"{type(error).__name__}: {error}")
        print_line(traceback.format_exc())
    row.seconds = time.monotonic() - begun
    print_line("  " + ("skipped: " + row.skipped if row.skipped else "ok" if row.good else "BROKEN"))
    for note in row.notes:
        print_line(f"    {note}")
    return row


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="decides every choice")  # noqa: S311
    parser.add_argument("--only", default="", help="faults, with commas between: f2,f4")
    parser.add_argument("--quick", action="store_true", help="about five minutes")
    parser.add_argument("--minutes", type=float, default=FULL_MINUTES, help="how long the whole takes, about")
    options = parser.parse_args()
    options.only = [word for word in options.only.lower().split(",") if word]
    options.scale = QUICK if options.quick else options.minutes / FULL_MINUTES
    return options


if __name__ == "__main__":
    sys.exit(main())
