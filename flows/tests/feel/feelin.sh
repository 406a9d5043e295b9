#!/bin/sh
# Write what feelin 8.2.0 answers to the expressions of feel_corpus.py: sh flows/tests/feel/feelin.sh
set -eu
cd "$(dirname "$0")/../../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" feelin@8.2.0
"${PYTHON:-.venv/bin/python}" -c '
import json
from flows.tests.feel.feel_corpus import IN_FEEL, STATE, expressions
print(json.dumps({"state": STATE, "written": IN_FEEL, "texts": expressions()}))' > "$folder/asked.json"
cat > "$folder/ask.cjs" <<'JS'
const { evaluate } = require("feelin");
const { state, written, texts } = require("./asked.json");
for (const name in written) state[name] = evaluate(written[name]).value;
const answer = (text) => { try { return evaluate(text, state).value; } catch { return "error"; } };
const lines = texts.map((text) => `${JSON.stringify(text)}: ${JSON.stringify(answer(text))}`);
console.log(`{\n${lines.join(",\n")}\n}`);
JS
node "$folder/ask.cjs" > flows/tests/corpus/feelin-8.2.0.json
