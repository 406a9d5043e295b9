"""Files of cases on pages and over HTTP: limits, rights, and how they are sent."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import StopUpload
from django.test import Client

from flows import api
from flows.capabilities.cases.api import Case
from flows.capabilities.cases.files import CaseFile
from monitor.cases.tests.test_cases_page import BEA, bea, case_of
from monitor.cases.uploads import LimitedUpload, limits
from monitor.tests.conftest import Parcels, client_of, get, person
from monitor.tests.server.programs import Program, operator, owner, problem, program

__all__ = ["bea", "operator", "owner"]
HTML = b"<script>alert(1)</script>"


@pytest.fixture
def case(parcels: Parcels, site: None) -> Case:
    wid = parcels.start()
    parcels.make_exception(wid)
    return case_of(wid)


def send(client: Client, case: Case, content: bytes, name: str = "a.html") -> Any:
    file = SimpleUploadedFile(name, content, content_type="text/html")
    return client.post(f"/cases/{case.number}/files/", {"file": file}, follow=True)


def files(case: Case) -> list[CaseFile]:
    return api.cases.list_files(case.wid)


def test_a_file_is_attached_downloaded_and_removed(bea: Client, case: Case) -> None:
    assert "“a b.html” is attached." in send(bea, case, HTML, "a b.html").content.decode()
    [made] = files(case)
    assert (made.name, made.size, made.added_by) == ("a b.html", len(HTML), BEA)
    address = f"/cases/{case.number}/files/{made.id}/"
    assert f'<a href="{address}" download>a b.html</a>' in get(bea, f"/instances/{case.wid}/repair/")
    found = bea.get(address)
    assert found.content == HTML
    assert found["Content-Type"] == "application/octet-stream"
    assert found["Content-Disposition"] == 'attachment; filename="a b.html"'
    assert found["X-Content-Type-Options"] == "nosniff"
    assert found["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert bea.post(f"{address}remove/").status_code == 302 and files(case) == []
    assert bea.get(address).status_code == 404
    assert [one.kind for one in api.cases.read(case.number).history[-2:]] == ["attached", "file_removed"]


def test_what_is_too_large_is_read_to_the_limit_only(bea: Client, case: Case, settings: Any) -> None:
    settings.WEDSQL_FILE_MB = 1
    most = limits().size
    upload = LimitedUpload()
    with pytest.raises(StopUpload):
        for start in range(0, 3 * most, 65_536):
            upload.receive_data_chunk(b"x" * 65_536, start)
    assert len(upload.content) == most + 1
    assert "is attached" in send(bea, case, b"x" * most).content.decode()
    assert "A file has at most" in send(bea, case, b"x" * (most * 3)).content.decode()
    assert "The file is empty" in send(bea, case, b"").content.decode()
    assert "The file is empty" in bea.post(f"/cases/{case.number}/files/", follow=True).content.decode()
    assert [one.size for one in files(case)] == [most]


def test_a_form_without_its_token_is_rejected(bea: Client, case: Case) -> None:
    bea.handler.enforce_csrf_checks = True
    assert send(bea, case, b"x").status_code == 403 and files(case) == []


def test_files_of_others_are_removed_by_who_may_repair(bea: Client, parcels: Parcels, case: Case) -> None:
    clerk = client_of(person("cleo", f"flow:{parcels.flow}:handle"))
    reader = client_of(person("rita", f"flow:{parcels.flow}"))
    stranger = client_of(person("sven"))
    send(bea, case, b"x")
    [made] = files(case)
    address = f"/cases/{case.number}/files/{made.id}/"
    assert [each.get(address).status_code for each in (clerk, reader, stranger)] == [200, 200, 404]
    removed = [each.post(f"{address}remove/").status_code for each in (reader, stranger)]
    sent = [send(each, case, b"x").status_code for each in (reader, stranger)]
    assert (removed, sent) == ([403, 404], [403, 404])
    assert f"{address}remove/" not in get(clerk, f"/instances/{case.wid}/repair/")
    assert "Another user" in clerk.post(f"{address}remove/", follow=True).content.decode()
    assert files(case) == [made]
    send(clerk, case, b"y")
    bea.post(f"/cases/{case.number}/files/{files(case)[1].id}/remove/")
    assert files(case) == [made], "who repairs removes those of others"


def test_files_over_http(operator: Program, parcels: Parcels, case: Case, settings: Any) -> None:
    settings.WEDSQL_FILE_MB = 1
    address = f"/cases/{case.number}/files"
    content = bytes(range(256)) * 4096
    made = operator.post(address, {"name": "../a.bin", "content": b64encode(content).decode()}).json()
    assert (made["name"], made["size"]) == ("a.bin", len(content))
    assert operator.get(address).json()["items"] == [made]
    found = operator.get(f"{address}/{made['id']}").json()
    assert b64decode(found["content"]) == content
    larger = b64encode(content + b"x").decode()
    assert problem(operator.post(address, {"name": "a", "content": larger}), 422)["code"] == "WD540"
    problem(operator.post(address, {"name": "a", "content": larger * 2}), 413)
    problem(operator.post(address, {"name": "a", "content": "?"}), 422)
    clerk = program(person("cleo", f"flow:{parcels.flow}:handle"), "handle")
    assert problem(clerk.delete(f"{address}/{made['id']}"), 422)["code"] == "WD541"
    assert operator.delete(f"{address}/{made['id']}").status_code == 204
    problem(operator.get(f"{address}/{made['id']}"), 404)
