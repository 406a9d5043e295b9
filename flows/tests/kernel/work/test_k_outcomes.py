"""The outcomes in the log of jobs: each is one that is known, with a label, and an attempt or none."""

from __future__ import annotations

import re

import pytest

from flows.filters.history import ATTEMPT
from flows.tests.kit import Kit
from pages.labels import OUTCOME

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken")]
ATTEMPTS = {"failed", "expired", "ended", "timeout", "aborted", "lost"}
WRITERS = """
select p.prosrc from pg_proc p where p.pronamespace = 'wedsql'::regnamespace
  and (p.prosrc ~ 'insert into wedsql.job_log' or p.prosrc ~ '_(let_go|count_attempt)\\(')
"""
# An outcome follows the time, or the person, of a row.
WRITTEN = re.compile(r"(?:now\(\)|[pv]_now), '(\w+)'|_let_go\(\w+, \w+, '(\w+)'|_count_attempt\([^']*'(\w+)'")


def test_each_outcome_that_the_kernel_writes_has_a_label(kit: Kit) -> None:
    found = {
        name for row in kit.rows(WRITERS) for each in WRITTEN.findall(row.prosrc) for name in each if name
    }
    assert {"given", "transferred", "extended", "failed", "expired", "parked"} <= found
    assert found <= OUTCOME.keys()


def test_each_outcome_is_an_attempt_or_none(kit: Kit) -> None:
    """An outcome that is new is none until it is named here: what people do with a task is no failure."""
    counted = {name for name in OUTCOME if kit.one("select wedsql._is_attempt(%s)", [name])}
    filtered = {
        name for name in OUTCOME if kit.one(f"select {ATTEMPT} from (select %s as outcome) l", [name])
    }
    assert counted == filtered == ATTEMPTS
