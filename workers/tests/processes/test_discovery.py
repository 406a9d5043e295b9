"""A `transitions.py` that cannot be loaded does not affect the others, and is reported."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from testkit.processes import Processes
from testkit.waiting import until
from wedsql_site.environment import CHECKOUT
from workers.registry import DuplicateTransition, Registry, RegistryError
from workers.tests.conftest import pass_time
from workers.tests.processes.test_cluster import Db, all_final, cluster, db, flow, start

__all__ = ["db", "flow"]

BROKEN = {
    "import": "import no_such_module_anywhere",
    "syntax": "def f(:",
    "exit": "raise SystemExit(3)",
    "half": "from workers import transition\n@transition('tr_half')\ndef half(state, ctx): ...\n1 / 0",
    "bare": "from workers import transition\n@transition\ndef bare_one(state, ctx): ...",
    "twice": "from workers import transition\n@transition('act_again')\ndef again_too(state, ctx): ...",
    "args": "from workers import transition\n@transition('tr_args')\ndef too_few(state): ...",
}
EXPECTED_TEXTS = {
    "import": "No module named 'no_such_module_anywhere'",
    "syntax": "SyntaxError",
    "exit": "SystemExit: 3",
    "half": "ZeroDivisionError",
    "bare": 'write @transition("tr_name") above it',
    "twice": "'act_again' in any flow is already performed by",
    "args": "a handler takes (state, ctx)",
}


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment whose settings install an app for each kind of error, besides the test's handlers."""
    for name, text in BROKEN.items():
        app = tmp_path / f"broken_{name}"
        app.mkdir()
        (app / "__init__.py").touch()
        (app / "transitions.py").write_text(text + "\n")
    apps = [f"broken_{name}" for name in BROKEN]
    (tmp_path / "broken_settings.py").write_text(
        f"from workers.tests.processes.settings import *\nINSTALLED_APPS = [*INSTALLED_APPS, *{apps!r}]\n"
    )
    yield {
        "DJANGO_SETTINGS_MODULE": "broken_settings",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(CHECKOUT)]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cluster", "process"])
def test_the_other_handlers_are_served_and_each_problem_is_logged_once(
    processes: Processes, flow: str, db: Db, broken: dict[str, str], kind: str
) -> None:
    if kind == "cluster":
        cluster(processes, **broken)
    else:
        processes.manage("wedworker", "--flow", flow, "--processes", "2", **broken)
    until(all_final(db, start(db, flow, "mark", 5)), what=processes.output)
    pass_time(1)  # for messages that would be repeated
    output = processes.output()
    for name, expected_text in EXPECTED_TEXTS.items():
        assert output.count(expected_text) == 1, (name, output)
    query = "select distinct problems from wedsql.worker where %s = any (serves)"
    rows = db.execute(query, [f"{flow}:act_mark"]).fetchall()
    assert len(rows) == 1 and all(expected_text in rows[0][0] for expected_text in EXPECTED_TEXTS.values())
    assert f"{processes.folder}/broken_args/transitions.py" in rows[0][0]
    served = db.execute("select 1 from wedsql.worker where %s = any (serves)", [f"{flow}:act_again"])
    assert served.fetchone() is None, "of two handlers for one transition neither is trusted"


def test_check_reports_all_problems_as_warnings(processes: Processes, broken: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=CHECKOUT,
        env=processes.environ(**broken, WEDSQL_PROCESS="admin"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("wedsql.W020") == len(BROKEN)
    assert all(expected_text in done.stderr for expected_text in EXPECTED_TEXTS.values())


def test_without_a_name_in_parentheses_it_is_rejected() -> None:
    registry = Registry()
    with pytest.raises(RegistryError, match="write @transition"):

        @registry.transition  # type: ignore[arg-type]
        def ship(state: Any, ctx: Any) -> None: ...


def test_of_three_handlers_for_one_transition_none_is_served() -> None:
    registry = Registry()
    for number in range(3):

        def ship(state: Any, ctx: Any, number: int = number) -> None: ...

        with registry.collecting(f"module {number}"):
            registry.transition("tr_ship")(ship)
    assert registry.find("f", "tr_ship") is None and len(registry.problems) == 2
    with pytest.raises(DuplicateTransition):
        registry.transition("tr_ship")(lambda state, ctx: None)


def test_a_module_that_fails_serves_nothing_of_it() -> None:
    registry = Registry()
    with registry.collecting("good"):
        registry.transition("tr_good")(lambda state, ctx: None)
    with registry.collecting("bad"):
        registry.transition("tr_bad")(lambda state, ctx: None)
        raise RuntimeError("half-way")
    assert registry.find("f", "tr_good") and not registry.find("f", "tr_bad")
    assert "half-way" in str(registry.problems[0])
