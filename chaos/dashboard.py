"""A page in a browser, without the browser: logs in, opens the live line, fetches what changed."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from chaos.live import Gone, LiveLine
from chaos.prepare import NAME, PASSWORD

_ROW = re.compile(r'<tr[^>]*data-wid="(\d+)"[^>]*data-seq="(\d+)"')
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
PATIENCE = 20.0


class Browser:
    """A session with the site: cookies and nothing else."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self.location = ""

    def log_in(self) -> None:
        """Raises OSError or Gone while the site does not answer."""
        _, page = self.request("GET", "/accounts/login/")
        token = _TOKEN.search(page)
        if token is None:
            raise Gone("no log-in form")
        form = {"username": NAME, "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
        status, _ = self.request("POST", "/accounts/login/", form)
        if status != 302:
            raise Gone(f"the log-in was answered with {status}")

    def request(
        self, method: str, path: str, form: Mapping[str, str] | bytes | None = None, **headers: str
    ) -> tuple[int, str]:
        """Status and body; raises OSError or http.client.HTTPException."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            body = urlencode(form) if isinstance(form, Mapping) else form
            kind = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
            line.request(method, path, body, {"Cookie": self.cookie, **kind, **headers})
            answer = line.getresponse()
            text = answer.read().decode(errors="replace")
            self.location = answer.getheader("Location") or ""
            for name, value in answer.getheaders():
                if name.lower() == "set-cookie":
                    key, _, rest = value.partition("=")
                    self.cookies[key] = rest.partition(";")[0]
            return answer.status, text
        finally:
            line.close()

    @property
    def cookie(self) -> str:
        return "; ".join(f"{key}={value}" for key, value in self.cookies.items())


class Dashboard(threading.Thread):
    """The list of one flow's instances; `shown` maps each row on the screen to its version."""

    def __init__(self, port: int, flow: str = "chaos") -> None:
        super().__init__(name="dashboard", daemon=True)
        self.browser = Browser(port)
        self.flow = flow
        self.shown: dict[int, int] = {}
        self.ended = threading.Event()
        self.wanted = threading.Event()
        self.connects = 0
        self.frames = 0
        self.live = False

    def run(self) -> None:
        while not self.ended.is_set():
            with suppress(OSError, Gone, http.client.HTTPException):
                if not self.browser.cookies.get("sessionid"):
                    self.browser.log_in()
                self._session()
            self.live = False
            self.ended.wait(0.3)

    def _session(self) -> None:
        self.reload()
        with LiveLine(self.browser.port, f"/ws/flows/{self.flow}/", self.browser.cookie) as line:
            self.connects += 1
            while not self.ended.is_set():
                message = line.receive()
                if message is not None:
                    self._frame(line, message)

    def _frame(self, line: LiveLine, message: dict[str, Any]) -> None:
        self.frames += 1
        if message.get("n"):
            line.send(json.dumps({"op": "ack", "n": message["n"]}))
        if message["op"] == "stale":
            self.live = False
        elif message["op"] == "changed":
            self._fetch([w for w, seq in message["ids"] if self.shown.get(w, seq) < seq])
        elif message["op"] in ("hello", "resync") or not self.live:
            self._fetch(list(self.shown))
            self.live = True

    def reload(self) -> None:
        """Open the page anew: the newest instances are on the screen."""
        status, page = self.browser.request("GET", f"/flows/{self.flow}/")
        if status != 200:
            raise Gone(f"the page was answered with {status}")
        self.shown = {int(wid): int(seq) for wid, seq in _ROW.findall(page)}

    def _fetch(self, wids: list[int]) -> None:
        for at in range(0, len(wids), 40):
            some = ",".join(map(str, wids[at : at + 40]))
            status, text = self.browser.request("GET", f"/live/flows/{self.flow}/?wids={some}")
            if status != 200:
                raise Gone(f"the rows were answered with {status}")
            for html in json.loads(text)["rows"].values():
                self.shown.update({int(wid): int(seq) for wid, seq in _ROW.findall(html)})

    def compare(self, rows: Callable[..., list[Any]], seconds: float = PATIENCE) -> list[str]:
        """What the screen shows wrongly although it had time; nothing when it shows the database."""
        until = time.monotonic() + seconds
        while True:
            now = dict(rows("select wid, seq from wedsql.instance where wid = any (%s)", (list(self.shown),)))
            wrong = [
                f"{w} shown {s}, is {now.get(w)}" for w, s in dict(self.shown).items() if now.get(w) != s
            ]
            if (self.shown and not wrong) or time.monotonic() > until:
                return wrong if self.shown else ["nothing is shown"]
            time.sleep(0.1)

    def stop(self) -> None:
        self.ended.set()
        self.join(10)
