"""Late results on the page of a repair: three columns, taken over or discarded by a person."""

from __future__ import annotations

import pytest
from django.test import Client

from flows import api
from flows.errors import WedError
from flows.tests.pages import Form
from monitor.recovery.tests.test_repair_page import address, bea, sent
from monitor.tests.conftest import Parcels, get, text_of

__all__ = ["bea"]


@pytest.fixture
def late(parcels: Parcels, site: None) -> int:
    """An instance whose parcel two workers packed: the result of the first one came too late."""
    wid = parcels.start(customer="Ana", extra={"label": 1})
    (job,) = api.jobs.lease_many(parcels.flow, ["tr_pack"], 1, "robot-1", conn=parcels.connection)
    api.operations.release_job(wid, job.id, "It hangs.", conn=parcels.connection)
    parcels.do("tr_pack", wid, stage="packed", pieces=2)
    with pytest.raises(WedError):
        api.jobs.complete(job, {"stage": "lost", "pieces": 3}, actor="robot-1", conn=parcels.connection)
    api.repairs.decide_late(conn=parcels.connection)
    return wid


def undecided(wid: int) -> list[int]:
    return [one.id for one in api.repairs.late_results(wid, undecided=True)]


def test_a_person_sees_three_columns_and_takes_one_value_over(bea: Client, late: int) -> None:
    assert address(late) in get(bea, "/cases/") and "late result" in text_of(get(bea, "/cases/"))
    text = text_of(get(bea, address(late)))
    assert "Late result of “Pack it” robot-1 delivered it" in text
    assert "Stage changed meanwhile new packed lost" in text and "There is nothing to repair" not in text
    (number,) = undecided(late)

    page = get(bea, f"{address(late)}?operation=merge_late&late={number}")
    fields = Form(page).fields
    assert {name: text for name, text in fields.items() if name.startswith("value-")} == {
        "value-stage": "lost", "value-pieces": "3",
    }  # fmt: skip
    page = sent(bea, late, page, do="preview", **{"value-stage": "packed"})
    assert "What will happen" in page and undecided(late)
    assert sent(bea, late, page, do="apply", reason="Counted again.") == f"/instances/{late}/"

    found = api.reasons.explain_instance(late)
    assert (found.state["stage"], found.state["pieces"]) == ("packed", 3) and not undecided(late)
    assert "Late result taken over" in get(bea, f"/instances/{late}/")


def test_a_person_discards_a_late_result(bea: Client, late: int) -> None:
    (number,) = undecided(late)
    page = get(bea, f"{address(late)}?operation=discard_late&late={number}")
    page = sent(bea, late, page, do="preview")
    sent(bea, late, page, do="apply", reason="Packed once only.")

    assert not undecided(late) and api.reasons.explain_instance(late).state["pieces"] == 2
    assert "There is nothing to repair" in get(bea, address(late))
    assert "There is nothing to repair" in get(bea, f"{address(late)}?operation=merge_late&late={number}")


def test_it_is_portuguese_for_portuguese_readers(bea: Client, late: int) -> None:
    text = text_of(bea.get(address(late), headers={"accept-language": "pt-br"}).content)
    assert "Resultado atrasado de “Pack it”" in text and "quando a tarefa começou" in text.lower()


def test_late_results_are_read_and_decided_on_over_http(bea: Client, late: int) -> None:
    (found,) = bea.get(f"/api/v1/instances/{late}/late").json()["items"]
    assert (found["state"], found["transition"], found["actor"]) == ("conflict", "tr_pack", "robot-1")
    assert found["values"][0] == {
        "attribute": "pieces", "before": 1, "present": 2, "late": 3, "changed": True,
    }  # fmt: skip
    asked = {"operation": "discard_late", "arguments": {"late": found["id"]}, "reason": "Packed once."}
    done = bea.post(f"/api/v1/instances/{late}/repair", asked, content_type="application/json")
    assert done.status_code == 200 and not undecided(late)
