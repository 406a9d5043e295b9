"""Instances from a CSV file: what is read, what is refused at its line, and that no row starts twice."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from flows import api
from flows import starts as starting
from flows.starts import batches
from monitor.tests.conftest import Parcels, client_of, person, text_of

GOOD = 'customer,weight,due\nAna,2.5,2026-01-01\n"Bia, ""B""",,\n\'\'\t,3,2026-02-01\n'


@pytest.fixture
def olga(parcels: Parcels, site: None) -> Client:
    """A user who may operate the parcels only."""
    return client_of(person("olga", f"flow:{parcels.flow}", f"flow:{parcels.flow}:operate"))


def states(parcels: Parcels) -> list[dict[str, Any]]:
    """Return the states of all instances, in the order of their numbers."""
    table = f'select to_jsonb(w) from "{parcels.flow}".wed_flow w order by wid'
    return [state for (state,) in parcels.connection.execute(table)]


def address(parcels: Parcels) -> str:
    return f"/flows/{parcels.flow}/start/csv/"


def post(client: Client, parcels: Parcels, text: str | bytes, **fields: str) -> str:
    """Send a text, or bytes as a file, and return the page."""
    sent: dict[str, Any] = (
        {"file": SimpleUploadedFile("a.csv", text)} if isinstance(text, bytes) else {"text": text}
    )
    response = client.post(address(parcels), fields | sent)
    assert response.status_code == 200
    return response.content.decode()


def hidden(page: str) -> dict[str, str]:
    """Return what the form of a preview confirms."""
    return {name: re.findall(f'name="{name}" value="([^"]*)"', page)[0] for name in ("token", "seen")}


def start(client: Client, parcels: Parcels, text: str, **fields: str) -> str:
    """Look at the preview and start it."""
    return post(client, parcels, text, do="start", **hidden(post(client, parcels, text)), **fields)


def downloaded(page: str) -> list[list[str]]:
    """Return the rows of the file of results."""
    data = re.findall(r'href="data:text/csv;base64,([^"]*)"', page)[0]
    return list(csv.reader(io.StringIO(base64.b64decode(unescape(data)).decode("utf-8-sig"))))


@pytest.mark.parametrize("sent", [
    GOOD, GOOD.encode(), b"\xef\xbb\xbf" + GOOD.encode(), GOOD.replace("\n", "\r\n").encode(),
    "weight;customer;due\n2.5;Ana;2026-01-01\n;\"Bia, \"\"B\"\"\";\n\n3;''\t;2026-02-01\n",
])  # fmt: skip
def test_rows_are_read_with_either_separator_and_with_or_without_a_mark(
    parcels: Parcels, sent: str | bytes
) -> None:
    data = sent.encode() if isinstance(sent, str) else sent
    upload = starting.read(data, api.flows.definition(parcels.flow, conn=parcels.connection))
    assert upload.fault is None and upload.problems == []
    assert [(row.state["customer"], row.state["weight"], row.state["due"]) for row in upload.rows] == [
        ("Ana", "2.5", "2026-01-01"), ('Bia, "B"', None, None), ("''\t", "3", "2026-02-01"),
    ]  # fmt: skip


def test_a_preview_starts_nothing_and_the_start_gives_a_result_for_each_row(
    olga: Client, parcels: Parcels
) -> None:
    page = post(olga, parcels, GOOD)
    assert "3 rows, of which 3 can be started." in text_of(page) and "Ana" in page
    assert states(parcels) == []
    page = post(olga, parcels, GOOD, do="start", **hidden(page))
    found = states(parcels)
    assert [(each["customer"], each["weight"], each["stage"]) for each in found] == [
        ("Ana", 2.5, "new"), ('Bia, "B"', None, "new"), ("''\t", 3, "new"),
    ]  # fmt: skip
    rows = downloaded(page)
    assert [row[:3] for row in rows[1:]] == [
        [str(line), "Started", str(each["wid"])] for line, each in enumerate(found, 2)
    ]
    listed = olga.get(f"/flows/{parcels.flow}/", {"q": f'key^"{rows[1][3].partition(":")[0]}:"'})
    assert re.findall(r'<tr id="wid-(\d+)"', listed.content.decode()) == [
        str(each["wid"]) for each in reversed(found)
    ]


def test_a_start_that_is_sent_twice_starts_no_row_twice(olga: Client, parcels: Parcels) -> None:
    fields = hidden(post(olga, parcels, GOOD))
    first, second = (post(olga, parcels, GOOD, do="start", **fields) for _ in range(2))
    assert len(states(parcels)) == 3
    assert [row[2] for row in downloaded(first)] == [row[2] for row in downloaded(second)]
    assert {row[1] for row in downloaded(second)[1:]} == {"Started before"}


def test_the_text_of_a_preview_comes_back_from_a_browser_as_it_was(olga: Client, parcels: Parcels) -> None:
    """A browser drops the first line break of a text area and sends the others as CR LF."""
    text = '\n\ncustomer,stage\n"Ana\n & </textarea>""B""",new\n\tBia ,new\n\n'
    page = post(olga, parcels, text.encode())
    area = re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)[0]
    page = post(olga, parcels, unescape(area).replace("\n", "\r\n"), do="start", **hidden(page))
    assert [row[:2] for row in downloaded(page)[1:]] == [["4", "Started"], ["6", "Started"]]
    assert [each["customer"] for each in states(parcels)] == ['Ana\n & </textarea>"B"', "\tBia "]


def test_other_rows_than_those_of_the_preview_are_shown_first(olga: Client, parcels: Parcels) -> None:
    fields = hidden(post(olga, parcels, GOOD))
    page = post(olga, parcels, GOOD + "Caio,1,\n", do="start", **fields)
    assert "not those of the preview" in text_of(page) and "4 rows" in text_of(page)
    assert hidden(page)["seen"] != fields["seen"] and states(parcels) == []
    assert "Preview" in text_of(post(olga, parcels, GOOD, do="start")) and states(parcels) == []


MIXED = """customer,weight,stage,extra
Ana,1,new,{}
Bia,heavy,new,{}
Caio,2,shipped,{}
Dora,3,new,{
Eva,4,new
Flor,5,,
"""


def test_what_is_wrong_is_shown_at_its_line_and_column(olga: Client, parcels: Parcels) -> None:
    page = post(olga, parcels, MIXED)
    table = page.partition('id="problems"')[2].partition("</table>")[0]
    wrong = re.findall(r'class="seq">(\d+)</th>\s*<td [^>]*>(\w*)</td>', table)
    assert wrong[:4] == [("3", "weight"), ("4", "stage"), ("5", "extra"), ("6", "")], table
    assert "This row has 3 cells, the first one 4." in text_of(table) and "new, packed" in text_of(table)


def test_json_that_cannot_be_stored_is_refused_in_its_row_only(olga: Client, parcels: Parcels) -> None:
    deep = "[" * 9_000 + "]" * 9_000
    cells = ["NaN", '"\\ud800"', '{"a": "\\u0000"}', deep, "[1]"]
    text = "extra\n" + "".join('"{}"\n'.format(cell.replace('"', '""')) for cell in cells)
    rows = downloaded(start(olga, parcels, text))
    assert [row[1] for row in rows[1:]] == [*["Not started"] * 4, "Started"], rows
    assert [each["extra"] for each in states(parcels)] == [[1]]


def test_good_rows_are_started_without_the_others_or_none_are(olga: Client, parcels: Parcels) -> None:
    text = MIXED.replace("Flor,5,,\n", "")
    assert "nothing is started" in text_of(start(olga, parcels, text, together="1"))
    refused_by_the_kernel = "customer,weight\nAna,1\nBia,heavy\n"
    rows = downloaded(start(olga, parcels, refused_by_the_kernel, together="1"))
    assert [row[1] for row in rows[1:]] == ["Not started"] * 2 and states(parcels) == []
    rows = downloaded(start(olga, parcels, text, together="0"))
    assert [row[:2] for row in rows[1:]] == [
        ["2", "Started"], *([line, "Not started"] for line in "3456"),
    ]  # fmt: skip
    assert [each["customer"] for each in states(parcels)] == ["Ana"]


def test_a_key_of_a_row_that_was_used_before_starts_nothing(olga: Client, parcels: Parcels) -> None:
    wid = api.instances.start(parcels.flow, {}, key="A1", conn=parcels.connection)
    page = post(olga, parcels, "key,customer\nA1,Ana\nA2,Bia\nA2,Caio\n,Dora\n")
    assert "Line 3 has the same key." in text_of(page) and "1 have a key" in text_of(page)
    rows = downloaded(start(olga, parcels, "key,customer\nA1,Ana\nA2,Bia\n,Dora\n"))
    assert rows[1][:4] == ["2", "Started before", str(wid), "A1"] and len(states(parcels)) == 3
    assert "with other values: customer." in str(rows[1])
    assert "with other values" not in str(rows[2:])


def test_a_key_with_other_values_says_which(
    olga: Client, parcels: Parcels, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "key,customer,weight\nA1,Ana,1.50\nA2,Bia,2\n"
    start(olga, parcels, text)
    text = "key,customer,weight\nA1,Ana,1.5\nA2,Bea,3\n"
    said = "Started before, with other values: customer, weight."
    page = text_of(post(olga, parcels, text))
    assert f"Line 3: {said}" in page and "Line 2: Started" not in page, "1.5 is 1.50"
    assert said in text_of(start(olga, parcels, text))
    file = tmp_path / "a.csv"
    file.write_text(text)
    call_command("startinstance", parcels.flow, "--csv", str(file))
    assert said in capsys.readouterr().out and len(states(parcels)) == 2


def test_a_start_without_time_is_continued_where_it_stopped(
    olga: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 2)
    monkeypatch.setattr(batches.start, "__kwdefaults__", {"actor": "", "together": False, "seconds": 0.0})
    text = "customer\n" + "".join(f"c{n}\n" for n in range(5))
    page = start(olga, parcels, text)
    assert len(states(parcels)) == 2 and "3 rows are left" in text_of(page)
    for _ in range(2):
        fields = hidden(page) | {"from": re.findall(r'name="from" value="(\d+)"', page)[0]}
        page = post(olga, parcels, text, do="start", **fields)
    assert [each["customer"] for each in states(parcels)] == [f"c{n}" for n in range(5)]
    assert "are left" not in text_of(page) and "From line 6 on" in text_of(page)
    assert "no time left" in start(olga, parcels, text, together="1") and len(states(parcels)) == 5


def refused(page: str) -> str:
    """Return the file of the rows that were refused."""
    (data,) = re.findall(r'href="data:text/csv;base64,([^"]*)" download="[^"]*-refused.csv"', page)
    return base64.b64decode(unescape(data)).decode("utf-8-sig")


TEN = "customer;weight\n" + "".join(f"c{n};{'1,5' if n == 4 else n}\n" for n in range(10))


def test_a_corrected_file_starts_only_what_was_not_started(olga: Client, parcels: Parcels) -> None:
    start(olga, parcels, TEN)
    assert len(states(parcels)) == 9
    corrected = TEN.replace("1,5", "1.5").replace("customer;weight\n", "customer;weight\nc10;10\n")
    page = post(olga, parcels, corrected)
    assert "9 rows were started from an earlier file of yours" in text_of(page)
    page = post(olga, parcels, corrected, do="start", **hidden(page))
    assert [row[1] for row in downloaded(page)[1:]].count("Started before") == 9
    assert sorted(each["customer"] for each in states(parcels)) == sorted(f"c{n}" for n in range(11))
    start(olga, parcels, corrected)
    swapped = "weight,customer\n" + "".join(f"{n},c{n}\n" for n in reversed(range(4)))
    start(olga, parcels, swapped)
    assert len(states(parcels)) == 11, "neither the same text again nor its rows in another order"


def test_rows_that_are_alike_are_each_started_once(olga: Client, parcels: Parcels) -> None:
    start(olga, parcels, "customer\nAna\nAna\n")
    start(olga, parcels, "customer\nBia\nAna\nAna\nAna\n")
    assert [each["customer"] for each in states(parcels)] == ["Ana", "Ana", "Bia", "Ana"]


def test_the_same_file_of_another_person_starts_instances_of_its_own(olga: Client, parcels: Parcels) -> None:
    start(olga, parcels, GOOD)
    other = client_of(person("otto", f"flow:{parcels.flow}", f"flow:{parcels.flow}:operate"))
    assert "3 rows, of which 3 can be started." in text_of(post(other, parcels, GOOD))
    start(other, parcels, GOOD)
    assert len(states(parcels)) == 6


def test_rows_are_started_again_if_that_is_asked_for(olga: Client, parcels: Parcels) -> None:
    start(olga, parcels, GOOD)
    page = post(olga, parcels, GOOD)
    assert 'name="again"' in page
    for _ in range(2):
        post(olga, parcels, GOOD, do="start", again="1", **hidden(page))
    assert len(states(parcels)) == 6


def test_the_refused_rows_can_be_downloaded_corrected_and_sent(olga: Client, parcels: Parcels) -> None:
    text = 'customer,weight,extra\nAna,1,\n"=B, ""b""",heavy,"{""a"": 1}"\nCaio,2\n'
    page = start(olga, parcels, text)
    rows = list(csv.reader(io.StringIO(refused(page))))
    assert rows[0] == ["customer", "weight", "extra", "# problem"]
    assert [row[:3] for row in rows[1:]] == [['=B, "b"', "heavy", '{"a": 1}'], ["Caio", "2", ""]]
    assert rows[1][3].startswith("weight: ") and "2 cells" in rows[2][3]
    corrected = refused(page).replace("heavy", "2.5")
    again = start(olga, parcels, corrected)
    assert [row[1] for row in downloaded(again)[1:]] == ["Started", "Started"]
    assert 'download="' in again and "-refused.csv" not in again
    assert [each["customer"] for each in states(parcels)] == ["Ana", '=B, "b"', "Caio"]


def test_the_instances_of_an_upload_are_listed(olga: Client, parcels: Parcels) -> None:
    start(olga, parcels, "customer\nAna\n")
    page = start(olga, parcels, "key,customer\nk1,Bia\n,Caio\n")
    (query,) = re.findall(r'href="[^"]*\?(q=[^"]*)">\s*Instances of this file', page)
    listed = olga.get(f"/flows/{parcels.flow}/?{unescape(query)}").content.decode()
    assert len(re.findall(r'<tr id="wid-(\d+)"', listed)) == 2


FAULTS: list[tuple[bytes, str]] = [
    (b"", "empty"), (b"\n\n  \n", "empty"), (b"customer\n", "no rows"),
    (b"customer\nA\x00na\n", "Line 2: The file has the character NUL"),
    ("customer\nÁgua\n".encode("latin-1"), "Line 2: The file is not in UTF-8"),
    ("customer\nAna\n".encode("utf-16"), "not in UTF-8"),
    (b"x" * 10_000_000, "larger than 1 MB"), (b"customer\n" + b"a\n" * 5_001, "more than 5000 rows"),
    (b"customer,customer\n1,2\n", "customer : This column is there twice"),
    (b"customer,colour\n1,2\n", "colour : The flow has no such attribute"),
    (b",customer\n1,2\n", "1 : This column has no name"),
    (b"wid,customer\n1,2\n", "no such attribute"), (b'customer\n"Ana\n', "a quotation mark is not closed"),
    (b'customer\n"A"na\n', "a quotation mark is not closed"), (b"customer\n" + b"x" * 200_000, "too long"),
    (b"," * 900_000, "empty"), (b"<script>alert(1)</script>\n1\n", "&lt;script&gt;"),
]  # fmt: skip


def test_a_file_that_cannot_be_used_is_refused_with_the_reason(olga: Client, parcels: Parcels) -> None:
    for data, message in FAULTS:
        page = post(olga, parcels, data)
        assert message in re.sub(r"\s+:", " :", text_of(page)) or message in page, (
            data[:40],
            text_of(page)[-900:],
        )
        assert "<script>alert" not in page and 'value="start"' not in page
    assert "larger than 1 MB" in post(olga, parcels, "customer\n" + "a" * 1_000_000)
    assert states(parcels) == []


def test_results_are_no_formulas_in_a_spreadsheet(olga: Client, parcels: Parcels) -> None:
    page = start(olga, parcels, "key,stage\n=1+1,new\n@x,=2\n", together="0")
    rows = downloaded(page)
    assert [row[3] for row in rows[1:]] == ["'=1+1", "'@x"]
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_only_who_may_operate_sees_the_form(carol: Client, mallory: Client, parcels: Parcels) -> None:
    for client, status in ((carol, 403), (mallory, 404), (Client(), 302)):
        assert client.get(address(parcels)).status_code == status
        assert client.post(address(parcels), {"text": GOOD, "do": "start"}).status_code == status
    assert states(parcels) == []


def test_the_command_starts_the_rows_of_a_file_once(
    parcels: Parcels, site: None, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("customer,weight\nAna,1\nBia,2\n")

    def run(*more: str) -> dict[str, Any]:
        call_command("startinstance", parcels.flow, "--csv", str(file), "--json", *more)
        return dict(json.loads(capsys.readouterr().out))

    assert run("--check")["started"] == 2 and states(parcels) == []
    first = run()
    assert [each["wid"] for each in first["instances"]] == [each["wid"] for each in states(parcels)]
    assert (run()["known"], run("--again", "x")["started"], len(states(parcels))) == (2, 2, 4)
    file.write_text("customer,weight\nAna,1\nBia,heavy\n")
    with pytest.raises(CommandError, match="Rows are refused"):
        run("--together")
    assert len(states(parcels)) == 4
    file.write_text("colour\n1\n")
    with pytest.raises(CommandError, match="line 1: colour"):
        run()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("customer;weight;;\nAna;2.5;;\nBia;;;\n", 2),
        (";;\ncustomer;weight\nAna;2.5\n", 1),
        ('"";""\n"customer";"weight"\n"Ana";"2.5"\n', 1),
        ("customer,weight\nAna,2.5,,\n", 1),
        ("customer,weight,\nAna,2.5,x\n", "This row has 3 cells"),
        ("customer,,weight\nAna,,2.5\n", "This column has no name"),
        (",customer\nx,Ana\n", "This column has no name"),
    ],
)
def test_blank_cells_of_a_spreadsheet_are_no_columns(parcels: Parcels, text: str, found: int | str) -> None:
    upload = starting.read(text.encode(), api.flows.definition(parcels.flow, conn=parcels.connection))
    if isinstance(found, int):
        assert upload.fault is None and upload.problems == [] and len(upload.rows) == found
        assert upload.rows[0].state == {"customer": "Ana", "weight": "2.5"}
    else:
        problems = [upload.fault] if upload.fault else upload.problems
        assert [each.message.startswith(found) for each in problems] == [True]
