"""A workbook of one sheet, written row by row: memory does not grow with its length.

A small writer of its own, because the format of one plain sheet is short, and libraries for all of Excel keep
temporary files or need the whole sheet.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, cast
from xml.sax.saxutils import escape

MAX_CELL = 32_767
# Excel keeps 15 digits of a number; a longer one is written as text.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?")
MAX_DIGITS = 15
ROWS_PER_PIECE = 200
# Excel reads _x0041_ as the letter A, so that such a text gets its first character as a code.
_CODE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
    f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
    f' Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_SPREADSHEET}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="Instances" sheetId="1" r:id="rId1"/></sheets></workbook>',
}


class _Pieces:
    """A file that cannot seek: it keeps what was written until it is taken."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._written.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing; zipfile calls it."""

    def take(self) -> bytes:
        taken, self._written = b"".join(self._written), []
        return taken


def workbook(titles: list[str], numbers: list[bool], rows: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield the pieces of a workbook; `numbers` says which columns have numbers."""
    pieces = _Pieces()
    with zipfile.ZipFile(cast("IO[bytes]", pieces), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(name, _HEAD + text)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_SPREADSHEET}"><sheetData>'.encode())
            sheet.write(_row(titles, [False] * len(titles)))
            for place, row in enumerate(rows):
                sheet.write(_row(row, numbers))
                if place % ROWS_PER_PIECE == 0:
                    yield pieces.take()
            sheet.write(b"</sheetData></worksheet>")
    yield pieces.take()


def _row(cells: list[str], numbers: list[bool]) -> bytes:
    return f"<row>{''.join(map(_cell, cells, numbers))}</row>".encode()


def _cell(text: str, number: bool) -> str:
    if number and _NUMBER.fullmatch(text) and sum(map(str.isdigit, text)) <= MAX_DIGITS:
        return f"<c><v>{text}</v></c>"
    if not text:
        return "<c/>"
    shown = text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"
    shown = escape(_FORBIDDEN.sub("\ufffd", _CODE.sub("_x005F_", shown)), {"\r": "_x000D_"})
    return f'<c t="inlineStr"><is><t xml:space="preserve">{shown}</t></is></c>'
