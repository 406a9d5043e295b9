"""Settings that can never work are refused when they are given: absences, mails, periods."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

NOW = datetime.now(UTC)


def days(number: float) -> datetime:
    return NOW + timedelta(days=number)


def away(kit: Kit, person: str, substitute: str, first: float, last: float) -> int:
    def named(one: str) -> str:
        return f"{one}_{kit.name}" if one.strip() else one

    return api.persons.set_absence(named(person), named(substitute), days(first), days(last), conn=kit.conn)


@pytest.mark.parametrize(
    ("person", "substitute", "first", "last"),
    [("eva", "eva", 1, 2), ("eva", "", 1, 2), ("eva", " ", 1, 2), ("", "bob", 1, 2), ("eva", "bob", 2, 1),
     ("eva", "bob", 1, 1), ("eva", "bob", -3, -2), ("eva", "bob", 1, 4000), ("eva", "x" * 300, 1, 2)],
)  # fmt: skip
def test_an_absence_that_gives_no_task_to_anybody_is_refused(
    kit: Kit, person: str, substitute: str, first: float, last: float
) -> None:
    with refused("WD009"):
        away(kit, person, substitute, first, last)


def test_substitutes_in_a_circle_are_refused_where_their_times_meet(kit: Kit) -> None:
    away(kit, "eva", "bob", 1, 10)
    with refused("WD009") as why:
        away(kit, "bob", "eva", 9, 12)
    assert "would come back" in why.message and "bob" in why.message
    away(kit, "bob", "eva", 10, 12)  # eva is back
    away(kit, "bob", "cid", 2, 5)
    with refused("WD009"):
        away(kit, "cid", "eva", 4, 6)  # eva → bob → cid → eva from day 4 to day 5
    away(kit, "cid", "eva", 5, 6)


@pytest.mark.parametrize(
    ("every", "language", "hour"),
    [("day", "en", -1), ("day", "en", 24), ("week", "en", 2**31 - 1), ("day", "", 6),
     ("day", "no language", 6),
     ("day", "x" * 60, 6), ("hour", "en", 6), ("now", "en", 6)],
)  # fmt: skip
def test_a_mail_that_is_never_sent_is_refused(kit: Kit, every: str, language: str, hour: int) -> None:
    with refused("WD514"):
        api.cases.save_digest(1, kit.name, "", every, language, hour, conn=kit.conn)


def test_a_mail_of_every_hour_and_language_is_kept(kit: Kit) -> None:
    for hour, language in ((0, "en"), (23, "pt-br"), (12, "zh-Hant-TW")):
        api.cases.save_digest(1, kit.name, "", "day", language, hour, conn=kit.conn)
    api.cases.save_digest(1, kit.name, "", "", "en", 6, conn=kit.conn)


def test_figures_of_no_period_are_refused_whatever_there_is(kit: Kit) -> None:
    since, until = days(-2), days(-1)
    for start, end, every in ((until, since, timedelta(hours=1)), (since, until, timedelta(0)),
                              (since, until, timedelta(hours=-1))):  # fmt: skip
        with refused("WD009"):
            api.figures.of_flow(kit.name, start, end, every, conn=kit.conn)
    with refused("WD009"):
        api.figures.of_transitions(kit.name, until, since, conn=kit.conn)
    with refused("WD514"):
        api.cases.report("cause", until, since, conn=kit.conn)
    assert api.figures.of_flow(kit.name, since, until, conn=kit.conn) == []


def test_tasks_of_an_unknown_flow_are_not_listed_in_silence(kit: Kit) -> None:
    with refused("WD001"):
        api.tasks.of_flow("nope", conn=kit.conn)
