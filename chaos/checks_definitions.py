"""Proofs for the guards of definitions: what a predicate may be, and what follows from a change."""

from __future__ import annotations

from typing import Any

from chaos.guarded import FLOW, Bench, must, refused


def definition_rematches(b: Bench) -> None:
    """A trigger that is added by SQL fires on running instances at the commit."""
    b.start()
    b.sql("insert into wed_trig (trname, cpred) values ('tr_new', 'a = ''0''')")
    must(not _broken(b), f"broken: {_broken(b)}")


def pending_trigger_stays(b: Bench) -> None:
    """A trigger with pending work is not deleted."""
    b.start()
    with refused("WD007"):
        b.sql("delete from wed_trig where trname = 'tr_a'")


def dangerous_pattern(b: Bench) -> None:
    """A pattern that would take for ever is refused."""
    with refused("WD005"):
        b.sql("insert into wed_trig (trname, cpred) values ('tr_x', 'a ~ ''((a{1,100}){1,100}){1,100}''')")


def closed_vocabulary(b: Bench) -> None:
    """A predicate with a sub-query or a function out of the vocabulary is refused."""
    for text in ("a = (select 1)", "pg_sleep(1) is null", "a = current_user"):
        with refused("WD005"):
            b.sql("select wedsql.check_predicate(%s, %s)", FLOW, text)


def powerless_matcher(b: Bench) -> None:
    """Predicates are evaluated by a role that may read nothing."""
    owner = b.sql(
        "select pg_get_userbyid(p.proowner) from pg_proc p join wedsql.flow f on f.name = %s"
        " where p.proname = 'f_' || f.id and p.prosecdef", FLOW
    )  # fmt: skip
    must(owner == "wed_eval", f"the matcher runs as {owner}")


def failing_predicate(b: Bench) -> None:
    """A predicate that fails at run time does not stop the others."""
    b.sql("insert into wed_trig (trname, cpred) values ('tr_bad', '1 / (length(a) - 1) = 1')")
    must(b.start(), "nothing was started")


def _broken(b: Bench) -> list[Any]:
    return b.conn.execute("select name, example from wedsql.invariants() where not ok").fetchall()
