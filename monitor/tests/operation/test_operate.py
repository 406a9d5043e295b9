"""An operator starts, cancels and re-matches instances in the browser; others may not."""

from __future__ import annotations

import pytest
from django.test import Client

from flows.tests.pages import Form
from monitor.tests.conftest import Parcels, client_of, get, person


@pytest.fixture
def olga(parcels: Parcels, site: None) -> Client:
    """An operator of the flow."""
    return client_of(person("olga", f"flow:{parcels.flow}:operate"))


def rows(parcels: Parcels, wid: int) -> tuple[str, str, str]:
    found = parcels.connection.execute(
        "select i.status, t.actor, coalesce(i.reason, '') from wedsql.instance i"
        " join wedsql.wed_trace t on t.wid = i.wid where i.wid = %s order by t.seq desc limit 1",
        [wid],
    ).fetchone()
    assert found is not None
    return found


def test_an_instance_is_started_with_typed_values_and_defaults(olga: Client, parcels: Parcels) -> None:
    page = get(olga, f"/flows/{parcels.flow}/start/")
    assert (
        'value="1"' in page
        and ">packed</option>" in page
        and f"/flows/{parcels.flow}/start/" in get(olga, f"/flows/{parcels.flow}/")
    )
    answer = olga.post(
        f"/flows/{parcels.flow}/start/",
        {"value-customer": "Ada", "value-pieces": "3", "value-stage": "new", "key": "A-1"},
    )
    wid = int(answer.headers["Location"].strip("/").rpartition("/")[2])
    parcels.wids.append(wid)
    state = parcels.connection.execute(
        "select state, actor from wedsql.wed_trace where wid = %s and seq = 1", [wid]
    ).fetchone()
    assert state is not None and (state[0]["customer"], state[0]["pieces"], state[1]) == (
        "Ada",
        3,
        "olga in monitor",
    )
    assert state[0]["fragile"] is False
    again = olga.post(f"/flows/{parcels.flow}/start/", {"value-stage": "new", "key": "A-1"})
    assert again.headers["Location"] == answer.headers["Location"]


def test_a_form_that_is_sent_twice_starts_one_instance(olga: Client, parcels: Parcels) -> None:
    path = f"/flows/{parcels.flow}/start/"
    form = Form(get(olga, path)).fields
    first, second = (olga.post(path, form | {"value-customer": "Ada"}).headers["Location"] for _ in range(2))
    assert first == second and "nothing is started now" in get(olga, second)
    changed = olga.post(path, form | {"value-customer": "Bob"}).headers["Location"]
    another = olga.post(path, Form(get(olga, path)).fields | {"value-customer": "Ada"}).headers["Location"]
    assert len({first, changed, another}) == 3, "other values and a new form start others"


def test_a_new_start_from_a_step_that_is_sent_twice_makes_one_instance(parcels: Parcels, site: None) -> None:
    bea = client_of(person("bea", f"flow:{parcels.flow}:repair"))
    wid = parcels.start(customer="Ada")
    path = f"/instances/{wid}/repair/"
    form = Form(get(bea, f"{path}?operation=branch&step=1")).fields | {"reason": "Once more."}
    form = Form(bea.post(path, form | {"do": "preview"}).content.decode()).fields
    made = {bea.post(path, form | {"do": "apply"}).headers["Location"] for _ in range(2)}
    assert len(made) == 1 and f"/instances/{wid}/" not in made
    form = Form(get(bea, f"{path}?operation=branch&step=1")).fields | {"reason": "And again."}
    form = Form(bea.post(path, form | {"do": "preview"}).content.decode()).fields
    assert bea.post(path, form | {"do": "apply"}).headers["Location"] not in made


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"value-pieces": "many", "value-stage": "new"}, "many"),
        ({"value-stage": "lost"}, "No condition of flow"),
        ({"value-extra": "{", "value-stage": "new"}, "This is not JSON"),
        ({"value-customer": "x" * 100_001, "value-stage": "new"}, "too long"),
    ],
)
def test_what_cannot_be_started_is_explained_and_kept_in_the_form(
    olga: Client, parcels: Parcels, values: dict[str, str], said: str
) -> None:
    answer = olga.post(f"/flows/{parcels.flow}/start/", {"value-customer": "Ada"} | values)
    assert answer.status_code == 200 and said in answer.content.decode()
    assert 'value="Ada"' in answer.content.decode() or "value-customer" in values
    count = "select count(*) from wedsql.instance where flow_id = %s"
    assert parcels.connection.execute(count, [parcels.flow_id]).fetchone() == (0,)


def test_an_instance_is_cancelled_with_a_reason(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    assert "needs a reason" in olga.post(f"/instances/{wid}/cancel/", {"reason": " "}).content.decode()
    assert rows(parcels, wid)[0] == "R"
    assert olga.post(f"/instances/{wid}/cancel/", {"reason": "Sent twice."}).status_code == 302
    assert rows(parcels, wid) == ("C", "olga in monitor", "Sent twice.")
    assert "no longer running" in olga.post(f"/instances/{wid}/cancel/", {"reason": "x"}).content.decode()
    assert f"/instances/{wid}/cancel/" not in get(olga, f"/instances/{wid}/")


def test_an_instance_is_matched_again(olga: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.make_exception(wid)
    parcels.connection.execute(
        f"update {parcels.flow}.wed_trig set cpred = $$stage in ('new', 'lost')$$ where trname = 'tr_pack'"
    )
    page = olga.post(f"/instances/{wid}/rematch/", follow=True).content.decode()
    assert "Matched again" in page
    assert olga.get(f"/instances/{wid}/rematch/").status_code == 405


def test_a_viewer_sees_no_buttons_and_may_not(carol: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    page = get(carol, f"/instances/{wid}/") + get(carol, f"/flows/{parcels.flow}/")
    for address in (
        f"/instances/{wid}/cancel/",
        f"/instances/{wid}/rematch/",
        f"/flows/{parcels.flow}/start/",
    ):
        assert address not in page
        assert carol.post(address, {"reason": "x"}).status_code == 403
    assert rows(parcels, wid)[0] == "R"
