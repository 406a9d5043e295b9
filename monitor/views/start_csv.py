"""Start instances from the rows of a CSV file: a preview, then the start with a result for each row."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import secrets
from collections.abc import Iterator
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api, starts
from flows.access import flow_or_404, may_operate
from flows.errors import Refused
from flows.filters.tree import quote
from flows.queries.definitions import FlowInfo
from flows.starts import Result, Row, Upload
from flows.starts.batches import prefix
from flows.starts.csv_rows import MAX_BYTES, number_of, text_of
from monitor.export.formats import Column, as_csv
from monitor.labels import START_RESULT
from pages.guard import page
from pages.urlparams import number

SHOWN_ROWS = 20
SHOWN_PROBLEMS = 50
SHOWN_RESULTS = 200
PROBLEM = "# problem"
_TOKEN = re.compile("[0-9a-f]{16}")


@require_http_methods(["GET", "HEAD", "POST"])
@page
def start_csv(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form, the preview of what was sent, or the results of its start."""
    flow = flow_or_404(request.user, name)
    if not may_operate(request.user, name):
        return HttpResponseForbidden(_("You may see this flow, but not start its instances."))
    definition = api.flows.definition(name)
    context: dict[str, Any] = {
        "flow": flow, "definition": definition, "together": request.POST.get("together") == "1",
        "again": request.POST.get("again") == "1",
    }  # fmt: skip
    if request.method == "POST":
        data = _sent(request)
        upload = starts.read(data, definition)
        if upload.fault is None:
            context |= _read(request, flow, upload, text_of(data))
        else:
            context |= {"fault": upload.fault, "text": request.POST.get("text", "")[:MAX_BYTES]}
    return render(request, "monitor/start_csv.html", context)


def _sent(request: HttpRequest) -> bytes:
    """Return the file, or the text that was pasted; one byte more than allowed of what is too large."""
    file = request.FILES.get("file")
    if isinstance(file, UploadedFile):
        return file.read(MAX_BYTES + 1)
    return request.POST.get("text", "").encode("utf-8", "surrogatepass")[: MAX_BYTES + 5]


def _read(request: HttpRequest, flow: FlowInfo, upload: Upload, text: str) -> dict[str, Any]:
    """Return the results if exactly this text was seen as a preview and is started, else the preview."""
    token = request.POST.get("token", "")
    token = token if _TOKEN.fullmatch(token) else secrets.token_hex(8)
    sender = (request.user.get_username(), flow.name)
    file = _digest(token, *sender, text)
    # What is started again has keys of this upload, which may be sent twice, too.
    source = _digest(*sender, *([token] if request.POST.get("again") == "1" else []))
    rows = starts.as_rows(upload.rows, source)
    context: dict[str, Any] = {"upload": upload, "text": text, "token": token, "file": file}
    try:
        if request.POST.get("do") == "start" and request.POST.get("seen") == file:
            return context | _results(request, flow, upload, rows, source)
        note = _("The rows are not those of the preview. This is the new one.")
        context["note"] = note if request.POST.get("do") == "start" else ""
        return context | _preview(request, flow, upload, rows, source)
    except Refused as refused:
        return context | {"error": refused.sentence}


def _digest(*parts: str) -> str:
    """Return the digest of a text that a person sent for a flow: another text never has its keys."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _preview(
    request: HttpRequest, flow: FlowInfo, upload: Upload, rows: list[Row], source: str
) -> dict[str, Any]:
    found = starts.check(flow.name, rows, actor=request.user.get_username())
    refused = [each.problem for each in found if each.wid is None]
    earlier = [each.at for each in found if each.at and _is_of_content(each.row, source)]
    problems = sorted([*upload.problems, *refused], key=lambda each: each.line or 0)
    return {
        "preview": rows[:SHOWN_ROWS],
        "startable": len(rows) - len(refused),
        "known": sum(each.known for each in found) - len(earlier),
        "other": [each for each in found if each.known and each.message][:SHOWN_PROBLEMS],
        "earlier": len(earlier),
        "earlier_at": max(earlier, default=None),
        "checked": len(found) if len(found) < len(rows) else None,
        "total": number_of(upload.rows, upload.problems),
        "problems": problems[:SHOWN_PROBLEMS],
        "wrong_rows": len({each.line for each in problems}),
        "more": max(len(problems) - SHOWN_PROBLEMS, 0),
    }


def _is_of_content(row: Row, source: str) -> bool:
    """Return whether the key of a row is that of its content, and not one of the file."""
    return (row.key or "").startswith(prefix(source))


def _results(
    request: HttpRequest, flow: FlowInfo, upload: Upload, rows: list[Row], source: str
) -> dict[str, Any]:
    together = request.POST.get("together") == "1"
    if together and upload.problems:
        return {"error": _("Rows are refused: nothing is started.")} | _preview(
            request, flow, upload, rows, source
        )
    first = min(max(number(request.POST.get("from")) or 0, 0), len(rows))
    actor = request.user.get_username()
    found = starts.start(flow.name, rows[first:], actor=actor, together=together)
    everything = sorted([*found, *(_unread(upload) if first == 0 else ())], key=lambda each: each.line)
    first_wid = number(request.POST.get("first_wid")) or min(_wids(everything), default=None)
    shown = sorted(everything, key=lambda each: each.wid is not None)
    return {
        "results": shown[:SHOWN_RESULTS],
        "unshown": max(len(shown) - SHOWN_RESULTS, 0),
        "counts": [(title, sum(each.code == code for each in everything))
                   for code, title in START_RESULT.items()],
        "next": first + len(found) if first + len(found) < len(rows) else None,
        "left": len(rows) - first - len(found),
        "first_line": rows[first].line if first else None,
        "first_wid": first_wid,
        "all_of_file": _query(request, everything, first_wid),
        "download": _download(everything),
        "refused": _refused(upload, everything),
    }  # fmt: skip


def _unread(upload: Upload) -> Iterator[Result]:
    """Yield the problems of rows that cannot be read as results."""
    rows = {each.line: each for each in upload.unread}
    for each in upload.problems:
        row = rows.get(each.line or 0) or Row(each.line or 0, {}, [])
        yield Result(row, message=each.message, column=each.column)


def _wids(results: list[Result]) -> list[int]:
    """Return the instances that were started, or those that had been before if there is no other."""
    every = [(each.wid, each.known) for each in results if each.wid]
    return [wid for wid, known in every if not known] or [wid for wid, _known in every]


def _query(request: HttpRequest, results: list[Result], first: int | None) -> str:
    """Return the filter of the instances of an upload; "" if there are none.

    Their numbers follow each other, except for what other people start meanwhile.
    """
    wids = _wids(results)
    return f"id:{first}..{max(wids)} actor:{quote(request.user.get_username())}" if wids else ""


def _refused(upload: Upload, results: list[Result]) -> str:
    """Return the rows that were not started as a CSV file in an address, to be corrected; "" if none.

    The cells are as they were sent, also those that a spreadsheet reads as formulas: the next upload reads
    them.
    """
    found: dict[int, list[Result]] = {}
    for each in results:
        if each.wid is None:
            found.setdefault(each.line, []).append(each)
    if not found:
        return ""
    kept = [place for place, name in enumerate(upload.columns) if name != PROBLEM]
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([*(upload.columns[place] for place in kept), PROBLEM])
    for line in sorted(found):
        cells = dict(enumerate(found[line][0].row.cells))
        why = (": ".join(filter(None, (each.column, each.message))) for each in found[line])
        writer.writerow([*(cells.get(place, "") for place in kept), "; ".join(why)])
    return "data:text/csv;base64," + base64.b64encode(f"\ufeff{buffer.getvalue()}".encode()).decode()


def _download(results: list[Result]) -> str:
    """Return the results as a CSV file in an address."""
    columns = [Column("line", _("Line"), "integer"), Column("result", _("Result")),
               Column("wid", _("Instance"), "integer"), Column("key", _("Key")),
               Column("column", _("Column")), Column("message", _("Message"))]  # fmt: skip
    rows = ([each.line, START_RESULT[each.code], each.wid, each.row.key, each.column, each.message]
            for each in results)  # fmt: skip
    return "data:text/csv;base64," + base64.b64encode(b"".join(as_csv(columns, rows))).decode()
