"""The conditions of a definition that is not published are evaluated exactly as the matcher would.

The definition is published in another flow, and its generated matcher is asked about the same states.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from flows.tests.corpus import fuzz, oracle, values
from flows.tests.kit import Kit, refused
from flows.tests.spread import seeds

pytestmark = pytest.mark.kernel

FAILING = ["a1::integer > 2", "a2 / a2 = 1 or paid", "a3::date > due", "(doc ->> 'n')::numeric < 3"]
SEEDS = seeds(3, short=1)


def attributes() -> list[dict[str, Any]]:
    """Return the attributes of the corpus as those of a definition."""
    return [
        {"name": name, "type": kind} | ({"options": values.OPTIONS} if kind == "enum" else {})
        for name, kind in oracle.ATTRS.items()
    ]


def accepted(kit: Kit, texts: list[str]) -> list[str]:
    """Return the texts that are conditions over the attributes of the corpus."""

    def is_accepted(text: str) -> bool:
        try:
            with kit.conn.transaction():
                kit.one("select wedsql.check_predicate_text(%s, %s)", [text, oracle.ATTRS_JSON])
        except psycopg.Error:
            return False
        return True

    return [text for text in dict.fromkeys(texts) if is_accepted(text)]


def definition_of(texts: list[str]) -> dict[str, Any]:
    """Return a definition with one trigger per condition."""
    triggers = [{"transition": f"t{place}", "predicate": text} for place, text in enumerate(texts)]
    return {"attributes": attributes(), "triggers": triggers}


def stored(kit: Kit, draw: random.Random, count: int) -> list[Any]:
    """Return random states of the kit's flow as its table would store them."""

    def value(name: str, kind: str) -> Any:
        text = draw.choice(values.texts(kind))
        typed = "text" if kind == "enum" else kind
        try:
            with kit.conn.transaction():
                return kit.one(
                    f"select to_jsonb(v) from (select %s::{typed} as v) x where length(v::text) < 4000",
                    [text],
                )
        except psycopg.Error:
            return None

    return [{name: value(name, kind) for name, kind in oracle.ATTRS.items()} for _ in range(count)]


def published(kit: Kit, tgids: list[int], state: Any) -> tuple[str, list[tuple[int, str, str]]]:
    """Return what the generated matcher of the kit's flow says about a state, in the letters of evaluate."""
    row = "jsonb_populate_record(null::{f}.wed_flow, %s)"
    found = set(kit.one(f"select wed_match.f_{kit.id}(" + row + ")", [Jsonb(state)]))
    errors = kit.one(f"select wed_match.e_{kit.id}(" + row + ")", [Jsonb(state)])
    letters = "".join("t" if t in found else "e" if -t in found else "-" for t in tgids)
    return letters, sorted((tgids.index(e["tgid"]), e["sqlstate"], e["message"]) for e in errors)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_draft_is_evaluated_like_the_published_definition(kit: Kit, seed: int) -> None:
    kit.conn.execute("set client_encoding = 'UTF8'")  # the corpus has characters that LATIN1 does not have
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    grower = fuzz.Grower(seed, ["length", "coalesce", "abs", "round"], ["||", "->>", "@>"])
    corpus = draw.sample([case.text for case in oracle.cases("legitimate")], 25)
    texts = accepted(kit, [*FAILING, *corpus, *(grower.condition() for _ in range(60))])
    definition = definition_of(texts)
    kit.publish(definition)
    tgids = [row.tgid for row in kit.rows("select tgid from {f}.wed_trig order by tgid")]
    states = stored(kit, draw, 40)
    found = kit.rows("select * from wedsql.evaluate(null, %s, %s)", [Jsonb(definition), Jsonb(states)])
    letters = [published(kit, tgids, state) for state in states]
    mine = [row.held.replace("f", "-").replace("u", "-") for row in found]
    theirs = [one for one, _ in letters]
    differing = [
        (texts[place], states[at])
        for at in range(len(states))
        for place in range(len(texts))
        if mine[at][place] != theirs[at][place]
    ]
    assert not differing
    assert [sorted((e["trigger"], e["code"], e["message"]) for e in row.errors or []) for row in found] == [
        errors for _, errors in letters
    ]
    seen = {letter for row in found for letter in row.held}
    assert seen == {"t", "f", "u", "e"}, "every value occurred"


def test_a_published_condition_is_not_parsed_again_only_where_it_means_the_same(kit: Kit) -> None:
    kit.attr("n", None, "integer")
    kit.trig("tr_x", "n > 3")
    state = Jsonb([{"n": 10}])
    as_text = {"attributes": [{"name": "n"}], "triggers": [{"transition": "tr_x", "predicate": "n > '3'"}]}
    same = {
        "attributes": [{"name": "n", "type": "integer"}],
        "triggers": [{"transition": "tr_x", "predicate": "n > 3"}],
    }
    assert kit.rows("select held from wedsql.evaluate(%s, %s, %s)", [kit.name, Jsonb(same), state]) == [
        ("t",)
    ]
    assert kit.rows("select held from wedsql.evaluate(%s, %s, %s)", [kit.name, Jsonb(as_text), state]) == [
        ("f",)
    ]
    with refused("WD006"):
        kit.rows(
            "select held from wedsql.evaluate(%s, %s, %s)",
            [kit.name, Jsonb(as_text | {"triggers": same["triggers"]}), state],
        )


@pytest.mark.parametrize(
    ("predicate", "code"), [("a1 = (select 1)", "WD005"), ("a1 + 1", "WD006"), ("", "WD005"), (None, "WD005")]
)
def test_what_publishing_refuses_is_refused(kit: Kit, predicate: str | None, code: str) -> None:
    definition = {
        "attributes": attributes(),
        "triggers": [{"transition": "t", "predicate": predicate}],
    }
    with refused(code) as draft:
        kit.rows("select * from wedsql.evaluate(null, %s, '[{}]')", [Jsonb(definition)])
    with refused(code, "WD009") as real:
        kit.publish(definition)
    assert real.code == "WD009" or (draft.message, draft.detail) == (real.message, real.detail)


def test_conditions_are_evaluated_without_rights(
    kit: Kit, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    owners = kit.rows(
        "select p.proname, p.proowner::regrole::text as owner from pg_proc p"
        " where p.pronamespace = 'wed_match'::regnamespace"
        " and p.proname in ('values_at_once', 'values_of_one', 'values_of', 'failures')"
    )
    assert {row.owner for row in owners} == {"wed_eval"}
    assert len(owners) == 4
    assert not kit.one("select has_table_privilege('wed_eval', '{f}.wed_flow', 'select')")
    with refused("42501"), connect("wed_web") as web:
        web.execute("select wed_match.values_of('\"a\" text', array['true'], '[{}]')")


def test_a_read_only_transaction_is_refused(kit: Kit) -> None:
    definition = Jsonb(
        {"attributes": [{"name": "a"}], "triggers": [{"transition": "t", "predicate": "a = 'x'"}]}
    )
    with refused("25006"), kit.conn.transaction():
        kit.rows("set transaction read only")
        kit.rows("select * from wedsql.evaluate(null, %s, '[{}]')", [definition])
