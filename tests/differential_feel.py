"""Compare FEEL with two engines of npm, over ten thousand expressions: python -m tests.differential_feel

It installs the engines in a temporary folder, asks them, and runs flows/tests/feel/feel_differences.py, which
asks the database. With --keep, it writes the answers that the tests have.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which
from typing import Any

from flows.tests.feel.feel_generation import ANSWERS, EACH, ENGINES, IN_FEEL, STATE, expressions
from wedsql_site.environment import CHECKOUT

_ASK = """
const { evaluate } = require("feelin");
const { feel } = require("js-feel")();
const fs = require("fs");
const { state, written, texts } = JSON.parse(fs.readFileSync("asked.json"));
console.log = console.error = () => {};
const plain = (value) => JSON.parse(JSON.stringify(value === undefined ? null : value));
const engines = {
  "feelin": async (text, data) => evaluate(text, data).value,
  "js-feel": async (text, data) => feel.parse(text).build({ ...data }),
};
(async () => {
  for (const [name, ask] of Object.entries(engines)) {
    const data = { ...state }, found = {};
    for (const each in written) data[each] = await ask(written[each], {});
    for (const text of texts) {
      try { found[text] = plain(await ask(text, data)); } catch { found[text] = { error: true }; }
    }
    fs.writeFileSync(`${name}.json`, JSON.stringify(found));
  }
})();
"""


def answers(folder: Path, number: int) -> None:
    """Write what the engines answer into a folder, each to its file."""
    npm, node = which("npm"), which("node")
    if npm is None or node is None:
        sys.exit("Install node and npm.")
    packages = [f"{name}@{version}" for name, version in ENGINES.items()]
    asked = {"state": STATE, "written": IN_FEEL, "texts": expressions(number)}
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    (folder / "ask.cjs").write_text(_ASK, encoding="utf-8")
    subprocess.run([npm, "install", "--silent", "--no-audit", "--no-fund", *packages], cwd=folder, check=True)
    subprocess.run([node, "ask.cjs"], cwd=folder, check=True)


def keep(folder: Path) -> None:
    """Write some of the answers of the first engine into the file of the tests."""
    found: dict[str, Any] = json.loads((folder / "feelin.json").read_text(encoding="utf-8"))
    lines = [f"{json.dumps(text)}: {json.dumps(found[text])}" for text in expressions()[::EACH]]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--number", type=int, default=10_000, help="how many expressions (10,000)")
    parser.add_argument("--folder", type=Path, help="keep the answers and the differences here")
    parser.add_argument("--keep", action="store_true", help="write the answers that the tests have")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = str(options.folder or temporary)
        answers(Path(folder), options.number)
        if options.keep:
            keep(Path(folder))
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
        environ = {**os.environ, "WEDSQL_FEEL_ANSWERS": folder}
        compared = "flows/tests/feel/feel_differences.py"
        return subprocess.run([*command, compared], cwd=CHECKOUT, env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
