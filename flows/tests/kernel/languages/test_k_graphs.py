"""Graphs as flows: the kernel visits what a reference interpreter visits, in any order of the workers."""

from __future__ import annotations

import json
import os
from collections import Counter
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from flows import api
from flows.languages.graph import Graph, read
from flows.languages.graph.compiler import compile_graph
from flows.languages.graph.history import Visit, visits, walked
from flows.tests.kit import Kit, broken
from flows.types import Completion

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

X = """
R = [{r1, a, b}, {r2, b, c}, {r3, b, d}, {r4, c, e}, {r5, c, f}, {r6, d, g}, {r7, e, h},
     {r8, h, j}, {r9, f, i}, {r10, i, j}, {r11, f, g}, {r12, g, j}, {r13, j, k}].
"""


# Rows and scans of the history that this transaction has read.
READS = """
    select sum(pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_tuples_returned(c.oid)
               + pg_stat_get_xact_tuples_fetched(c.oid))
    from pg_class c where c.oid in (
      select t.relid from pg_partition_tree('wedsql.wed_trace') t
      union all
      select i.indexrelid from pg_partition_tree('wedsql.wed_trace') t
      join pg_index i on i.indrelid = t.relid)"""


def publish(kit: Kit, graph: Graph) -> None:
    kit.publish(compile_graph(graph).definition)


def perform(kit: Kit, wid: int, random: Random, **changes: Any) -> list[str]:
    """Complete jobs in a random order until none is left, and return their transitions."""
    done = []
    while kit.status(wid) == "R" and len(done) < 200:
        job = random.choice(kit.pending(wid))
        kit.run(job.trname, wid, **changes)
        done.append(job.trname)
    return done


def history(kit: Kit, wid: int, graph: Graph) -> list[Visit]:
    steps = [
        SimpleNamespace(seq=row.seq, written_by=row.trw, state=row.state, before=row.before)
        for row in kit.rows("select * from wedsql.wed_trace where wid = %s order by seq", [wid])
    ]
    return visits(graph, compile_graph(graph).source_map, steps)


def visited(kit: Kit, wid: int) -> Counter[str]:
    return Counter(step[0] for step in kit.story(wid)[1:])


def test_graph_x_ends_in_any_order_of_its_workers(kit: Kit) -> None:
    publish(kit, read(X))
    orders = set()
    for seed in range(8):
        wid = kit.start()
        orders.add(tuple(perform(kit, wid, Random(seed))))  # noqa: S311
        assert kit.status(wid) == "F"
        assert visited(kit, wid) == Counter("bcdefghijk")
        joins = [step[0] for step in kit.story(wid)]
        assert joins.index("g") > joins.index("d") and joins[-2:] == ["j", "k"]
    assert len(orders) > 2
    assert broken(kit) == []


def test_the_history_is_the_tree_of_its_threads(kit: Kit) -> None:
    publish(kit, read(X))
    wid = kit.start()
    perform(kit, wid, Random(3))  # noqa: S311
    found = history(kit, wid, read(X))
    assert sorted(edge for visit in found for edge in visit.produced) == sorted(read(X).edges)
    assert found[0].address == "a(r1)" and found[-1].waiting == ()
    assert {visit.node: visit.address for visit in found if visit.node in {*"bcefgj"}} == {
        "b": "a/b(r2,r3)", "c": "a/b/c(r4,r5)", "e": "a/b/c(r7)", "f": "a/b/c/f(r9,r11)",
        "g": "a(r12)", "j": "a(r13)",
    }  # fmt: skip


def test_the_walk_of_the_article_follows_from_what_an_instance_did(kit: Kit) -> None:
    publish(kit, read(X))
    table = (settings.BASE_DIR / "docs/graphs.md").read_text().split("-------------\n")[1].split("```")[0]
    expected = [line.split() for line in table.splitlines()]
    for seed in range(3):
        wid = kit.start()
        perform(kit, wid, Random(seed))  # noqa: S311
        walk = walked(read(X), history(kit, wid, read(X)))
        assert walk.outcome == "ended"
        assert [
            [str(step.number), step.executed or "BEGIN", ";".join(step.threads) or "-", str(step.pointer)]
            for step in walk.steps
        ] == [line[:4] for line in expected]
        assert [step.address for step in walk.steps if step.address] == [
            line[4] for line in expected if len(line) > 4
        ]
    wid = kit.start()
    walk = walked(read(X), history(kit, wid, read(X)))
    assert (walk.outcome, walk.waiting, len(walk.steps)) == ("undecided", ("d",), 3)


def test_a_graph_begins_at_several_nodes(kit: Kit) -> None:
    publish(
        kit, graph([["r1", "a", "b"], ["r2", "c", "d"], ["r3", "b", "j"], ["r4", "d", "j"], ["r5", "j", "k"]])
    )
    wid = kit.start()
    assert kit.jobs(wid) == ["b", "d"]
    kit.run("d", wid)
    assert (kit.status(wid), kit.jobs(wid)) == ("R", ["b"])
    assert kit.run("b", wid).status == "F" and visited(kit, wid)["j"] == 1


LONG_HISTORY = """
    insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, version, tx_at)
    select t.flow_id, t.wid, -n, t.tstmp, t.trw, t.state, t.status, t.version, t.tx_at
    from wedsql.wed_trace t, generate_series(1, %s) n where t.wid = %s and t.seq = 1"""


@pytest.mark.parametrize("commits", [("d", "e", "h", "i"), ("de", "hi")], ids=["single", "batched"])
def test_a_join_reads_no_history(kit: Kit, commits: tuple[str, ...]) -> None:
    """The tokens are in the row of the instance, so a join costs the same however long the history is.

    WEDSQL_HISTORY=1000000 makes a history of a million steps, which takes a minute.
    """
    publish(kit, read(X))
    wid = kit.start()
    kit.rows(LONG_HISTORY, [os.environ.get("WEDSQL_HISTORY", "20000"), wid])
    for transitions in commits:
        with kit.conn.transaction():  # the counters are reported, and reset, between transactions
            reads = kit.one(READS)
            jobs = [kit.take(name, wid) for name in transitions]
            api.jobs.complete_many(kit.name, [Completion(job, {}) for job in jobs], conn=kit.conn)
            assert kit.one(READS) == reads, transitions
    assert visited(kit, wid)["g"] == visited(kit, wid)["j"] == 1


def test_a_version_that_is_published_without_a_source_has_none(kit: Kit) -> None:
    publish(kit, read(X))
    source = {"language": "graph", "format": "terms", "text": X, "map": {}}
    version = api.flows.keep_source(kit.name, source, conn=kit.conn)
    kept = api.flows.read_source(kit.name, conn=kit.conn)
    assert kept == source | {"version": version}
    kit.attrs("more")
    assert api.flows.read_source(kit.name, conn=kit.conn) is None
    api.flows.keep_source(kit.name, source, conn=kit.conn)
    kit.publish({"attributes": [{"name": "a"}], "triggers": []})
    assert api.flows.read_source(kit.name, conn=kit.conn) is None
    assert api.flows.read_source(kit.name, version, conn=kit.conn) == kept


CHOICES = [{"name": name, "type": "integer", "default": "0"} for name in ("x", "y", "z")]


def graph(edges: list[Any], *nodes: dict[str, Any]) -> Graph:
    return read(json.dumps({"edges": edges, "nodes": nodes, "attributes": CHOICES}), "json")


def cond(name: str, source: str, target: str, condition: str) -> dict[str, str]:
    return {"edge": name, "from": source, "to": target, "condition": condition}


def test_an_exclusive_split_before_a_parallel_join_is_an_exception(kit: Kit) -> None:
    dead = graph(
        [["r1", "a", "b"], cond("r2", "b", "c", "x > 0"),
         {"edge": "r3", "from": "b", "to": "d", "default": True},
         ["r4", "c", "j"], ["r5", "d", "j"], ["r6", "j", "k"]],
        {"node": "b", "type": "exclusive"},
    )  # fmt: skip
    publish(kit, dead)
    wid = kit.start(x=1)
    assert perform(kit, wid, Random(1)) == ["c"]  # noqa: S311
    assert (kit.status(wid), kit.instance(wid).reason) == ("E", "STUCK")


def test_no_condition_that_holds_is_an_exception_until_the_data_change(kit: Kit) -> None:
    publish(
        kit,
        graph(
            [
                ["r1", "a", "w"],
                ["r2", "w", "b"],
                cond("r3", "b", "c", "x > 0"),
                cond("r4", "b", "d", "x < 0"),
            ],
            {"node": "b", "type": "exclusive"},
        ),
    )
    wid = kit.start()
    assert perform(kit, wid, Random(1)) == ["w"] and kit.status(wid) == "E"  # noqa: S311
    api.repairs.repair(wid, "patch", {"changes": {"x": 1}}, "x", conn=kit.conn)
    assert kit.status(wid) == "F" and visited(kit, wid)["c"] == 1


@pytest.mark.parametrize("chosen", range(1, 8))
def test_an_inclusive_join_fires_once_for_what_its_split_chose(kit: Kit, chosen: int) -> None:
    publish(
        kit,
        graph(
            [["r1", "a", "s"], cond("r2", "s", "b", "x > 0"), cond("r3", "s", "c", "y > 0"),
             cond("r4", "s", "d", "z > 0"),
             ["r5", "b", "j"], ["r6", "c", "j"], ["r7", "d", "j"], ["r8", "j", "k"]],
            {"node": "s", "type": "inclusive"},
            {"node": "j", "type": "inclusive"},
        ),
    )  # fmt: skip
    wid = kit.start(x=chosen & 1, y=chosen & 2, z=chosen & 4)
    assert len(perform(kit, wid, Random(chosen))) == chosen.bit_count()  # noqa: S311
    assert kit.status(wid) == "F" and visited(kit, wid)["j"] == 1


@pytest.mark.parametrize(("need", "first"), [(["r5", "r7"], 2), (1, 1), (3, 3)])
def test_a_complex_gateway_goes_on_with_what_it_needs_and_absorbs_the_rest(
    kit: Kit, need: Any, first: int
) -> None:
    publish(
        kit,
        graph(
            [["r1", "a", "s"], ["r2", "s", "b"], ["r3", "s", "c"], ["r4", "s", "d"], ["r5", "b", "j"],
             ["r6", "c", "j"], ["r7", "d", "j"], ["r8", "j", "k"]],
            {"node": "s", "type": "parallel"},
            {"node": "j", "type": "complex", "need": need},
            {"node": "k", "type": "task"},
        ),
    )  # fmt: skip
    wid = kit.start()
    for transition in ("b", "d", "c")[:first]:
        assert "k" not in kit.jobs(wid)
        kit.run(transition, wid)
    assert "k" in kit.jobs(wid)
    perform(kit, wid, Random(1))  # noqa: S311
    assert kit.status(wid) == "F" and visited(kit, wid)["j"] == visited(kit, wid)["j__reset"] == 1
    assert broken(kit) == []


def test_the_first_event_withdraws_the_others(kit: Kit) -> None:
    publish(
        kit,
        graph(
            [["r1", "a", "e"], ["r2", "e", "b"], ["r3", "e", "c"], ["r4", "b", "j"], ["r5", "c", "j"]],
            {"node": "e", "type": "event"},
        ),
    )
    wid = kit.start()
    assert kit.jobs(wid) == ["b", "c"]
    kit.run("c", wid)
    assert kit.status(wid) == "F" and visited(kit, wid) == Counter(["c", "j"])
    assert broken(kit) == []


def test_a_subprocess_is_left_when_nothing_is_left_in_it_and_runs_again(kit: Kit) -> None:
    publish(
        kit,
        graph(
            [["r1", "a", "m"], ["r2", "m", "s"], ["r3", "s", "w"], cond("r4", "w", "m", "x < 2"),
             {"edge": "r5", "from": "w", "to": "k", "default": True},
             ["i1", "b", "f"], ["i2", "f", "g"], ["i3", "f", "h"], ["i4", "g", "l"], ["i5", "h", "l"]],
            {"node": "m", "type": "none"}, {"node": "w", "type": "exclusive"},
            {"node": "s", "type": "subprocess"},
            *({"node": name, "within": "s"} for name in "bfghl"),
        ),
    )  # fmt: skip
    wid = kit.start()
    for rounds in (1, 2):
        assert kit.jobs(wid) == ["g", "h"]
        kit.run("g", wid)
        kit.run("h", wid, x=rounds)
    assert kit.status(wid) == "F"
    assert visited(kit, wid)["s__enter"] == visited(kit, wid)["s"] == 2
    assert broken(kit) == []
