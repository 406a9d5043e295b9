#!/bin/sh
# feelin 8.2.0 (npm): positions that count from the end, and numbers that end at 0.
# Guess: -1 is the last position (DMN 1.5, 10.3.4.4), 3..0 counts down as 3..1 does, and [on] keeps an item with on: true.
# Seen: remove(list, -1) takes the item before the last one, insert before(list, -1, x) puts x before the item before it,
# one loop has no value, and the filter by a truth value that is an entry keeps nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund feelin@8.2.0
cat > ask.cjs <<'JS'
const { evaluate } = require("feelin");
for (const text of ["[1, 2, 3][-1]", "remove([1, 2, 3], -1)", "insert before([1, 2, 3], -1, 9)",
  "for x in 3..1 return x", "for x in 3..0 return x", "[{on: true}][on]", "[{on: true}][on = true]"])
  console.log(text, "->", JSON.stringify(evaluate(text).value));
JS
seen=$(node ask.cjs)
printf '%s\n' "$seen"
test "$seen" = '[1, 2, 3][-1] -> 3
remove([1, 2, 3], -1) -> [1,3]
insert before([1, 2, 3], -1, 9) -> [1,9,2,3]
for x in 3..1 return x -> [3,2,1]
for x in 3..0 return x -> null
[{on: true}][on] -> []
[{on: true}][on = true] -> [{"on":true}]' || { echo "This has changed." >&2; exit 1; }
