"""A client that does what a page in a browser does: log in, open the live connection, fetch what changed."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Callable
from typing import Any

from chaos.client import Client
from chaos.prepare import NAME, PASSWORD
from testkit.browser import Browser
from testkit.live import Gone, LiveConnection

_ROW = re.compile(r'<tr[^>]*data-wid="(\d+)"[^>]*data-seq="(\d+)"')
TIMEOUT = 20.0


class Dashboard(Client):
    """The list of one flow's instances; `shown` maps each displayed row to its version."""

    ignored = (OSError, Gone, http.client.HTTPException)

    def __init__(self, port: int, flow: str = "chaos") -> None:
        super().__init__("dashboard", 0.3)
        self.browser = Browser(port)
        self.flow = flow
        self.shown: dict[int, int] = {}
        self.connects = 0
        self.frames = 0
        self.live = False

    def act(self) -> None:
        """Follow the page over one live connection."""
        if not self.browser.cookies.get("sessionid"):
            self.browser.log_in(NAME, PASSWORD)
        self.reload()
        try:
            with LiveConnection(self.browser.port, f"/ws/flows/{self.flow}/", self.browser.cookie) as line:
                self.connects += 1
                while not self.ended.is_set():
                    if message := line.receive():
                        self._frame(line, message)
        finally:
            self.live = False

    def _frame(self, line: LiveConnection, message: dict[str, Any]) -> None:
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
        """Load the page again: it then shows the newest instances."""
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

    def compare(self, rows: Callable[..., list[Any]], seconds: float = TIMEOUT) -> list[str]:
        """Return the differences between page and database that remain after `seconds`; empty if none."""
        until = time.monotonic() + seconds
        while True:
            now = dict(rows("select wid, seq from wedsql.instance where wid = any (%s)", (list(self.shown),)))
            wrong = [
                f"{w} shown {s}, is {now.get(w)}" for w, s in dict(self.shown).items() if now.get(w) != s
            ]
            if (self.shown and not wrong) or time.monotonic() > until:
                return wrong if self.shown else ["nothing is shown"]
            time.sleep(0.1)
