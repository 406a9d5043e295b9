"""A browser with a profile of its own on a line of its own, which is killed, cut off, and started again."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from urllib3.exceptions import HTTPError

from testkit.line import Line
from tests.browser.conftest import DESK, FLAGS, PROGRAMS, wait_in
from tests.browser.link import Link

Browser = webdriver.Chrome


class Device:
    """A browser with a profile of its own on a line of its own, or in a network of its own."""

    def __init__(self, folder: Path, line: Line | Link) -> None:
        self.folder, self.line = folder, line
        self.page = self._started()

    def _started(self) -> Browser:
        options = webdriver.ChromeOptions()
        # The program without windows does not start on a profile of its own.
        program, more = str(next(filter(None, map(shutil.which, PROGRAMS[1:])))), ()
        if isinstance(self.line, Link):
            program, more = self.line.program(program, self.folder), self.line.flags
        options.binary_location = program
        for flag in (*FLAGS, *more, f"--user-data-dir={self.folder}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        chrome = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
        self._prepare(chrome)
        return chrome

    def _prepare(self, chrome: Browser) -> None:
        """Set what ends with the tab in which it was set."""
        chrome.set_window_size(*DESK)
        saves = {"behavior": "allow", "downloadPath": str(self.saved), "eventsEnabled": False}
        chrome.execute_cdp_cmd("Browser.setDownloadBehavior", saves)

    @property
    def saved(self) -> Path:
        """Return the folder in which the browser saves files."""
        return self.folder.with_name(f"{self.folder.name}-saved")

    def saved_file(self, pattern: str) -> Path:
        """Return the file of this name that the browser has saved, once it is whole, and take it away."""
        found = self.wait(lambda page: next(iter(self.saved.glob(pattern)), None))
        return Path(shutil.move(found, self.folder.with_name(f"{self.folder.name}-{found.name}")))

    def kill(self) -> None:
        """Kill the browser as the system does when it has no memory; the profile stays."""
        with suppress(ProcessLookupError):
            os.kill(self.page.capabilities["goog:processID"], signal.SIGKILL)
        with suppress(Exception):
            self.page.quit()

    def start_again(self) -> None:
        self.kill()
        self.page = self._started()

    def clear(self) -> None:
        """Close all tabs and forget what is stored, so that the browser is as new for another line."""
        before = self.page.window_handles
        self.page.switch_to.new_window("tab")
        for each in before:
            self.page.switch_to.window(each)
            self.page.close()
        (left,) = self.page.window_handles
        self.page.switch_to.window(left)
        stored = {"origin": self.line.url.rstrip("/"), "storageTypes": "all"}
        self.page.execute_cdp_cmd("Storage.clearDataForOrigin", stored)
        self.page.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.page.get_log("browser")
        shutil.rmtree(self.saved, ignore_errors=True)
        self._prepare(self.page)

    def open(self, path: str = "offline/en/") -> None:
        """Load a page, also where it differs from the one that is open only after `#`."""
        before, address = self.page.current_url, self.line.url + path
        self.page.get(address)
        if "#" in address and before.partition("#")[0] == address.partition("#")[0]:
            self.page.refresh()

    def new_tab(self) -> str:
        """Open a second tab, go there, and return its handle."""
        self.page.switch_to.new_window("tab")
        return self.page.current_window_handle

    def log_in(self, name: str) -> None:
        client = Client()
        client.force_login(get_user_model().objects.get(username=name))
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.page.execute_cdp_cmd("Network.setCookie", {
            "name": settings.SESSION_COOKIE_NAME, "value": key, "url": self.line.url, "httpOnly": True,
        })  # fmt: skip

    def wait(self, condition: Callable[[Browser], Any]) -> Any:
        try:
            return wait_in(self.page, condition, 60)
        except TimeoutException as error:
            said = [one["message"] for one in self.page.get_log("browser")][-5:]
            text = self.page.find_element(By.TAG_NAME, "body").text
            raise TimeoutException(f"{said} {self.page.current_url} {text[:600]}") from error

    def exchanged(self, *lines: str) -> None:
        """Wait until the client says that its line is this, and its worker has all files."""
        said = lines or ("connected",)
        self.wait(lambda page: [one for one in self.all("#line") if one.get_attribute("data-line") in said])
        self.wait(lambda page: self.all("body[data-kept]"))

    def all(self, selector: str) -> list[Any]:
        return self.page.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.wait(lambda page: (self.all(selector) or [None])[0])

    def wait_for_bytes(self, count: int) -> None:
        """Wait until so many bytes have gone over the line, or all results were accepted."""
        before = self.line.bytes
        self.wait(lambda page: self.line.bytes > before + count or {*self.states()} == {"accepted"})

    def press(self, selector: str) -> None:
        """Click, again where the list was replaced meanwhile."""
        self.wait(lambda page: [one.click() or one for one in self.all(selector)[:1]])

    def tasks(self) -> list[str]:
        return [one.get_attribute("data-task") for one in self.all("[data-task]")]

    def states(self) -> list[str]:
        """Return the states in the outbox, the last result first."""
        return [one.get_attribute("data-state") for one in self.all("[data-state]")]

    def go(self, place: str) -> None:
        self.page.execute_script("location.hash = arguments[0]", f"#/{place}")

    def complete(self, task: int, cost: str) -> None:
        self.go(f"tasks/{task}")
        field = self.one("[name=value-cost]")
        field.clear()
        field.send_keys(cost)
        self.press("[data-task-form] button[name=outcome]")
        self.wait(lambda page: not self.all("[data-task-form]"))


class Shelf:
    """Devices that no test uses. To start a browser takes as long as what most tests do with it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0
        self._idle: list[Device] = []

    def take(self, line: Line) -> Device:
        """Return a device that has never been on this line, whose port is part of the origin of its pages."""
        if not self._idle:
            self._made += 1
            return Device(self._folder / f"profile-{self._made}", line)
        device = self._idle.pop()
        device.line = line
        return device

    def give_back(self, device: Device) -> None:
        """Keep the device for another test, unless its browser has ended."""
        try:
            device.clear()
            self._idle.append(device)
        except (WebDriverException, HTTPError, ValueError):
            device.kill()

    def close(self) -> None:
        """End all browsers."""
        for device in self._idle:
            device.kill()
