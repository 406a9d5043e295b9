"""The pills of a filter: what they show, and that an edit changes nothing else."""

from __future__ import annotations

import random
import re
from urllib.parse import parse_qs

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone

from flows.filters import BadFilter, Filter, Or, parse
from flows.filters.grammar import read
from flows.filters.tree import conditions
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor.list_filters import asked
from monitor.pills import Pill, pills
from monitor.tests.conftest import Parcels, get, text_of
from monitor.tests.filters.filter_trees import SAO_PAULO, Grower

GROUP = 'weight>1 (customer:Ana or stage:sent or not pieces:"9")'
TREES = 60


@pytest.fixture
def typed_flow(parcels: Parcels, site: None) -> FlowInfo:
    found = flow_by_name(parcels.flow)
    assert found is not None
    return found


def fields_of(pill: Pill) -> dict[str, str]:
    """Return what the form of a pill sends if nothing in it is changed."""
    if not pill.name:
        return {"condition": pill.text.replace("\n", "\r\n")}  # as browsers do
    return {"a": pill.name, "op": pill.code, "v": pill.value}


def sent(flow: FlowInfo, q: str, place: str, **fields: str) -> str:
    """Return the filter of the address to which a form leads."""
    found = asked(RequestFactory().get("/", {"q": q, "part": place, **fields}), flow)
    assert found.error is None, found.error
    return found.text


def size(text: str) -> int:
    """Return the number of conditions of a filter."""
    return len(list(conditions(read(text))))


def flat(shown: list[Pill]) -> list[Pill]:
    return [each for pill in shown for each in (pill.members or (pill,))]


def test_pills_of_random_filters_give_their_text_back_and_remove_only_themselves(
    typed_flow: FlowInfo,
) -> None:
    grower, groups = Grower(random.Random(11)), 0  # noqa: S311
    with timezone.override(SAO_PAULO):
        for _ in range(TREES):
            chosen = parse(Filter(grower.tree()[0]).text(), typed_flow, SAO_PAULO)
            text, shown = chosen.text(), pills(chosen, typed_flow, str)
            groups += sum(bool(each.members) for each in shown)
            for pill in flat(shown):
                assert sent(typed_flow, text, pill.place, **fields_of(pill)) == text, pill
                assert sent(typed_flow, text, pill.place) == pill.without
                assert size(pill.without) == size(text) - size(pill.text)
    assert groups > 10


def test_a_group_has_a_pill_per_alternative(typed_flow: FlowInfo) -> None:
    first, group = pills(parse(GROUP, typed_flow), typed_flow, str)
    assert (first.place, first.title, first.members) == ("0", "weight", ())
    assert [(each.place, each.title, each.shown, each.without) for each in group.members] == [
        ("1.0", "Customer", "Ana", "weight>1 (stage:sent or not pieces:9)"),
        ("1.1", "Stage", "sent", "weight>1 (customer:Ana or not pieces:9)"),
        ("1.2", "not pieces:9", "", "weight>1 (customer:Ana or stage:sent)"),
    ]
    assert group.without == "weight>1"


EDITS = [
    ("0", {"a": "due", "op": "null"}, "no:due (customer:Ana or stage:sent or not pieces:9)"),
    ("0.or", {"a": "due", "op": "null"}, "(weight>1 or no:due) (customer:Ana or stage:sent or not pieces:9)"),
    ("1.or", {"a": "due", "op": "null"}, "weight>1 (customer:Ana or stage:sent or not pieces:9 or no:due)"),
    ("1.1", {"a": "due", "op": "null"}, "weight>1 (customer:Ana or no:due or not pieces:9)"),
    ("1.2", {"condition": "no:due stage:new"}, "weight>1 (customer:Ana or stage:sent or (no:due stage:new))"),
    ("1.2", {"condition": "a or b"}, "weight>1 (customer:Ana or stage:sent or a or b)"),
    ("0", {"condition": "a or b"}, "(a or b) (customer:Ana or stage:sent or not pieces:9)"),
    ("1", {}, "weight>1"),
    ("new", {"a": "due", "op": "null"}, "weight>1 (customer:Ana or stage:sent or not pieces:9) no:due"),
    ("7.3", {"a": "due", "op": "null"}, "weight>1 (customer:Ana or stage:sent or not pieces:9) no:due"),
    ("²", {"a": "due", "op": "null"}, "weight>1 (customer:Ana or stage:sent or not pieces:9) no:due"),
]  # fmt: skip


def test_each_edit_changes_its_place_only(typed_flow: FlowInfo) -> None:
    assert [(place, sent(typed_flow, GROUP, place, **fields)) for place, fields, _text in EDITS] == [
        (place, text) for place, _fields, text in EDITS
    ]
    for _place, _fields, text in EDITS:
        assert parse(text, typed_flow).text() == text


def test_a_value_of_several_lines_is_edited_as_text(typed_flow: FlowInfo) -> None:
    """A field of one line would lose the break."""
    (pill,) = pills(parse('customer:"line\nbreak"', typed_flow), typed_flow, str)
    assert not pill.name and sent(typed_flow, "", "new", **fields_of(pill)) == pill.text


def test_one_pill_becomes_a_group_and_a_group_of_one_a_pill(typed_flow: FlowInfo) -> None:
    grouped = sent(typed_flow, "weight>1", "0.or", a="stage", op="eq", v="new")
    assert grouped == "weight>1 or stage:new" and isinstance(parse(grouped).tree, Or)
    (group,) = pills(parse(grouped, typed_flow), typed_flow, str)
    assert [each.without for each in group.members] == ["stage:new", "weight>1"]


def test_an_error_in_a_condition_as_text_is_marked_at_its_place(typed_flow: FlowInfo) -> None:
    for place, wrong, marked in (
        ("1.2", "due>soon", "due>soon"),
        ("0", "customer:", ")"),
        ("1.or", "(a", "("),
    ):
        found = asked(RequestFactory().get("/", {"q": GROUP, "part": place, "condition": wrong}), typed_flow)
        assert isinstance(found.error, BadFilter) and found.marked[1] == marked, (place, found.marked)


def test_the_page_shows_groups_and_leads_to_the_filter_of_an_edit(alice: Client, parcels: Parcels) -> None:
    parcels.start(customer="Ana", weight="2")
    address = f"/flows/{parcels.flow}/"
    for path in (address, "/instances/"):
        response = alice.get(path, {"q": "id>0 (status:running or no:reason)", "sort": "id"})
        page = response.content.decode()
        assert re.search(r"any of: .*Running.* or .*Reason of the exception", text_of(page))
        assert re.findall(r'name="part" value="([^"]*)"', page) == ["0", "0.or", "1.0", "1.1", "1.or", "new"]
        removals = re.findall(r'href="\?([^"]*)" title="Remove this', page)
        assert [parse_qs(each.replace("&amp;", "&"))["q"][0] for each in removals] == [
            "status:running or no:reason", "id>0 no:reason", "id>0 status:running", "id>0",
        ]  # fmt: skip
        assert all("sort=id" in each for each in removals)
    changed = alice.get(address, {"q": GROUP, "part": "1.or", "condition": "no:due", "sort": "id"})
    assert changed.status_code == 302
    assert parse_qs(changed.headers["Location"].partition("?")[2]) == {
        "q": ["weight>1 (customer:Ana or stage:sent or not pieces:9 or no:due)"],
        "sort": ["id"],
    }
    assert f'id="wid-{parcels.wids[0]}"' in get(alice, changed.headers["Location"])
