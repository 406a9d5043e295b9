#!/bin/sh
# feelin 8.2.0 (npm): ranges whose first end is the greater one, and durations by numbers.
# Guess: no value is in [3..1], as DMN 1.5 (10.3.2.15, Table 55) makes it two comparisons; half of an hour is PT30M.
# Seen: 2 is in [3..1], and between 3 and 1; a duration divided by a number is null.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund feelin@8.2.0
cat > ask.cjs <<'JS'
const { evaluate } = require("feelin");
for (const text of ["2 in [3..1]", "2 between 3 and 1", 'duration("PT1H") / 2'])
  console.log(text, "->", evaluate(text).value);
JS
seen=$(node ask.cjs)
printf '%s\n' "$seen"
test "$seen" = '2 in [3..1] -> true
2 between 3 and 1 -> true
duration("PT1H") / 2 -> null' || { echo "This has changed." >&2; exit 1; }
