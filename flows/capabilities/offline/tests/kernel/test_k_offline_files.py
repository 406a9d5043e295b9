"""Files of results made without a connection: before their result, stored once, never without each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.cases.files import FileLimits
from flows.capabilities.offline.api import OfflinePackage, SentFile
from flows.capabilities.offline.tests.kernel.device import TECHNICIAN, Phone, cases, late_ones, violations
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

LIMITS = FileLimits(2_000_000, 3, 10_000_000)
PNG = b"\x89PNG\r\n\x1a\n" + b"photo of the meter" * 100


@pytest.fixture
def cellar(kit: Kit) -> Kit:
    """A technician takes a photo of the meter in the cellar."""
    kit.rows("delete from wedsql.device")
    kit.attrs("meter")
    kit.attr("photo", kind="jsonb")
    fields = [{"attribute": "meter"}, {"attribute": "photo", "kind": "file", "accept": ["image/*"]}]
    form = Jsonb({"sections": [{"fields": fields}]})
    kit.trig("tr_measure", "meter is null", performer="person", role="Technician", offline=True, form=form)
    kit.final("meter is not null")
    return kit


def attach(phone: Phone, package: OfflinePackage, content: bytes = PNG, name: str = "IMG_1.png",
           limits: FileLimits = LIMITS) -> dict[str, Any]:  # fmt: skip
    task = package.job_id
    return api.offline.attach_file(
        phone.person, phone.key, task, "photo", SentFile(name, content), limits, conn=phone.kit.conn
    )


def contents(kit: Kit) -> int:
    return int(kit.one("select count(*) from wedsql.file_content where flow_id = %s", [kit.id]))


def test_a_photo_comes_before_its_result_and_is_in_the_history_with_it(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    photo = attach(phone, package)
    assert attach(phone, package) == photo and contents(cellar) == 1
    assert api.offline.file(package.job_id, "photo", "IMG_1.png", photo["sha256"], conn=cellar.conn) == photo
    assert cellar.state(wid)["photo"] is None, "no photo without its form"
    assert phone.send(1, phone.made(package, meter="17", photo=photo)).state == "A"
    assert cellar.state(wid)["photo"] == photo
    assert api.task_forms.read_file(wid, "photo", conn=cellar.conn)[1] == PNG and violations(cellar) == []


def test_no_form_arrives_without_its_photo(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    named = {"name": "IMG_1.png", "size": len(PNG), "sha256": "0" * 64}
    with refused("WD615"):
        phone.send(1, phone.made(package, meter="17", photo=named))
    assert phone.states() == "" and cellar.state(wid)["meter"] is None
    photo = attach(phone, package)
    assert phone.send(1, phone.made(package, meter="17", photo=photo)).state == "A"


@pytest.mark.parametrize("late", [False, True])
def test_a_result_whose_photo_the_site_does_not_take_is_refused_whole(cellar: Kit, late: bool) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    if late:
        api.tasks.release(package.job_id, "boss", force=True, conn=cellar.conn)
    with refused("WD596"):
        attach(phone, package, b"no photo", "a.txt")
    named = {"name": "a.txt", "size": 8, "sha256": "0" * 64}
    found = phone.send(1, phone.made(package, meter="17", photo=named) | {"without": ["photo"]})
    assert found.state == "R" and cellar.state(wid)["meter"] is None and late_ones(cellar, wid) == []


def test_a_late_result_has_its_photo(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    api.tasks.release(package.job_id, "boss", force=True, conn=cellar.conn)
    api.tasks.take(package.job_id, "bob", TECHNICIAN, conn=cellar.conn)
    photo = attach(phone, package)
    found = phone.send(1, phone.made(package, meter="17", photo=photo))
    assert (found.state, cases(cellar, wid)) == ("L", ["LATE_RESULT"])
    changes = cellar.one("select changes from wedsql.late_result where wid = %s", [wid])
    assert changes["photo"] == photo
    cellar.rows("update wedsql.task set ended_at = wedsql.now() where job_id = %s", [package.job_id])
    later(cellar)
    assert api.offline.file(package.job_id, "photo", "IMG_1.png", photo["sha256"], conn=cellar.conn) == photo


def later(kit: Kit) -> None:
    """Have all files be of two months ago, and the reaper delete those that no state has."""
    kit.rows("update wedsql.task_file set added_at = added_at - interval '60 days'")
    kit.rows("select wedsql._delete_unsent_files()")


def test_a_photo_of_a_result_that_waits_for_another_is_kept_and_one_of_a_discarded_result_is_not(
    cellar: Kit,
) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    photo = attach(phone, package)
    assert phone.send(2, phone.made(package, meter="17", photo=photo)).state == "W"
    cellar.rows("update wedsql.task set ended_at = wedsql.now() where job_id = %s", [package.job_id])
    later(cellar)
    assert contents(cellar) == 1
    phone.send(2, {"discarded": True})
    phone.send(1, {"discarded": True})
    assert phone.states() == "XX"
    later(cellar)
    assert contents(cellar) == 0


def test_only_the_device_that_was_given_the_task_sends_its_photo(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    for other in (Phone(cellar, "ana", "tablet-of-a-technician"), Phone(cellar, "bob")):
        with refused("WD593"):
            attach(other, package)
    with refused("WD610"):
        attach(replace_key(phone), package)
    with refused("WD590"):
        attach(phone, replace(package, job_id=2**62))
    api.offline.set_device_state(phone.id, "W", "eva", conn=cellar.conn)
    attach(phone, package)  # what a withdrawn device has made is taken
    api.offline.set_device_state(phone.id, "L", "eva", conn=cellar.conn)
    with refused("WD611"):
        attach(phone, package)


def replace_key(phone: Phone) -> Phone:
    other = Phone(phone.kit)
    other.key = "key-of-no-device-at-all"
    return other


def test_a_photo_that_is_sent_again_needs_no_room(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package, narrow = phone.locked(wid), FileLimits(len(PNG), 1, len(PNG))
    photo = attach(phone, package, limits=narrow)
    assert attach(phone, package, limits=narrow) == photo
    with refused("WD596"):
        attach(phone, package, PNG + b"x", limits=narrow)
    with refused("WD596"):
        attach(phone, package, b"", limits=LIMITS)
