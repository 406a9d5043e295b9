#!/bin/sh
# pm4py 2.7.23.11 (PyPI): a trace in XES whose second event has the earlier time, as after a clock was put back.
# Guess: the order of the events in the file is kept, since XES orders the events of a trace by it.
# Seen: what follows what is found in the order of the times, and which activity is the first in the order of the file: one
# log has "B, then A" and begins with A. Equal times keep the file's order. Each of the events "start" and "complete" of an
# activity counts as an execution.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet pm4py==2.7.23.11 2>/dev/null
cat > run.py <<'PY'
import pm4py

EVENT = """<event><string key="concept:name" value="{}"/><string key="lifecycle:transition" value="{}"/>
  <date key="time:timestamp" value="2026-10-25T{}+00:00"/></event>"""


def follow(name, *events):
    with open("log.xes", "w") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?><log xes.version="1849.2023"><trace>'
                   '<string key="concept:name" value="1"/>' + "".join(EVENT.format(*each) for each in events) + "</trace></log>")
    graph, first, last = pm4py.discover_dfg(pm4py.read_xes("log.xes"))
    print("seen", name, sorted(graph.items()), sorted(first), sorted(last))


follow("earlier", ("A", "complete", "02:30:00"), ("B", "complete", "02:29:59"), ("C", "complete", "02:31:00"))
follow("equal", ("C", "complete", "02:30:00"), ("A", "complete", "02:30:00"), ("B", "complete", "02:30:00"))
follow("lifecycle", ("A", "start", "02:30:00"), ("A", "complete", "02:31:00"))
PY
venv/bin/python -W ignore run.py > output 2> errors || { cat errors >&2; exit 1; }
seen=$(sed -n 's/^seen //p' output)
printf '%s\n' "$seen"
test "$seen" = "earlier [(('A', 'C'), 1), (('B', 'A'), 1)] ['A'] ['C']
equal [(('A', 'B'), 1), (('C', 'A'), 1)] ['C'] ['B']
lifecycle [(('A', 'A'), 1)] ['A'] ['A']" || { echo "This has changed." >&2; exit 1; }
