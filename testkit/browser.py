"""An HTTP session with the site, like a browser's: cookies, pages, forms."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from urllib.parse import urlencode

import lxml.html

from testkit.live import Gone

LOGIN = "/accounts/login/"


def fields(page: str) -> dict[str, str]:
    """Return the fields of a page's forms with their values, as a browser would send them."""
    forms = lxml.html.document_fromstring(page).forms
    return {name: value for form in forms for name, value in form.form_values()}


class Browser:
    """A client that keeps cookies only; `location` is the Location header of the last answer."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self.location = ""

    def log_in(self, name: str, password: str) -> None:
        """Log in. Raises OSError or Gone while the site does not answer."""
        _, page = self.request("GET", LOGIN)
        token = fields(page or "<p>").get("csrfmiddlewaretoken")
        if token is None:
            raise Gone("no log-in form")
        form = {"username": name, "password": password, "csrfmiddlewaretoken": token}
        status, _ = self.request("POST", LOGIN, form)
        if status != 302:
            raise Gone(f"the log-in was answered with {status}")

    def request(
        self, method: str, path: str, form: Mapping[str, str] | bytes | None = None, **headers: str
    ) -> tuple[int, str]:
        """Return status and body. Raises OSError or http.client.HTTPException."""
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
        """Return the Cookie header with all cookies."""
        return "; ".join(f"{key}={value}" for key, value in self.cookies.items())
