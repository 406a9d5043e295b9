"""Drafts: opened, saved from a revision, undone and redone, merged, limited, discarded."""

from __future__ import annotations

import copy
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from flows import api
from flows.errors import StaleDraft, WedError
from flows.tests.kit import Connection, Kit, refused
from flows.types import Draft, DraftAt

pytestmark = pytest.mark.kernel
Definition = dict[str, Any]

BASE: Definition = {
    "label": "Orders",
    "attributes": [{"name": "a"}, {"name": "b"}],
    "triggers": [
        {"name": "one", "transition": "tr_one", "condition": "c1", "predicate": "a = '1'"},
        {"predicate": "a = 'end'", "final": True},
    ],
}

# Five hundred more revisions, as five hundred saves would write them.
MANY_REVISIONS = """
with draft as (
  update wedsql.draft d set revision = d.revision + 500 where d.flow = %(flow)s
  returning d.id, d.revision - 500 as first)
insert into wedsql.draft_revision (draft_id, revision, at, actor, summary, base_version, parent, definition)
select r.draft_id, d.first + n, r.at, r.actor, r.summary, r.base_version, d.first + n - 1, r.definition
from draft d join wedsql.draft_revision r on r.draft_id = d.id and r.revision = d.first
cross join generate_series(1, 500) n
"""


@pytest.fixture
def base(kit: Kit) -> Iterator[Kit]:
    """A published flow; its drafts are discarded after the test."""
    kit.publish(BASE)
    yield kit
    discard_all(kit.name, kit.conn)


@pytest.fixture
def fresh(kit: Kit) -> Iterator[str]:
    """The name of a flow that does not exist."""
    name = f"new_{uuid.uuid4().hex[:12]}"
    yield name
    discard_all(name, kit.conn)


def discard_all(flow: str, conn: Connection) -> None:
    conn.execute("delete from wedsql.draft where flow = %s", [flow])


def opened(kit: Kit, **options: Any) -> Draft:
    return api.drafts.open(kit.name, conn=kit.conn, actor="ann", **options)


def save(kit: Kit, draft: Any, label: str, **options: Any) -> Any:
    """Save the running definition with another label."""
    definition = api.drafts.running_definition(kit.name, conn=kit.conn)[1] | {"label": label}
    return api.drafts.save(draft.at, definition, conn=kit.conn, **{"actor": "ann"} | options)


def label(kit: Kit) -> str:
    return api.drafts.read(kit.name, conn=kit.conn).definition["label"]


def test_a_draft_is_the_running_definition_with_the_numbers_of_its_items(base: Kit) -> None:
    draft = opened(base)
    assert (draft.revision, draft.base_version, draft.stale) == (1, draft.running_version, False)
    assert draft.definition == draft.base and "version" not in draft.base
    numbers = [row.tgid for row in base.rows("select tgid from {f}.wed_trig order by tgid")]
    assert [trigger["id"] for trigger in draft.definition["triggers"]] == numbers
    numbers = [row.aid for row in base.rows("select aid from {f}.wed_attr order by aid")]
    assert [attribute["id"] for attribute in draft.definition["attributes"]] == numbers
    assert (draft.created_by, draft.changed_by) == ("ann", "ann")
    assert draft.changed_at.tzinfo is not None


def test_there_is_one_draft_of_each_branch(base: Kit) -> None:
    opened(base)
    with refused("WD403"):
        opened(base)
    opened(base, branch="second")
    assert [draft.branch for draft in api.drafts.list(base.name, conn=base.conn)] == ["second", "main"]
    with refused("WD004"):
        opened(base, branch="Not a name")


def test_a_flow_that_does_not_exist_can_have_a_draft(kit: Kit, fresh: str) -> None:
    draft = api.drafts.open(fresh, conn=kit.conn)
    assert (draft.base_version, draft.definition) == (0, {"attributes": [], "triggers": []})
    with refused("WD004"):
        api.drafts.open("pg_mine", conn=kit.conn)


def test_a_draft_of_a_file_has_the_numbers_of_what_runs_and_no_others(base: Kit) -> None:
    running = api.drafts.running_definition(base.name, conn=base.conn)[1]
    given = copy.deepcopy(BASE)
    given["attributes"][0] = {"name": "renamed", "was": "a", "id": 987654}
    given["attributes"][1]["id"] = running["attributes"][0]["id"]
    given["triggers"].insert(
        0, {"id": running["triggers"][0]["id"], "transition": "tr_new", "predicate": "x"}
    )
    draft = opened(base, definition=given)
    assert [each.get("id") for each in draft.definition["attributes"]] == [
        each["id"] for each in running["attributes"]
    ]
    numbers = [each["id"] for each in running["triggers"]]
    assert [each.get("id") for each in draft.definition["triggers"]] == [None, *numbers]
    assert draft.base == running


def test_a_half_typed_definition_is_kept(base: Kit) -> None:
    draft = opened(base)
    typed = {
        "attributes": [{"name": "a"}, {"name": "a"}, {}],
        "triggers": [{"predicate": "a = '", "timeout": "soon", "priority": "high", "unknown": [1]}],
    }
    api.drafts.save(draft.at, typed, conn=base.conn)
    assert api.drafts.read(base.name, conn=base.conn).definition == typed
    assert opened(base, branch="file", definition=typed).definition["triggers"] == typed["triggers"]


@pytest.mark.parametrize(
    "bad",
    [
        [],
        "text",
        {},
        {"attributes": []},
        {"attributes": {}, "triggers": []},
        {"attributes": [1], "triggers": []},
        {"attributes": [], "triggers": [{"id": 1}, {"id": 1}]},
        {"attributes": [{"id": "1"}], "triggers": []},
    ],
)
def test_what_is_no_definition_is_no_draft(base: Kit, bad: Any) -> None:
    draft = opened(base)
    with refused("WD009"):
        api.drafts.save(draft.at, bad, conn=base.conn)
    assert api.drafts.read(base.name, conn=base.conn) == draft


def test_a_save_names_the_revision_it_was_made_from(base: Kit) -> None:
    draft = opened(base)
    save(base, draft, "Ann's")
    with pytest.raises(StaleDraft) as caught:
        save(base, draft, "Bob's", actor="bob")
    assert caught.value.where["revision"] == 2 and caught.value.where["actor"] == "ann"
    assert label(base) == "Ann's"


def test_saving_the_same_again_changes_nothing(base: Kit) -> None:
    """A reply that was lost is asked for again, with the old revision."""
    draft = opened(base)
    first = save(base, draft, "new")
    assert save(base, draft, "new") == first


def test_of_two_saves_at_once_one_is_refused(base: Kit) -> None:
    draft = opened(base)
    outcomes: list[str] = []
    ready = threading.Barrier(8)

    def type_in(number: int, conn: Connection) -> None:
        ready.wait(10)
        try:
            definition = BASE | {"label": f"by {number}"}
            api.drafts.save(draft.at, definition, conn=conn)
            outcomes.append("saved")
        except WedError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=type_in, args=(n, base.connect())) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["WD402"] * 7 + ["saved"]
    assert api.drafts.read(base.name, conn=base.conn).revision == 2


def test_a_refused_save_is_merged_and_saved(base: Kit) -> None:
    draft = opened(base)
    mine, theirs = copy.deepcopy(draft.definition), copy.deepcopy(draft.definition)
    theirs["triggers"][0]["timeout"] = "01:00:00"
    mine["triggers"][0]["predicate"] = "a = '2'"
    api.drafts.save(draft.at, theirs, conn=base.conn)
    with refused("WD402"):
        api.drafts.save(draft.at, mine, conn=base.conn)
    merged, now = api.drafts.merge(draft.at, mine, conn=base.conn)
    assert merged.conflicts == ()
    saved = api.drafts.save(now, merged.definition, conn=base.conn)
    rule = api.drafts.read(base.name, conn=base.conn).definition["triggers"][0]
    assert (saved.revision, rule["timeout"], rule["predicate"]) == (3, "01:00:00", "a = '2'")


def test_undo_and_redo_go_through_everything_that_was_typed(base: Kit) -> None:
    draft = opened(base)
    now = draft
    for text in ("one", "two", "three"):
        now = save(base, now, text)
    for text in ("two", "one", "Orders"):
        now = api.drafts.undo(now.at, actor="bob", conn=base.conn)
        assert now.definition["label"] == text
    assert (now.can_undo, now.can_redo, now.changed_by) == (False, True, "bob")
    with refused("WD405"):
        api.drafts.undo(now.at, conn=base.conn)
    for text in ("one", "two", "three"):
        now = api.drafts.redo(now.at, conn=base.conn)
        assert now.definition["label"] == text
    with refused("WD405"):
        api.drafts.redo(now.at, conn=base.conn)


def test_what_is_typed_after_undo_replaces_what_was_undone(base: Kit) -> None:
    now = opened(base)
    for text in ("one", "two"):
        now = save(base, now, text)
    now = save(base, api.drafts.undo(now.at, conn=base.conn), "other")
    assert not now.can_redo
    back = api.drafts.undo(now.at, conn=base.conn)
    assert back.definition["label"] == "one"
    assert api.drafts.redo(back.at, conn=base.conn).definition["label"] == "other"


def test_undo_is_refused_from_an_old_revision(base: Kit) -> None:
    draft = opened(base)
    save(base, draft, "new")
    for call in (api.drafts.undo, api.drafts.redo, api.drafts.discard):
        with refused("WD402"):
            call(draft.at, conn=base.conn)


def test_the_history_says_who_when_and_what(base: Kit) -> None:
    now = save(base, opened(base, summary="start"), "new", actor="bob", summary=" a  new\nlabel ")
    api.drafts.undo(now.at, actor="cleo", conn=base.conn)
    history = api.drafts.history(base.name, conn=base.conn)
    assert [(one.revision, one.actor, one.summary) for one in history] == [
        (3, "cleo", "undo to revision 1"),
        (2, "bob", "a new label"),
        (1, "ann", "start"),
    ]
    assert api.drafts.revision(DraftAt(base.name, "main", 2), conn=base.conn)["label"] == "new"
    assert [one.revision for one in api.drafts.history(base.name, before=3, limit=1, conn=base.conn)] == [2]
    with refused("WD401"):
        api.drafts.revision(DraftAt(base.name, "main", 9), conn=base.conn)


def test_the_last_five_hundred_revisions_are_kept(base: Kit) -> None:
    opened(base)
    base.rows(MANY_REVISIONS, {"flow": base.name})
    now = api.drafts.read(base.name, conn=base.conn)
    for number in range(20):
        now = api.drafts.save(now.at, BASE | {"label": str(number)}, conn=base.conn)
    kept = api.drafts.history(base.name, limit=1000, conn=base.conn)
    assert (len(kept), kept[0].revision, kept[-1].revision) == (500, 521, 22)
    count = (
        "select count(*) from wedsql.draft_revision r join wedsql.draft d on d.id = r.draft_id"
        " where d.flow = %s"
    )
    assert base.one(count, [base.name]) == 500


def test_large_revisions_are_kept_up_to_a_size(base: Kit) -> None:
    now = opened(base)
    with base.conn.transaction():
        base.rows(
            "create or replace function pg_temp.noise() returns text language sql as "
            "$$select string_agg(md5(random()::text), '') from generate_series(1, 100000)$$"
        )
        for _ in range(25):
            noise = base.one("select pg_temp.noise()")
            now = api.drafts.save(now.at, BASE | {"description": noise}, conn=base.conn)
    kept = api.drafts.history(base.name, limit=500, conn=base.conn)
    assert 20 <= len(kept) <= 23


def test_a_definition_of_more_than_four_megabytes_is_refused(base: Kit) -> None:
    draft = opened(base)
    with refused("WD404") as why:
        api.drafts.save(draft.at, BASE | {"description": "x" * 4_200_000}, conn=base.conn)
    assert "4194304" in why.message
    assert api.drafts.read(base.name, conn=base.conn) == draft


def test_a_definition_that_is_nested_without_end_is_refused(base: Kit) -> None:
    draft = opened(base)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with refused("WD009"):
        api.drafts.save(draft.at, BASE | {"description": deep}, conn=base.conn)
    assert api.drafts.read(base.name, conn=base.conn) == draft


def test_a_flow_has_at_most_twenty_drafts(base: Kit) -> None:
    for number in range(20):
        opened(base, branch=f"b{number}")
    with refused("WD404"):
        opened(base, branch="one_more")
    assert len(api.drafts.list(base.name, conn=base.conn)) == 20


def test_a_draft_of_an_old_version_is_stale_until_it_is_merged(base: Kit) -> None:
    draft = opened(base)
    mine = copy.deepcopy(draft.definition)
    mine["triggers"][0]["predicate"] = "a = '2'"
    mine["attributes"][0]["name"] = "state"
    draft_now = api.drafts.save(draft.at, mine, conn=base.conn)
    base.attr("added")
    read = api.drafts.read(base.name, conn=base.conn)
    assert read.stale and read.running_version == read.base_version + 1
    merged, version = api.drafts.merge_running(read, conn=base.conn)
    assert merged.conflicts == ()
    with refused("WD406") as why:
        api.drafts.save(draft_now.at, merged.definition, base_version=version + 1, conn=base.conn)
    assert "running_version" in why.detail
    saved = api.drafts.save(draft_now.at, merged.definition, base_version=version, conn=base.conn)
    assert not saved.stale
    names = [each["name"] for each in api.drafts.read(base.name, conn=base.conn).definition["attributes"]]
    assert names == ["state", "b", "added"]
    # Undoing the merge brings back the base of before: the draft does not undo what others published.
    assert api.drafts.undo(saved.at, conn=base.conn).stale


def test_a_version_comes_back_into_a_draft(base: Kit) -> None:
    before = api.drafts.running_definition(base.name, conn=base.conn)[0]
    base.publish(BASE | {"attributes": [*BASE["attributes"], {"name": "c"}]})
    draft = opened(base)
    api.publications.restore_version(draft.at, before, actor="bob", conn=base.conn)
    read = api.drafts.read(base.name, conn=base.conn)
    assert [each["name"] for each in read.definition["attributes"]] == ["a", "b"]
    assert read.definition["attributes"][0]["id"] == draft.definition["attributes"][0]["id"]
    assert opened(base, branch="old", version=before).definition == read.definition
    with refused("WD409"):
        api.publications.restore_version(read.at, 99, conn=base.conn)


def test_the_drafts_of_a_dropped_flow_become_those_of_a_new_one(base: Kit) -> None:
    draft = opened(base)
    api.flows.drop(base.name, force=True, conn=base.conn)
    read = api.drafts.read(base.name, conn=base.conn)
    assert (read.base_version, read.definition) == (0, draft.definition)
    assert read.base == {"attributes": [], "triggers": []}


def test_a_discarded_draft_is_gone(base: Kit) -> None:
    draft = opened(base)
    api.drafts.discard(draft.at, conn=base.conn)
    with refused("WD401"):
        api.drafts.read(base.name, conn=base.conn)
    assert (
        base.one(
            "select count(*) from wedsql.draft_revision r where not exists"
            " (select from wedsql.draft d where d.id = r.draft_id)"
        )
        == 0
    )
