"""The kit for tests of definitions: steps, virtual time, expectations; nothing is stored."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from flows.definition import stand_ins
from flows.definition.scenarios import NoSuchRule
from flows.errors import WedError
from flows.testing import Unexpected, trial

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
LOAN: dict[str, Any] = {
    "attributes": [
        {"name": "amount", "type": "integer", "default": "1"},
        {"name": "state", "type": "enum", "options": ["new", "granted", "paid"], "default": "new"},
        {"name": "until", "type": "timestamptz"},
    ],
    "triggers": [
        {"name": "ask", "transition": "tr_ask", "predicate": "amount > 0 and state = 'new'"},
        {"name": "remind", "transition": "tr_remind", "predicate": "state = 'new'", "due_after": "2 days"},
        {"name": "pay", "transition": "tr_pay", "predicate": "state = 'granted'", "writes": ["state"]},
        {"name": "limit", "transition": "tr_end", "predicate": "state = 'granted'", "due_attr": "until"},
        {"predicate": "state = 'paid'", "final": True},
    ],
}
PAGE = (Path(__file__).parents[3] / "docs" / "designing.md").read_text()


def test_a_path_to_the_end() -> None:
    granted = trial(LOAN).start({"amount": 5}).expect(status="R", fired=["ask"], amount=5, state="new")
    granted = granted.complete("tr_ask", {"state": "granted"}).expect(pending=["pay"], fired=["tr_pay"])
    granted.complete("pay", {"state": "paid"}).expect(status="F", pending=[], fired=[])


def test_a_transition_is_completed_as_its_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"tr_ask": lambda state: [{"state": "granted"}, {"state": "paid"}]}
    monkeypatch.setattr(stand_ins, "_finders", [lambda _flow, name: found.get(name)])
    asked = trial(LOAN).start()
    asked.simulate("ask").expect(fired=["pay"], state="granted")
    asked.simulate("ask", 1).expect(status="F")
    with pytest.raises(stand_ins.StandInFailed, match="tr_pay has no stand-in"):
        asked.simulate("ask").simulate("pay")


def test_a_trial_is_continued_in_two_ways() -> None:
    started = trial(LOAN).start()
    started.complete("ask", {"state": "granted"}).expect(holds=["pay", "limit"])
    started.complete("ask", {"state": "paid"}).expect(status="F")
    started.expect(status="R", state="new")


def test_time_passes_without_waiting() -> None:
    asked = trial(LOAN).start()
    asked.wait(DAY).expect(fired=[], pending=["ask"])
    asked.wait(DAY).wait(DAY).expect(fired=["remind"], pending=["ask", "remind"])
    reminded = asked.wait(2 * DAY).complete("remind").expect(pending=["ask"])
    reminded.wait(DAY).expect(fired=[]).wait(DAY).expect(fired=["remind"])


def test_a_time_in_an_attribute_comes_when_it_has_passed_in_the_trial() -> None:
    until = datetime.now(UTC) + 10 * DAY
    granted = trial(LOAN).start({"state": "granted", "until": until}).expect(fired=["pay"])
    granted.wait(9 * DAY).expect(fired=[]).wait(DAY / 2).expect(fired=[])
    ended = granted.wait(9 * DAY).wait(2 * DAY).expect(fired=["limit"], pending=["limit", "pay"])
    ended.complete("limit").expect(fired=["limit"])
    later = ended.complete("limit", {"until": until + 5 * DAY}).expect(fired=[], pending=["pay"])
    later.wait(3 * DAY).expect(fired=[]).wait(DAY * 2).expect(fired=["limit"])
    passed = trial(LOAN).start({"until": until - 20 * DAY}).complete("ask", {"state": "granted"})
    passed.wait(DAY).expect(pending=["limit", "pay"])


def test_an_exception_is_repaired() -> None:
    stuck = trial(LOAN | {"triggers": [LOAN["triggers"][0], LOAN["triggers"][4]]}).start()
    stuck = stuck.complete("ask", {"amount": 0}).expect(status="E", fired=[])
    stuck.repair({"amount": 2}).expect(status="R", fired=["ask"])


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        ({"status": "F"}, "The status is R (running) instead of F (final)."),
        ({"fired": ["pay"]}, "This fired: ask; expected: pay."),
        ({"fired": []}, "This fired: ask; expected: ."),
        ({"pending": ["ask", "pay"]}, "This is pending: ask; expected: ask, pay."),
        ({"holds": ["ask"]}, "This holds: ask, remind; expected: ask."),
        ({"amount": 2}, "amount is 1 instead of 2."),
        ({"nowhere": None}, "nowhere is None instead of None."),
    ],
)
def test_what_is_not_as_expected_fails_the_test(expected: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Unexpected) as caught:
        trial(LOAN).start().expect(**expected)
    assert str(caught.value).startswith(sentence) and "Steps: start()" in str(caught.value)


def test_what_the_database_rejects_is_its_error() -> None:
    with pytest.raises(WedError, match="does not declare"):
        trial(LOAN).start({"state": "granted"}).complete("pay", {"amount": 3})


def test_mistakes_of_the_test_are_said() -> None:
    with pytest.raises(NoSuchRule, match="tr_nowhere"):
        trial(LOAN).start().complete("tr_nowhere")
    with pytest.raises(Unexpected, match=re.escape("call start() first")):
        trial(LOAN).complete("ask")


def test_a_definition_is_named_as_in_commands(tmp_path: Path) -> None:
    path = tmp_path / "loan.json"
    path.write_text(json.dumps(LOAN))
    trial(str(path)).start().expect(status="R")


def test_nothing_is_stored() -> None:
    tables = ("flow", "trig", "instance", "job_pool", "timer", "wed_trace", "job_log")

    def counts() -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(" union all ".join(f"select count(*) from wedsql.{name}" for name in tables))
            return [count for (count,) in cursor.fetchall()]

    before = counts()
    test_a_path_to_the_end()
    assert counts() == before


def test_the_example_of_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "checked.yaml").write_text(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(from datetime.*?flows\.testing.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102
    tests = [found for name, found in names.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()
