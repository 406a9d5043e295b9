"""Read what is exported as BPMN with bpmn-moddle and SpiffWorkflow: python -m tests.bpmn_readers FOLDER

It exports the flows of the gallery, the patterns, the graphs of the tests, and the accepted files of the
folder, as they are (file-) and as the graphs that they become (graph-). It installs the readers in a
temporary folder, and prints what each says of each file. SpiffWorkflow checks graphs also by the schema of
BPMN.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from pathlib import Path
from shutil import which

from wedsql_site.environment import CHECKOUT

MODDLE, SPIFF = "bpmn-moddle@10.3.1", "SpiffWorkflow==3.2.0"
_MODDLE = """
import { readFileSync, writeFileSync, readdirSync } from "node:fs";
import { BpmnModdle } from "bpmn-moddle";
const found = {};
for (const name of readdirSync("files")) {
  try {
    const { warnings } = await new BpmnModdle().fromXML(readFileSync(`files/${name}`, "utf8"));
    found[name] = warnings.map((each) => each.message);
  } catch (error) { found[name] = [error.message, ...(error.warnings ?? []).map((each) => each.message)]; }
}
writeFileSync("bpmn-moddle.json", JSON.stringify(found));
"""
_SPIFF = """
import json, pathlib
from lxml import etree
from SpiffWorkflow.bpmn.parser.BpmnParser import BpmnParser, BpmnValidator
found = {}
for path in sorted(pathlib.Path("files").iterdir()):
    found[path.name] = said = []
    written = path.name.startswith("graph-")
    try:
        if written:
            BpmnValidator().validate(etree.parse(path))
        parser = BpmnParser()
        parser.add_bpmn_file(str(path))
        for process in parser.get_process_ids() if written else parser.find_all_specs():
            parser.get_spec(process)
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")
pathlib.Path("SpiffWorkflow.json").write_text(json.dumps(found))
"""
_LACKING = (
    "There is no support implemented",
    "Multiple outgoing flows are not supported",
    "outgoing sequence flow without condition",
)
"""What SpiffWorkflow does not read of valid BPMN that is written here: complex gateways, and tasks and
inclusive gateways that flows without a condition leave beside others."""


def main() -> int:
    """Export, read and report; return 1 if a reader warns of a file that is written here."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where files are that the import accepts, or not")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "files").mkdir()
        export(options.folder.resolve(), folder / "files")
        read_with_moddle(folder)
        read_with_spiff(folder)
        return report(folder)


def export(source: Path, target: Path) -> None:
    """Write the exported files."""
    environ = {**os.environ, "WEDSQL_BPMN_FOLDER": str(source), "WEDSQL_BPMN_EXPORTS": str(target)}
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
    subprocess.run(
        [*command, "flows/tests/bpmn/diagram/bpmn_exports.py"], cwd=CHECKOUT, env=environ, check=True
    )


def read_with_moddle(folder: Path) -> None:
    """Let bpmn-moddle read all files, and write its warnings."""
    npm, node = which("npm"), which("node")
    if npm is None or node is None:
        sys.exit("Install node and npm.")
    (folder / "read.mjs").write_text(_MODDLE, encoding="utf-8")
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", MODDLE]
    subprocess.run(install, cwd=folder, check=True)
    subprocess.run([node, "read.mjs"], cwd=folder, check=True)


def read_with_spiff(folder: Path) -> None:
    """Let SpiffWorkflow read all files, in an environment of its own, and write its errors."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    (folder / "read.py").write_text(_SPIFF, encoding="utf-8")
    subprocess.run([python, "-m", "pip", "install", "--quiet", SPIFF], cwd=folder, check=True)
    subprocess.run([python, "read.py"], cwd=folder, check=True)


def _is_lacking(message: str) -> bool:
    return any(each in message for each in _LACKING)


def report(folder: Path) -> int:
    """Print what the readers say, and how many files they read without a word."""
    written = 0
    for reader in ("bpmn-moddle", "SpiffWorkflow"):
        found = json.loads((folder / f"{reader}.json").read_text(encoding="utf-8"))
        silent: Counter[str] = Counter()
        for name, said in sorted(found.items()):
            kind = name.partition("-")[0]
            silent[kind] += not said
            written += kind == "graph" and any(not _is_lacking(each) for each in said)
            for each in said:
                print(f"{reader}: {name}: {' '.join(each.split())[:300]}")
        kinds = Counter(name.partition("-")[0] for name in found)
        counts = (f"{silent[kind]} of {number} ({kind})" for kind, number in sorted(kinds.items()))
        print(f"{reader} reads without a warning: {', '.join(counts)}.")
    return int(written > 0)


if __name__ == "__main__":
    sys.exit(main())
