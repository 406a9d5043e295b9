"""Firefox and WebKit, the engine of Safari, as much of a browser as the client needs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import websocket
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from selenium import webdriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from testkit.line import Line

DEADLINE = 60
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
CLICK = "document.querySelector({}).click()"


class Engine(Protocol):
    """A browser that opens pages, runs scripts in them, and is typed into."""

    keeps: bool
    """whether it has its data after it was killed"""

    def open(self, url: str) -> None: ...
    def run(self, script: str) -> Any: ...
    def type(self, selector: str, text: str) -> None: ...
    def set_session(self, url: str, key: str) -> None: ...
    def kill(self) -> None: ...


class Firefox:
    """Firefox, which is spoken to by WebDriver BiDi, as it needs no further program for that."""

    keeps = True

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        program = str(shutil.which("firefox-esr") or shutil.which("firefox"))
        flags = ("--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0")
        home = {**os.environ, "HOME": str(folder)}
        self._process = subprocess.Popen(
            [program, *flags, "about:blank"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            env=home, start_new_session=True,
        )  # fmt: skip
        assert self._process.stderr is not None
        address = next(found[1] for line in self._process.stderr if (found := LISTENS.search(line)))
        self._socket = websocket.create_connection(f"{address}/session", timeout=120, suppress_origin=True)
        self._asked = 0
        self._call("session.new", capabilities={})
        self._page = self._call("browsingContext.getTree")["contexts"][0]["context"]

    def _call(self, method: str, **params: Any) -> Any:
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while (answer := json.loads(self._socket.recv())).get("id") != self._asked:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def open(self, url: str) -> None:
        self._call("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def run(self, script: str) -> Any:
        expression = f"(async () => JSON.stringify(await (async () => {{ {script} }})() ?? null))()"
        target = {"context": self._page}
        found = self._call("script.evaluate", expression=expression, target=target, awaitPromise=True)
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def type(self, selector: str, text: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        keys = [{"type": kind, "value": one} for one in text for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keys", "actions": keys}]
        self._call("input.performActions", context=self._page, actions=actions)

    def set_session(self, url: str, key: str) -> None:
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": {"type": "string", "value": key}}
        more = {"domain": "127.0.0.1", "path": "/", "httpOnly": True}
        self._call("storage.setCookie", cookie=cookie | more)

    def kill(self) -> None:
        """Kill it with all its processes; its profile stays."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
        self._socket.close()
        if self._process.stderr:
            self._process.stderr.close()


class WebKit:
    """WebKitGTK, which has no data any more when it has ended."""

    keeps = False

    def __init__(self, folder: Path) -> None:
        self._screen, display = _screen()
        folder.mkdir(exist_ok=True)
        options = Options()
        options.binary_location = str(next(Path("/").glob(MINI_BROWSERS[1:])))
        options.add_argument("--automation")
        home = {"HOME": folder, "XDG_DATA_HOME": folder / "data", "XDG_CACHE_HOME": folder / "cache"}
        environment = {**os.environ, **{name: str(place) for name, place in home.items()}}
        environment |= {"DISPLAY": display, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}  # as root
        service = Service(str(shutil.which("WebKitWebDriver")), env=environment)
        with warnings.catch_warnings():  # Selenium calls itself in a way that it has deprecated
            warnings.simplefilter("ignore", DeprecationWarning)
            self._driver = webdriver.WebKitGTK(options=options, service=service)
        self._driver.set_script_timeout(120)

    def open(self, url: str) -> None:
        self._driver.get(url)

    def run(self, script: str) -> Any:
        asked = (
            f"const done = arguments[0]; (async () => {{ {script} }})().then(done, (e) => done(String(e)))"
        )
        return self._driver.execute_async_script(asked)  # type: ignore[no-untyped-call]

    def type(self, selector: str, text: str) -> None:
        self._driver.find_element("css selector", selector).send_keys(text)

    def set_session(self, url: str, key: str) -> None:
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": key, "path": "/", "httpOnly": True}
        self._driver.add_cookie(cookie)

    def kill(self) -> None:
        with suppress(Exception):
            self._driver.quit()
        self._screen.kill()
        self._screen.wait()


def _screen() -> tuple[subprocess.Popen[str], str]:
    """Start a screen in memory; return it with the name of its display."""
    reading, writing = os.pipe()
    flags = ("-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp")
    screen = subprocess.Popen(["Xvfb", *flags], pass_fds=(writing,), stderr=subprocess.DEVNULL, text=True)
    os.close(writing)
    with os.fdopen(reading) as said:
        return screen, f":{said.readline().strip()}"


ENGINES: Mapping[str, tuple[Callable[[Path], Engine], Callable[[], object]]] = {
    "firefox": (Firefox, lambda: shutil.which("firefox-esr") or shutil.which("firefox")),
    "webkit": (
        WebKit,
        lambda: (
            shutil.which("WebKitWebDriver") and shutil.which("Xvfb") and [*Path("/").glob(MINI_BROWSERS[1:])]
        ),
    ),
}


class OtherDevice:
    """A device of another engine on a line, with the client on its page."""

    def __init__(self, start: Callable[[Path], Engine], folder: Path, line: Line) -> None:
        self._start, self._folder, self.line = start, folder, line
        self.engine = start(folder)

    def start_again(self) -> None:
        """Kill the browser, and start it again on its data; one that keeps none leaves its page."""
        if self.engine.keeps:
            self.engine.kill()
            self.engine = self._start(self._folder)
        else:
            self.engine.open("about:blank")

    def open(self, path: str = "offline/en/") -> None:
        self.engine.open(self.line.url + path)

    def log_in(self, name: str) -> None:
        client = Client()
        client.force_login(get_user_model().objects.get(username=name))
        self.engine.set_session(self.line.url, client.cookies[settings.SESSION_COOKIE_NAME].value)

    def run(self, script: str) -> Any:
        return self.engine.run(script)

    def texts(self, selector: str) -> list[str]:
        found = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return [*self.run(f"return {found}.map((one) => one.textContent.trim())")]

    def values(self, selector: str, attribute: str) -> list[str]:
        found = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return [*self.run(f"return {found}.map((one) => one.getAttribute({json.dumps(attribute)}))")]

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait until a condition holds. Raises AssertionError with what the page shows."""
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until:
            if found := condition():
                return found
            time.sleep(0.1)
        raise AssertionError(f"{what}: {self.run('return location.href + document.body.innerText')}")

    def press(self, selector: str) -> None:
        self.wait(lambda: self.texts(selector), f"there is a {selector}")
        self.run(CLICK.format(json.dumps(selector)))

    def exchanged(self) -> None:
        self.wait(lambda: self.values("#line[data-line=connected]", "id"), "it is connected")
        self.wait(lambda: self.values("body[data-kept=yes]", "class"), "its worker has all files")
