"""Worker processes and the reaper import nothing of pages, forms, languages and the HTTP API."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.processes import Processes
from testkit.waiting import until

pytestmark = pytest.mark.slow
ACTS = """
insert into wed_attr (aname, type, adv) values ('a', 'text', null), ('n', 'integer', '0');
insert into wed_trig (tgname, trname, cpred) values ('mark', 'act_mark', $$ a is null $$);
insert into wed_trig (cpred, cfinal) values ($$ a is not null $$, true);
"""
# What costs memory in each process, and what a worker has no use for.
NEEDLESS = (
    "autobahn",
    "axes",
    "channels",
    "cryptography",
    "daphne",
    "django.contrib.admin",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.test",
    "django_otp",
    "flows.admin",
    "flows.designer",
    "flows.languages",
    "lark",
    "monitor",
    "ninja",
    "pages.forms",
    "pglast",
    "pydantic",
    "segno",
    "twisted",
    "unittest",
    "wedsql_site.web.middleware",
    "wedsql_site.search",
    "wedsql_site.urls",
)


def imported(output: str) -> set[str]:
    """Return the modules that a process with -X importtime and its forks have imported."""
    return set(re.findall(r"^import time:[^|]+\|[^|]+\| +(\S+)$", output, re.MULTILINE))


def needless(modules: set[str]) -> list[str]:
    return sorted(each for each in modules if (each + ".").startswith(tuple(f"{one}." for one in NEEDLESS)))


@pytest.mark.parametrize("command", ["qcluster", "wedworker"])
def test_a_worker_imports_only_what_performs_jobs(
    command: str,
    processes: Processes,
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
) -> None:
    db = connect()
    (started,) = api.instances.start_many(loaded(ACTS), [{}], conn=db)
    processes.start("-X", "importtime", "manage.py", command)
    final = "select status = 'F' from wedsql.instance where wid = %s"
    until(lambda: db.execute(final, [started.wid]).fetchone() == (True,), what=processes.output)
    modules = imported(processes.output())
    assert {"workers.jobs.runner", "django.db.models"} <= modules, "the output was read"
    assert needless(modules) == []


def test_the_reaper_imports_only_what_ends_overdue_work(
    processes: Processes, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    db = connect()
    db.execute("delete from wedsql.beat where name = 'reaper'")
    more = {"Q_CLUSTER_NAME": "reaper", "WEDSQL_PROCESS": "reaper", "DATABASE_URL": processes.reaper_uri}
    processes.start("-X", "importtime", "manage.py", "qcluster", **more)
    beat = "select count(*) > 0 from wedsql.beat where name = 'reaper'"
    until(lambda: db.execute(beat).fetchone() == (True,), what=processes.output)
    modules = imported(processes.output())
    assert {"workers.reaper.rounds", "workers.alerts.deliveries"} <= modules, "the output was read"
    assert needless(modules) == []


def test_the_simulation_imports_only_what_starts_instances(processes: Processes) -> None:
    """The system checks of pages, which it does not run, import all pages."""
    process = processes.start("-X", "importtime", "manage.py", "simulate", "--for", "0.1", "--seed", "1")
    process.wait(60)
    modules = imported(processes.output())
    assert {"workers.demo.random_states", "flows.api"} <= modules, "the output was read"
    assert needless(modules) == []
