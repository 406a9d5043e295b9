"""Signals are sent on a page of the flow, which lists what became of each."""

from __future__ import annotations

import re

from flows import api
from monitor.tests.conftest import client_of, get, person, text_of


def test_a_signal_starts_an_instance_and_gives_another_its_result_once(payments: str) -> None:
    olga, page = client_of(person("olga", f"flow:{payments}:operate")), f"/flows/{payments}/signals/"
    assert "No signal was sent yet" in get(olga, page)
    begun = olga.post(page, {"signal": "placed", "key": "A-7"}, follow=True)
    wid = int(re.sub(r"\D", "", begun.redirect_chain[-1][0]))
    assert f"Instance {wid} is started." in text_of(begun.content)
    button = f"{page}?signal=payment&amp;instance={wid}"
    assert button in get(olga, f"/instances/{wid}/"), "the job that waits leads to the form"
    form = get(olga, button.replace("&amp;", "&"))
    [token] = re.findall(r'name="token" value="(\w+)"', form)
    assert 'name="signal" value="payment"' in form and 'aria-current="page">payment<' in form
    assert f'name="instance" value="{wid}"' in form and 'name="value-paid"' in form
    assert "value-card" not in form, "masked"
    given = {"signal": "payment", "instance": str(wid), "value-paid": "yes", "token": token}
    for _again in (1, 2):
        assert "The signal is delivered." in text_of(olga.post(page, given, follow=True).content)
    assert [one.outcome for one in api.signals.list(payments)] == ["delivered", "started"]
    assert api.reasons.explain_instance(wid).status == "F"
    assert "paid = yes" in text_of(get(olga, page))


def test_what_is_wrong_with_a_signal_is_said_and_typed_values_stay(payments: str) -> None:
    olga, page = client_of(person("olga", f"flow:{payments}:operate")), f"/flows/{payments}/signals/"
    wid = api.instances.start(payments, {"paid": "x"})
    for given, said in (
        ({"signal": "payment", "instance": "no"}, "by its number or by a key"),
        ({"signal": "payment", "instance": str(wid), "key": "A"}, "by its number or by a key"),
        ({"signal": "payment", "instance": str(wid)}, "has ended, so it takes no signal"),
        ({"signal": "payment", "instance": "999999999"}, "There is no instance 999999999"),
        ({"signal": "payment"}, "names one instance"),
        ({"signal": "none", "key": "A"}, "takes no signal"),
        ({"signal": "payment", "key": "B-1"}, "No instance of flow"),
        ({}, "takes no signal"),
    ):
        answer = olga.post(page, given | {"value-paid": "typed here"})
        assert answer.status_code == 200 and said in text_of(answer.content), given
        assert answer.content.count(b"typed here") == 1
    assert api.signals.list(payments) == []


def test_masked_data_is_not_shown_and_who_only_sees_sends_nothing(payments: str) -> None:
    api.signals.send(payments, "placed", {"card": "4711"})
    viewer = client_of(person("vera", f"flow:{payments}"))
    page = f"/flows/{payments}/signals/"
    assert "4711" not in get(viewer, page) and "Send a signal" not in get(viewer, page)
    assert viewer.post(page, {"signal": "placed"}).status_code == 403
    assert len(api.signals.list(payments)) == 1


def test_older_signals_are_on_the_next_page(payments: str) -> None:
    for _n in range(51):
        api.signals.send(payments, "placed")
    viewer, page = client_of(person("vera", f"flow:{payments}")), f"/flows/{payments}/signals/"
    first = get(viewer, page)
    [before] = re.findall(r"\?before=(\d+)", first)
    assert get(viewer, f"{page}?before={before}").count("<tr role") == 2, "the head and one signal"
