#!/bin/sh
# pm4py 2.7.23.11 (PyPI): an object-centric log (OCEL 2.0, JSON) that is read and written again.
# Guess: declared types stay, and so does the time since when an object has had its first value.
# Seen: each attribute is declared a string, though its values are written as numbers and truth values; and the first value
# of an attribute has held since 1970, whatever the file said. Later values keep their times.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet pm4py==2.7.23.11 2>/dev/null
cat > before.jsonocel <<'J'
{"objectTypes": [{"name": "order", "attributes": [{"name": "total", "type": "integer"}]}],
 "eventTypes": [{"name": "pay", "attributes": [{"name": "ok", "type": "boolean"}]}],
 "objects": [{"id": "o1", "type": "order", "attributes": [
   {"name": "total", "time": "2026-10-25T02:00:00+02:00", "value": "1"},
   {"name": "total", "time": "2026-10-26T02:00:00+01:00", "value": "2"}]}],
 "events": [{"id": "e1", "type": "pay", "time": "2026-10-25T02:30:00+02:00",
   "attributes": [{"name": "ok", "value": "false"}], "relationships": [{"objectId": "o1", "qualifier": "pays"}]}]}
J
cat > again.py <<'PY'
import json

import pm4py

pm4py.write_ocel2_json(pm4py.read_ocel2_json("before.jsonocel"), "after.jsonocel")
log = json.load(open("after.jsonocel"))
for kind in ("objectTypes", "eventTypes", "objects", "events"):
    for each in log[kind]:
        print("seen", json.dumps(each["attributes"]))
PY
venv/bin/python -W ignore again.py > output 2> errors || { cat errors >&2; exit 1; }
seen=$(sed -n 's/^seen //p' output)
printf '%s\n' "$seen"
test "$seen" = '[{"name": "total", "type": "string"}]
[{"name": "ok", "type": "string"}]
[{"name": "total", "time": "1970-01-01T00:00:00Z", "value": 1}, {"name": "total", "time": "2026-10-26T01:00:00+00:00", "value": 2}]
[{"name": "ok", "value": false}]' || { echo "This has changed." >&2; exit 1; }
