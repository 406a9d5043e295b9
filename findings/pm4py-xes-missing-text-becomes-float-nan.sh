#!/bin/sh
# pm4py 2.7.23.11 (PyPI): a log in XES in which one event has attributes that another one has not.
# Guess: what an event does not have is left out when the log is written again.
# Seen: each event gets every attribute; a missing text, id or truth value is written as a float "nan", so that one
# key has two types in the file, and a whole number turns into a float and is rounded.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet pm4py==2.7.23.11 2>/dev/null
cat > before.xes <<'X'
<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0"><trace><string key="concept:name" value="1"/>
  <event><string key="concept:name" value="A"/><date key="time:timestamp" value="2026-10-25T02:30:00+02:00"/>
    <string key="clerk" value="x"/><boolean key="ok" value="true"/><int key="number" value="9007199254740993"/></event>
  <event><string key="concept:name" value="B"/><date key="time:timestamp" value="2026-10-25T02:30:00+01:00"/></event>
</trace></log>
X
cat > again.py <<'PY'
import re

import pm4py

pm4py.write_xes(pm4py.read_xes("before.xes"), "after.xes", show_progress_bar=False)
for line in open("after.xes"):
    if re.search(r'key="(clerk|ok|number)"', line):
        print("seen", line.strip())
PY
venv/bin/python -W ignore again.py > output 2> errors || { cat errors >&2; exit 1; }
seen=$(sed -n 's/^seen //p' output)
printf '%s\n' "$seen"
test "$seen" = '<string key="clerk" value="x" />
<boolean key="ok" value="true" />
<float key="number" value="9007199254740992.0" />
<float key="clerk" value="nan" />
<float key="ok" value="nan" />
<float key="number" value="nan" />' || { echo "This has changed." >&2; exit 1; }
