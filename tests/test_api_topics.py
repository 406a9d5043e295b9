"""The public API has topics of at most 40 names; those of version 1.0.0 work once more, with a warning."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
import warnings
from collections import Counter

import pytest

import flows.api
from testkit.api_functions import functions, of_topic, topics
from tests.api_page import page
from tests.imports import ROOT

PAGE = ROOT / "docs" / "python-api.md"
LIMIT = 40
RELEASED = (
    "cancel", "check_invariants", "check_predicate", "complete", "complete_many", "create_flow",
    "data_directory", "definition", "drop_flow", "extend", "fail", "fail_many", "heartbeat", "lease_many",
    "maintain", "next_due", "offer", "publish", "reap", "register_worker", "release", "rematch",
    "report_disk", "schema_name", "start", "start_many", "take", "take_many", "unregister_worker",
)  # fmt: skip
"""the public functions of flows.api in version 1.0.0"""


def test_every_topic_has_few_names_and_says_what_it_is_about() -> None:
    assert len(topics()) > 20
    assert {
        name: len(of_topic(found)) for name, found in topics().items() if len(of_topic(found)) > LIMIT
    } == {}
    assert [
        name for name, found in topics().items() if not of_topic(found) or not inspect.getdoc(found)
    ] == []


def test_every_module_of_the_package_is_a_topic() -> None:
    files = {path.stem for path in (ROOT / "flows" / "api").glob("*.py")} - {"__init__"}
    assert files == set(topics())


def test_every_function_is_in_one_topic_and_says_what_it_does() -> None:
    times = Counter(found for topic in topics().values() for found in of_topic(topic).values())
    assert {found.__name__ for found, number in times.items() if number > 1} == set()
    assert len(functions()) == len(times), "two functions are defined with one name"
    assert [name for name, found in functions().items() if not inspect.getdoc(found)] == []


def test_the_package_itself_has_no_functions() -> None:
    known = {*topics(), *RELEASED, "annotations", "warnings", "TYPE_CHECKING", "Any"}
    assert {name for name in vars(flows.api) if not name.startswith("_")} <= known
    assert not hasattr(flows.api, "claim_case"), "a name that no release had"


@pytest.mark.parametrize("name", RELEASED)
def test_a_name_of_the_first_version_is_the_same_function_with_one_warning(name: str) -> None:
    vars(flows.api).pop(name, None)
    with pytest.warns(
        DeprecationWarning, match=rf"flows\.api\.{name} is deprecated: call flows\.api\."
    ) as seen:
        found = getattr(flows.api, name)
    assert found is functions()[found.__name__] and found.__name__ == name
    assert len(seen) == 1 and seen[0].filename == __file__, "it names the caller"
    topic, called = str(seen[0].message).rpartition("flows.api.")[2].split(".")
    assert getattr(topics()[topic], called) is found
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(flows.api, name) is found, "it warns once"
    vars(flows.api).pop(name)


def test_an_import_of_a_name_of_the_first_version_works() -> None:
    program = "from flows.api import start, take_many; print(start.__name__, take_many.__name__)"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["start", "take_many"]
    assert "flows.api.start is deprecated: call flows.api.instances.start" in done.stderr


def test_the_names_of_the_first_version_are_all_there() -> None:
    assert set(importlib.import_module("flows.api")._RELEASED) == set(RELEASED)


def test_the_page_has_every_function() -> None:
    if os.environ.get("WEDSQL_WRITE_API"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), (
        f"WEDSQL_WRITE_API=1 python -m pytest tests/test_api_topics.py writes docs/{PAGE.name}"
    )
