#!/bin/sh
# js-feel 1.4.7 (npm): functions of lists, and dates.
# Guess: concatenate([1], [2]) is [1, 2], a date is not before itself, February is month 2, substring("foobar", 3) is "obar".
# Seen: the lists that are put together end with all the data of the evaluation (a leak where they are shown), equal dates are
# each before and after each other, months begin at 0, substring without a length is empty, and decimal() is a text.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund js-feel@1.4.7
cat > ask.cjs <<'JS'
const { feel } = require("js-feel")();
const data = { secret: 7 };
(async () => {
  for (const text of ["concatenate([1], [2])", "union([1], [2])", 'date("2026-02-28") < date("2026-02-28")',
    'date("2026-02-28").month', 'substring("foobar", 3)', "decimal(1, 2)", "true and null"])
    console.log(text, "->", JSON.stringify(await feel.parse(text).build({ ...data })));
})();
JS
seen=$(node ask.cjs)
printf '%s\n' "$seen"
test "$seen" = 'concatenate([1], [2]) -> [1,2,{"secret":7}]
union([1], [2]) -> [[1],[2],{"secret":7}]
date("2026-02-28") < date("2026-02-28") -> true
date("2026-02-28").month -> 1
substring("foobar", 3) -> ""
decimal(1, 2) -> "1.00"
true and null -> false' || { echo "This has changed." >&2; exit 1; }
