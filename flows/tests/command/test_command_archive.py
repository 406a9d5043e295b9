"""manage.py archive and readarchive: what is wrong with a directory or file is said in a sentence."""

from __future__ import annotations

import gzip
import json
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from flows import api
from flows.tests.commands import answer, refused
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db(transaction=True)
DOCUMENT = {
    "flow": "orders",
    "instance": {"wid": 7, "status": "F", "finished_at": "2026-01-31T00:00:00Z"},
    "trace": [],
}


def test_a_damaged_part_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    member = gzip.compress(json.dumps(DOCUMENT).encode())
    (tmp_path / "orders-2026-01.jsonl.gz").write_bytes(member[:30] + member)
    output, errors = StringIO(), StringIO()
    call_command("readarchive", str(tmp_path), stdout=output, stderr=errors)
    assert "orders" in output.getvalue()
    assert "30 bytes from byte 0 cannot be read" in errors.getvalue()
    assert [each["instance"]["wid"] for each in answer("readarchive", str(tmp_path))] == [7]


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(b"no archive")
    assert "is no archive of instances" in refused("readarchive", str(tmp_path))
    assert "There is no" in refused("readarchive", str(tmp_path / "none"))


def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    name, place = unique("kept"), tmp_path / "file"
    place.write_text("no directory")
    api.flows.create(name)
    rule = {"name": "end", "final": True, "predicate": "a is null"}
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": [rule], "retention": "1 second"})
    api.instances.start(name)
    time.sleep(1.1)
    assert "cannot be written" in refused("archive", str(place), "--flow", name)
