"""A log line names flow, instance, job and worker, is one line, and never has values of a state."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import DataError, connection
from django.test import Client, RequestFactory

from wedsql_site import environment, logs
from wedsql_site.web.middleware import RequestLog
from workers.logs import summarize

ABOUT = {"flow": "orders", "wid": 7, "job": 12, "transition": "tr_pay", "worker": "w#1"}
SECRET = "Ana-Silva-4111"


def record(message: str, *args: Any, error: BaseException | None = None, **extra: Any) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    made = logging.getLogger("x").makeRecord(
        "x", logging.INFO, "f", 1, message, args, info, extra={**ABOUT, **extra}
    )
    made.created = 0.25
    return made


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:  # noqa: BLE001
        return caught


def test_a_text_line() -> None:
    line = logs.TextLines(process="worker").format(record("done %s", 1))
    assert line == (
        "1970-01-01T00:00:00.250Z INFO x: done 1 [flow=orders wid=7 job=12 transition=tr_pay worker=w#1]"
    )


def test_a_json_line() -> None:
    line = json.loads(logs.JsonLines(process="worker").format(record("done %s", 1, status=200)))
    assert line.pop("pid") > 0
    assert line == ABOUT | {
        "time": "1970-01-01T00:00:00.250Z", "level": "INFO", "logger": "x", "message": "done 1",
        "process": "worker", "status": 200,
    }  # fmt: skip


def test_the_page_lists_every_logger() -> None:
    page = (Path(environment.CHECKOUT) / "docs/operating.md").read_text()
    listed = set(re.findall(r"`([\w.]+)`", "".join(re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE))))
    used = set()
    for package in ("pages", "monitor", "flows", "workers", "wedsql_site"):
        for path in (Path(environment.CHECKOUT) / package).rglob("*.py"):
            name = ".".join(path.relative_to(environment.CHECKOUT).with_suffix("").parts)
            if "tests" not in path.parts:
                for given in re.findall(r"getLogger\((.+?)\)", path.read_text()):
                    used.add(name if given == "__name__" else given.strip('"'))

    assert used - listed == set()


def test_the_page_shows_the_lines_as_they_are() -> None:
    page = (Path(environment.CHECKOUT) / "docs/operating.md").read_text()
    text, machine = re.search(
        r"## Logs.*?```text\n(.+?)\n```.*?```json\n(.+?)\n```", page, re.DOTALL
    ).groups()  # type: ignore[union-attr]
    shown = json.loads(machine)
    extra = {name: shown[name] for name in ABOUT}
    made = logging.getLogger("workers.handler").makeRecord(
        "workers.handler", logging.INFO, "f", 1, shown["message"], (), None, extra=extra
    )
    made.created = datetime.fromisoformat(shown["time"]).timestamp()
    assert logs.TextLines(process="worker").format(made) == text
    assert list(json.loads(logs.JsonLines(process="worker").format(made)).items()) == list(
        (shown | {"pid": made.process}).items()
    )


@pytest.mark.parametrize("kind", [logs.TextLines, logs.JsonLines])
def test_only_known_fields_get_into_a_line(kind: type[logs.Lines]) -> None:
    assert SECRET not in kind().format(record("done", state={"customer": SECRET}, payload=SECRET))


@pytest.mark.parametrize("kind", [logs.TextLines, logs.JsonLines])
def test_a_record_is_one_line(kind: type[logs.Lines]) -> None:
    line = kind().format(record("done\n2026-01-01 ERROR forged\r\x1b[2J\u2028", transition="a\nb"))
    assert len(line.splitlines()) == 1 and "\x1b" not in line


@pytest.mark.parametrize("kind", [logs.TextLines, logs.JsonLines])
def test_an_exception_is_logged_without_its_message(kind: type[logs.Lines]) -> None:
    inner = raised(ValueError(f"cannot read {SECRET}"))
    try:
        raise LookupError(SECRET) from inner
    except LookupError as error:
        line = kind().format(record("failed", error=error))
        assert SECRET in kind(in_full=True).format(record("failed", error=error)), "debug mode"
    assert SECRET not in line
    assert "ValueError" in line and "LookupError" in line and "test_logs.py" in line and "Traceback" in line


@pytest.mark.django_db
def test_a_database_error_is_logged_by_its_sqlstate() -> None:
    with pytest.raises(DataError) as caught, connection.cursor() as cursor:
        cursor.execute("select %s::integer", [SECRET])
    assert SECRET in str(caught.value)
    assert summarize(caught.value).startswith("DataError (22P02") and SECRET not in summarize(caught.value)


def test_a_message_of_user_code_is_withheld_whatever_its_class(connect: Callable[..., Any]) -> None:
    with pytest.raises(psycopg.OperationalError) as caught:
        connect().execute(
            f"do $$ begin raise exception using errcode = '55000', message = '{SECRET}'; end $$"
        )
    assert "55000" in summarize(caught.value) and SECRET not in summarize(caught.value)


def test_the_message_of_an_unreachable_server_is_logged() -> None:
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect("host=/nowhere port=1")
    assert "/nowhere" in summarize(caught.value)


def test_a_wrong_format_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_LOG_FORMAT", "xml")
    with pytest.raises(environment.BadEnvironment, match="text, json"):
        logs.configuration("web", "WARNING", in_full=False)


@pytest.mark.django_db
def test_a_request_is_logged_with_its_flow_and_without_its_filters(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "wedsql.web"):
        client.get("/flows/orders/", {"a": "customer", "op": "eq", "v": SECRET})
        client.get("/healthz")
    (line,) = caplog.records
    assert (line.flow, line.method, line.path, line.status) == ("orders", "GET", "/flows/orders/", 302)  # type: ignore[attr-defined]
    for kind in (logs.TextLines, logs.JsonLines):
        assert SECRET not in kind().format(line)


def test_a_failed_request_is_always_logged(rf: RequestFactory, caplog: pytest.LogCaptureFixture) -> None:
    from django.http import HttpResponse

    with caplog.at_level(logging.INFO, "wedsql.web"):
        RequestLog(lambda _request: HttpResponse(status=503))(rf.get("/metrics"))
    assert [one.levelname for one in caplog.records] == ["WARNING"]
