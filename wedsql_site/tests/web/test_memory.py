"""A web process gives back the memory of large requests, which its threads would keep otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from flows.languages.bpmn.document.xml import LARGEST
from monitor.tests.conftest import HERE, client_of
from testkit.web import WebServer
from tests.http_load import ProcessResources, fetch

IMPORT = "/admin/flows/flow/import/"
TOKEN = "a" * 32
# Less than two of the imports need together; the threads kept 230 MB when nothing was returned.
_GROWTH_KB = 90_000


@dataclass
class Designer:
    """A user who imports files into a web process."""

    server: WebServer
    session: str

    def send(self, name: str, content: bytes) -> str:
        """Import a file; return the page."""
        fields = {"name": "large", "do": "check", "csrfmiddlewaretoken": TOKEN}
        body = encode_multipart(BOUNDARY, fields | {"file": SimpleUploadedFile(name, content)})
        cookie = f"sessionid={self.session}; csrftoken={TOKEN}"
        line = HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        with closing(line):
            line.request("POST", IMPORT, body, {"Cookie": cookie, "Content-Type": MULTIPART_CONTENT})
            return line.getresponse().read().decode()

    def memory_kb(self) -> int:
        return ProcessResources.of(self.server.pid).memory_kb


@pytest.fixture
def dora(dsn: str, django_db_blocker: Any) -> Iterator[Designer]:
    """A superuser; committed, so that the web process sees the account."""
    with django_db_blocker.unblock():
        user = User.objects.create_superuser("dora" + HERE)
        session = client_of(user).cookies["sessionid"].value
    with WebServer.on(dsn) as server:
        yield Designer(server, session)
    with django_db_blocker.unblock():
        user.delete()
        connection.close()


def repeated(piece: Callable[[int], str], size: int) -> str:
    """Return as many pieces as have this size together."""
    number = size // len(piece(100_000))
    return "".join(map(piece, range(number)))


def bpmn(size: int) -> bytes:
    head = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p">'
    tasks = repeated(lambda n: f'<task id="t{n}" name="Task {n} of many"/>', size)
    return f"{head}{tasks}</process></definitions>".encode()


def yaml(size: int) -> bytes:
    return f"edges: [{repeated(lambda n: f'[r{n}, a{n}, b{n}], ', size)}]".encode()


def text(size: int) -> bytes:
    return f"R = {{{repeated(lambda n: f'{{r{n},a{n},b{n}}}, ', size)}{{r,a,b}}}}".encode()


FILES = {"a.bpmn": bpmn, "a.yaml": yaml, "a.txt": text}


def test_large_imports_do_not_stay_in_the_process(dora: Designer) -> None:
    for name, written in FILES.items():
        assert "large" in dora.send(name, written(2_000))  # loads what reads such files
    before = dora.memory_kb()
    for _round in range(5):
        for name, written in FILES.items():
            dora.send(name, written(LARGEST - 10_000))
    for _request in range(2):
        fetch(dora.server.port, "/healthz")
    assert dora.memory_kb() - before < _GROWTH_KB
