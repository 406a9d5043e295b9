"""Starts and steps are what `wedsql._decision` says, by the fast path and by the general one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import psycopg
import pytest

from chaos.mutants.mutation import Change, apply
from flows.tests.feel.decisions import FROZEN, Differences, Experiment
from testkit import kernel_db
from testkit.cases import examples

pytestmark = pytest.mark.kernel
FLOWS = examples(120)


@pytest.fixture
def frozen() -> Iterator[psycopg.Connection[Any]]:
    """A session of a database of its own, whose clock stands still."""
    with kernel_db.database() as uri:
        options = "-c timezone=UTC -c wedsql.test_now=2030-01-01"
        with psycopg.connect(uri, autocommit=True, prepare_threshold=None, options=options) as conn:
            conn.execute(FROZEN)
            yield conn


def run(conn: psycopg.Connection[Any], seeds: Iterable[int]) -> Counter[str]:
    """Make an experiment of a random flow for each seed; return how often each way was compared."""
    compared: Counter[str] = Counter()
    for seed in seeds:
        experiment = Experiment(conn, seed)
        if experiment.publish():
            experiment.run()
            compared += experiment.compared
    return compared


def test_each_way_of_a_step_does_what_is_decided(frozen: psycopg.Connection[Any]) -> None:
    compared = run(frozen, range(FLOWS))
    assert min(compared[way] for way in ("start", "fast", "general")) >= FLOWS, compared


WIDE = Change(("_is_wide",), "> 64", "> 0")


def test_each_way_of_a_step_of_a_wide_flow_does_what_is_decided(frozen: psycopg.Connection[Any]) -> None:
    apply(frozen, [WIDE])
    compared = run(frozen, range(FLOWS))
    assert min(compared[way] for way in ("start", "fast", "general")) >= FLOWS, compared


PLANTED = {
    "fast: a final state beside pending work": Change(
        ("_gen_fast_path",), "exit fast_path when v_others or v_job", "exit fast_path when v_job"
    ),
    "fast: what a final state suppresses": Change(
        ("_gen_fast_path",), "v_suppressed := wedsql._suppressed(v_job.final_tgid, v_matched);", ""
    ),
    "fast: an exception": Change(("_gen_fast_path",), "exit fast_path when v_status = 'E';", ""),
    "general: what fires": Change(
        ("_settle",), "where t.tgid = any (c.fires)", "where t.tgid = any (u.matched)"
    ),
    "general: options": Change(("_apply_options",), "p_step.matched := v_found.acting;", ""),
    "general: timers": Change(
        ("_apply_options",),
        "delete from wedsql.timer x where x.wid = p_step.wid and not v_found.timers ? x.tgid::text;",
        "",
    ),
    "general: withdrawal": Change(("_apply_options",), "v_found.withdrawn <> '{}'", "false"),
}

# Seeds whose flows find those that are found late; they are tried first.
FIRST = (17, 31, 66)


PLANTED_IN_WIDE = {
    "fast: what it leaves": Change(("_state_parts",), "v_job.last - v_changed", "'{}'::jsonb"),
    "fast: what it changes": Change(("_state_parts",), "v_after || ", ""),
    "general: what it leaves": Change(("_new_state",), "(h.state - array", "('{}'::jsonb - array"),
    "general: what it changes": Change(
        ("_new_state",), "{values} || ", "({values} - '{a,b,c,d}'::text[]) || "
    ),
}


@pytest.mark.parametrize("planted", PLANTED_IN_WIDE.values(), ids=PLANTED_IN_WIDE)
def test_a_planted_difference_of_wide_flows_is_found(
    frozen: psycopg.Connection[Any], planted: Change
) -> None:
    apply(frozen, [WIDE, planted])
    with pytest.raises(Differences, match="'recorded'"):
        run(frozen, range(160))


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
def test_a_planted_difference_is_found(frozen: psycopg.Connection[Any], planted: Change) -> None:
    apply(frozen, [planted])
    with pytest.raises(Differences):
        run(frozen, [*FIRST, *range(160)])  # ends with the first
