"""Names of instances with the lowest number that is free (T-220)."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from flows import api
from flows.tests.kit import Connection, Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def named(kit: Kit) -> Kit:
    key = {"name": "name", "default": "Manutencao_###", "business_key": True}
    rules = [{"transition": "work", "predicate": "done is null"},
             {"predicate": "done is not null", "final": True}]  # fmt: skip
    kit.publish({"attributes": [key, {"name": "done"}], "triggers": rules})
    return kit


def start(kit: Kit, **given: str | None) -> tuple[int, str]:
    wid = kit.start(**given)
    return wid, kit.state(wid)["name"]


def test_t220_the_number_is_the_lowest_that_no_instance_has_that_has_not_ended(named: Kit) -> None:
    both = [start(named) for _ in range(3)]
    assert [name for _wid, name in both] == ["Manutencao_001", "Manutencao_002", "Manutencao_003"]
    named.run("work", both[1][0], done="yes")
    assert start(named)[1] == "Manutencao_002" and start(named)[1] == "Manutencao_004"
    api.instances.cancel(both[0][0], "wrong", conn=named.conn)
    assert start(named)[1] == "Manutencao_001"
    assert broken(named) == []


def test_t220_a_name_that_is_given_stays_and_its_number_is_taken(named: Kit) -> None:
    assert start(named, name="Manutencao_002")[1] == "Manutencao_002"
    assert start(named, name="A name")[1] == "A name"
    assert start(named, name="Manutencao_0003")[1] == "Manutencao_0003"
    assert [start(named)[1] for _ in range(2)] == ["Manutencao_001", "Manutencao_004"]
    assert start(named, name=None)[1] == start(named, name="Manutencao_###")[1][:-1] + "5"
    assert start(named, name="Manutencao_002")[1] == "Manutencao_002", "a name need not be unique"


def test_t220_many_at_once_have_numbers_of_their_own_and_a_refused_start_uses_none(named: Kit) -> None:
    found = api.instances.start_many(named.name, [{}, {"done": "yes"}, {"x": 1}, {}], conn=named.conn)
    assert [each.error is None for each in found] == [True, True, False, True]
    names = [named.state(each.wid)["name"] for each in found if each.wid]
    assert names == ["Manutencao_001", "Manutencao_002", "Manutencao_002"], "the second one has ended at once"
    assert start(named)[1] == "Manutencao_003"


def test_t220_an_instance_of_the_papers_protocol_has_a_number_too(named: Kit) -> None:
    named.make()
    for _ in range(2):
        named.rows("insert into {f}.wed_flow (done) values (null)")
    wid, name = start(named)
    assert name == "Manutencao_003"
    named.run("work", wid - 1, done="yes")
    assert start(named)[1] == "Manutencao_002"


def test_t220_after_999_come_four_digits(named: Kit) -> None:
    named.make()
    insert = (
        "insert into wedsql.instance_number select f.id, 'Manutencao_', n, 0 from generate_series(1, 999) n"
    )
    named.rows(f"{insert}, wedsql.flow f where f.name = {{n}}")
    assert start(named)[1] == "Manutencao_1000"


def test_t220_of_many_who_start_at_once_none_has_the_number_of_another(
    named: Kit, connect: Callable[..., Connection]
) -> None:
    named.make()

    def several() -> None:
        conn = connect()
        for _ in range(10):
            api.instances.start(named.name, {}, conn=conn)

    threads = [threading.Thread(target=several) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    names = sorted(name for (name,) in named.rows("select name from {f}.wed_flow"))
    assert names == [f"Manutencao_{number:03}" for number in range(1, 41)]


def test_a_key_without_a_number_is_as_it_was(kit: Kit) -> None:
    keys = (("a", "x#y"), ("b", "#"), ("c", None))
    attributes = [{"name": name, "default": default, "business_key": True} for name, default in keys]
    attributes.append({"name": "d", "default": "no key ###"})
    kit.publish({"attributes": attributes, "triggers": [{"transition": "work", "predicate": "true"}]})
    state = kit.state(kit.start())
    assert [state[name] for name in "abcd"] == ["x#y", "#", None, "no key ###"]


def test_t220_another_initial_value_is_that_of_later_instances(named: Kit) -> None:
    start(named)
    named.rows("update {f}.wed_attr set adv = 'M-##' where aname = 'name'")
    assert [start(named)[1] for _ in range(2)] == ["M-01", "M-02"]
    named.rows("update wedsql.attr set business_key = false where aname = 'name'")
    assert start(named)[1] == "M-##"


def test_t220_a_number_that_an_instance_got_after_its_start_is_not_free(named: Kit) -> None:
    one, _name = start(named)
    other, _name = start(named, name="A name")
    named.run("work", other, name="Manutencao_2")
    assert start(named)[1] == "Manutencao_003", "two is the number of the renamed one"
    api.repairs.repair(one, "branch", {"seq": 1}, "Once more.", conn=named.conn)
    named.run("work", one, done="yes")
    assert start(named)[1] == "Manutencao_004", "one is the number of the branch"
    named.run("work", other, done="yes")
    assert start(named)[1] == "Manutencao_002" and broken(named) == []


def test_t220_names_from_before_the_initial_value_are_not_given_again(named: Kit) -> None:
    for number in ("M-01", "M-2", "M-002"):
        start(named, name=number)
    named.rows("update {f}.wed_attr set adv = 'M-##' where aname = 'name'")
    assert [start(named)[1] for _ in range(2)] == ["M-03", "M-04"]
