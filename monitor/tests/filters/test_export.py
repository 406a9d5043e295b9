"""Downloads of lists: the rows of the screen, in three formats, without formulas."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from monitor.export.xlsx import workbook
from monitor.tests.conftest import Parcels
from monitor.views import export

FORMULAS = (
    "=1+2",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\n=1",
    " =1",
    "\u00a0=1",
    "\u200b@x",
    "\uff1d1",
    "\uff0b1",
    "\ufe62x",
)


def fetched(client: Client, address: str) -> bytes:
    response = client.get(address)
    assert response.status_code == 200 and isinstance(response, StreamingHttpResponse)
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response.streaming_content)  # type: ignore[arg-type]


def table(data: bytes) -> list[list[str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def sheet(data: bytes) -> list[list[str]]:
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        root = ET.fromstring(archive.read("xl/worksheets/sheet1.xml"))  # noqa: S314 - made by this test
    return [["".join(cell.itertext()) for cell in row] for row in root.iter(f"{space}row")]


def test_a_file_has_the_rows_of_the_screen_in_its_order_and_columns(alice: Client, parcels: Parcels) -> None:
    for n in range(60):
        parcels.start(customer=f"Zoë “{n}”, x", pieces=n % 3)
    query = "q=pieces:(0,2)&sort=id&columns=pieces,customer"
    page = alice.get(f"/flows/{parcels.flow}/?{query}").content.decode()
    screen = re.findall(r'<tr id="wid-(\d+)"', page)
    rows = table(fetched(alice, f"/flows/{parcels.flow}/export.csv?{query}"))
    assert rows[0][-2:] == ["pieces", "Customer"] and len(rows) == 41
    assert [row[0] for row in rows[1:]] == screen
    assert sheet(fetched(alice, f"/flows/{parcels.flow}/export.xlsx?{query}")) == rows
    lines = [
        json.loads(line)
        for line in fetched(alice, f"/flows/{parcels.flow}/export.jsonl?{query}").splitlines()
    ]
    assert [(str(each["wid"]), each["pieces"], each["customer"]) for each in lines] == [
        (row[0], int(row[-2]), row[-1]) for row in rows[1:]
    ]


def test_a_long_list_is_read_in_batches(
    alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.queries.exports.BATCH", 7)
    monkeypatch.setattr(export, "BATCH", 7)
    started = sorted(parcels.start_many(30), reverse=True)
    rows = table(fetched(alice, f"/flows/{parcels.flow}/export.csv"))
    assert [int(row[0]) for row in rows[1:]] == started
    everywhere = table(fetched(alice, f"/instances/export.csv?q=flow:{parcels.flow}"))
    assert [int(row[0]) for row in everywhere[1:]] == started and everywhere[1][1] == parcels.flow
    oldest = table(fetched(alice, f"/instances/export.csv?q=flow:{parcels.flow}&sort=id"))
    assert [int(row[0]) for row in oldest[1:]] == started[::-1]


def test_no_text_becomes_a_formula(alice: Client, parcels: Parcels) -> None:
    for text in FORMULAS:
        parcels.start(customer=text, weight="-2.5")
    query = "columns=customer,weight&sort=id"
    rows = table(fetched(alice, f"/flows/{parcels.flow}/export.csv?{query}"))[1:]
    assert [row[-2:] for row in rows] == [[f"'{text}", "-2.5"] for text in FORMULAS]
    data = fetched(alice, f"/flows/{parcels.flow}/export.xlsx?{query}")
    assert [row[-2:] for row in sheet(data)[1:]] == [[text, "-2.5"] for text in FORMULAS]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")


def test_rights_errors_and_the_limit(
    alice: Client, carol: Client, mallory: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    parcels.start_many(3)
    address = f"/flows/{parcels.flow}/export.csv"
    assert len(table(fetched(carol, address))) == 4
    assert mallory.get(address).status_code == 404
    assert len(table(fetched(mallory, "/instances/export.csv"))) == 1
    assert alice.get(f"/flows/{parcels.flow}/export.exe").status_code == 404
    wrong = alice.get(address, {"q": "pieces:many"})
    assert wrong.status_code == 400 and b"whole number" in wrong.content
    monkeypatch.setattr(export, "MOST_ROWS", 2)
    many = alice.get(address)
    assert many.status_code == 413 and b"Narrow its filter" in many.content


CODES = ("_x0041_", "a_x005F_", "x_x0041_y", "_x00zz_", "a\r\nb\rc", "_x_x0041__", "_xD83D_", "\u00e9_x000A_")


def read_by_excel(text: str) -> str:
    """Return the text of a cell as spreadsheets read it: _x0041_ is the character with this number."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), text)


def test_a_workbook_gives_back_texts_that_look_like_codes_and_line_breaks() -> None:
    data = b"".join(workbook(["x"], [False], [[text] for text in CODES]))
    assert [read_by_excel(row[0]) for row in sheet(data)[1:]] == [*CODES]


def test_a_workbook_shows_that_a_text_is_longer_than_a_cell() -> None:
    (_head, [short], [long]) = sheet(b"".join(workbook(["x"], [False], [["x" * 32_767], ["x" * 32_768]])))
    assert short == "x" * 32_767 and len(long) == 32_767 and long.endswith("x…")


def test_a_workbook_is_made_piece_by_piece() -> None:
    """What is kept does not grow: pieces leave while rows are still read."""
    read = 0

    def rows() -> Iterator[list[str]]:
        nonlocal read
        for read in range(5_000):
            yield [str(read), "x" * 50]

    pieces = workbook(["n", "x"], [True, False], rows())
    first = next(pieces)
    assert read < 1_000
    assert len(sheet(first + b"".join(pieces))) == 5_001


def test_a_user_has_few_downloads_at_a_time(alice: Client, carol: Client, parcels: Parcels) -> None:
    """Each may last as long as its client likes; one that was read or left makes room."""
    parcels.start()
    address = f"/flows/{parcels.flow}/export.csv"
    begun = [alice.get(address) for _ in range(export.MOST_AT_A_TIME)]
    refused = alice.get(address)
    assert refused.status_code == 429 and b"downloads" in refused.content
    assert carol.get(address).status_code == 200
    begun[0].close()
    assert fetched(alice, address) and fetched(alice, address)
    for each in begun[1:]:
        each.close()
