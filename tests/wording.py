"""Refuse the worst words in texts that people read: `python -m tests.wording`, a part of `make lint`.

docs/glossary.md and the section "Wording" of CONTRIBUTING.md say what to write instead.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

BASE = Path(__file__).resolve().parents[1]
# A program is not a person, and a term of the glossary has one name.
INSTEAD = {
    "nobody": "no worker, no session ...",
    "somebody": "another worker, another user ...",
    "anybody": "a user, a worker ...",
    "told": "logged, reported, recorded, shown",
    "tell": "log, report, return, record, show",
    "tells": "logs, reports, returns, records, shows",
    "gave up": "failed, timed out, is parked",
    "gives up": "fails, times out, is parked",
    "given up": "failed, timed out, parked",
    "cared for": "maintained",
    "offence": "violation",
    "offences": "violations",
    "by turns": "alternating",
    "buried": "parked",
    "the door": "the public API",
    "stands in the way": "holds a lock",
    "patience": "timeout, deadline",
    "anew": "again",
    "live line": "live connection",
    "in the midst": "during it",
    "cannot be saved so": "cannot be saved with these values",
    "looked at so": "viewed this way",
    "nothing is to do": "no action is needed",
    "is no exception": "is not an exception",
}
WORD = re.compile(r"(?<![\w-])({})(?![\w-])".format("|".join(map(re.escape, INSTEAD))), re.IGNORECASE)
# A docstring names what a function returns: "Return the title of the flow."
VAGUE = re.compile(r'"""Return what\b')
VAGUE_IN = ("*/tests/*", "tests/*", "testkit/*", "bench/*", "chaos/*")
FILES = ("*.py", "*.sql", "*.html", "*.md", "*.js", "*.css", "Makefile")
# Other sources of words: what was released, results, inputs of tests, and the pages that name the words.
EXCLUDED = (
    "CHANGELOG.md", "docs/glossary.md", "tests/*wording.py", "*/releases/*", "*/results/*", "*/corpus/*",
    "*/vendor/*",
)  # fmt: skip
ALLOWED = {
    "nobody": ("wedsql_site/tests/*", "tests/access/*", "flows/tests/sql/inventory.sql"),  # names of users
    "somebody": ("wedsql_site/tests/*", "flows/sql/tables/0001_initial.sql"),  # a released file
    "patience": ("docs/predicates.md",),  # an attribute in an example
}


def texts() -> Iterator[str]:
    """Return the names of the files that are checked."""
    listed = subprocess.run(["git", "ls-files", "-z", *FILES], cwd=BASE, capture_output=True, text=True)
    for name in listed.stdout.split("\0"):
        if name and (BASE / name).exists() and not any(fnmatch(name, pattern) for pattern in EXCLUDED):
            yield name


def found_in(name: str, text: str) -> Iterator[str]:
    """Return a line with place, word and a better one per refused word of a text."""
    for number, line in enumerate(text.splitlines(), 1):
        for word in (match[1].lower() for match in WORD.finditer(line)):
            if not any(fnmatch(name, pattern) for pattern in ALLOWED.get(word, ())):
                yield f'{name}:{number}: "{word}"; write {INSTEAD[word]}'
        if VAGUE.search(line) and not any(fnmatch(name, pattern) for pattern in VAGUE_IN):
            yield f'{name}:{number}: "Return what"; write "Return the ..." and name it'


def main() -> int:
    """Print every refused word; return the exit code."""
    found = [line for name in texts() for line in found_in(name, (BASE / name).read_text(encoding="utf-8"))]
    sys.stdout.writelines(f"{line}\n" for line in found)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
