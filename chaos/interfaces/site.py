"""The site: hostile URLs for its pages, fields for its forms, frames for its live connection."""

from __future__ import annotations

import http.client
import time
from urllib.parse import quote, urlencode

from hypothesis import strategies as st

from chaos import hostile
from chaos.interfaces.refusals import leak
from chaos.interfaces.target import FLOW, Target
from testkit.browser import Browser, fields
from testkit.live import Gone, LiveConnection

_OVERWRITTEN = st.dictionaries(st.integers(0, 10**6), hostile.TEXT, min_size=1, max_size=3)
PARAMETERS = "wids top before after status a op v exact behind order seq state transition".split()
INTERNAL_ERROR = 1011
_TIMEOUT = 3.0
_KINDS = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json", "x"]
_FIELDS = ["username", "password", "theme", "next", "language", "action", "_selected_action", "name", "label"]


class SiteAttacks:
    """Each method makes one request and returns its status."""

    def __init__(self, target: Target, browser: Browser) -> None:
        self.target = target
        self.browser = browser
        self._form: dict[str, str] = {}
        self._posted = 0

    def _http(self, method: str, path: str, form: bytes | None = None, **headers: str) -> str:
        try:
            status, text = self.browser.request(method, path, form, **headers)
        except (OSError, http.client.HTTPException) as error:
            self.target.report("site", f"{method} {path[:100]!r}: {type(error).__name__}")
            return type(error).__name__
        if status >= 500:
            self.target.report("site", f"{method} {path[:200]!r} was answered with {status}")
        elif leak(text):
            self.target.report("site", f"{method} {path[:200]!r} shows {leak(text)!r}")
        if status == 302 and "/login" in self.browser.location:
            self.target.report("site", f"{method} {path[:200]!r} was sent to the log-in")
        return str(status)

    def pages(self) -> str:
        """Request a page with hostile text in its URL."""
        nasty = quote(self.target.text(200), safe="/", errors="replace")
        params = {self.target.choose(PARAMETERS): self.target.text(300) for _ in range(3)}
        query = urlencode(params, errors="replace")
        path = self.target.choose([
            f"/live/flows/{FLOW}/?{query}", f"/flows/{FLOW}/?{query}&a=n&op=gt&v=1", f"/flows/{nasty}/",
            f"/instances/{nasty}.json", f"/live/instances/1/?{query}", f"/flows/{FLOW}/jobs/?{query}",
            f"/instances/99999999999999999999/?{query}", f"/{nasty}",
            f"/flows/{FLOW}/?a={nasty}&op=contains&v={nasty}", f"/workers/?{query}", f"/health/?{query}",
            f"/admin/flows/instance/?q={nasty}&{query}", f"/admin/flows/flow/{nasty}/change/",
        ])  # fmt: skip
        return self._http("GET", path)

    def posts(self) -> str:
        """Send bytes of any kind to every URL that accepts a form."""
        path = self.target.choose([
            "/accounts/login/", "/theme/", "/i18n/setlang/", "/accounts/password/", "/admin/flows/flow/add/",
            "/admin/flows/flow/", "/admin/flows/instance/", "/admin/auth/user/add/", "/accounts/logout",
        ])  # fmt: skip
        params = {self.target.choose(_FIELDS): self.target.text() for _ in range(4)}
        body: bytes = self.target.choose([
            urlencode(params, errors="replace").encode(), self.target.text().encode(errors="replace"),
            self.target.draw(st.binary(max_size=3000)),
        ])  # fmt: skip
        token = {"X-CSRFToken": self.browser.cookies.get("csrftoken", "")}
        kind = {"Content-Type": self.target.choose(_KINDS)}
        return self._http("POST", path, body, Referer=self._address(path), **token, **kind)

    def _address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.browser.port}{path}"

    def open_form(self) -> None:
        """Read the designer's form if it was saved since, and now and then otherwise."""
        self._posted += 1
        if not self._form or self._posted % 20 == 0:
            self.target.restore()
            _, page = self.browser.request("GET", self._change)
            self._form = fields(page)

    @property
    def _change(self) -> str:
        return f"/admin/flows/flow/{self.target.flow_id}/change/"

    def admin(self) -> str:
        """Submit the designer's form with some of its fields overwritten."""
        path = self._change
        form = dict(self._form)
        names = [name for name in form if name != "csrfmiddlewaretoken"]
        for number, text in self.target.draw(_OVERWRITTEN).items():  # the same draws whatever the form has
            form[names[number % len(names)]] = text
        body = urlencode(form, errors="replace").encode()
        answer = self._http("POST", path, body, Referer=self._address(path))
        if answer == "302":
            self._form = {}
        return answer

    def live(self) -> str:
        """Send frames of every kind over a live connection; it may stay open or be closed."""
        path = self.target.choose(
            ["/ws/", f"/ws/flows/{FLOW}/", "/ws/instances/1/", "/ws/instances/99999999999/", "/ws/x"]
        )
        try:
            return self._send_frames(LiveConnection(self.browser.port, path, self.browser.cookie), path)
        except Gone as gone:
            if str(INTERNAL_ERROR) in str(gone):
                self.target.report("live", f"{path} was {gone}")
            return str(gone)
        except (OSError, ValueError) as error:
            self.target.report("live", f"{path}: {type(error).__name__}")
            return type(error).__name__

    def _send_frames(self, line: LiveConnection, path: str) -> str:
        try:
            if line.status >= 500:
                self.target.report("live", f"{path} was answered with {line.status}")
            if line.status != 101:
                return str(line.status)
            for _ in range(3):
                data = self.target.text().encode(errors="replace")
                line.send_bytes(data, self.target.choose([1, 1, 2, 9]))
            until = time.monotonic() + _TIMEOUT
            while time.monotonic() < until:
                line.receive()
            return "stays open"
        finally:
            line.close()
