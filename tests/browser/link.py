"""A network of its own for a browser, with one link that goes down: what cutting a proxy does not show.

A proxy that is cut ends connections. A link that is down ends none: an open one stays silent, and programs
get the event that there is no network. What breaks behind the link causes no event.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

from testkit.line import Line
from testkit.waiting import until

_TOOLS = ("ip", "unshare", "nsenter")
_made = count()


def lacking() -> str:
    """Return why this machine makes no such network; "" where it does."""
    missing = [name for name in _TOOLS if shutil.which(name) is None]
    if sys.platform != "linux" or missing:
        return f"there is no {' and no '.join(missing) or 'network namespace'} here"
    tried = subprocess.run(["unshare", "-n", "true"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"no network namespace is allowed here: {tried.stderr.strip()}"


class Link:
    """A network namespace with one link, behind which a port of this machine is reached as `localhost`."""

    def __init__(self, to: int) -> None:
        number = os.getpid() * 8 + next(_made) % 8
        third, fourth = number // 32 % 256, number % 32 * 8
        self.near, self.far, self.next = (f"10.231.{third}.{fourth + each}" for each in (1, 2, 3))
        self.name = f"wed{number}"
        self._holder = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
        try:
            self._connect()
            self._line = Line(to, self.near)
        except BaseException:
            self.end()
            raise

    @property
    def url(self) -> str:
        return f"http://localhost:{self._line.port}/"

    @property
    def bytes(self) -> int:
        return self._line.bytes

    @property
    def flags(self) -> tuple[str, ...]:
        """Return what a browser is started with: its driver, which is outside, reaches it by a pipe."""
        return ("--remote-debugging-pipe", f"--host-resolver-rules=MAP localhost {self.near}")

    def program(self, program: str, folder: Path) -> str:
        """Return a program in the folder that runs another one in the network."""
        made = folder.with_name(f"{folder.name}-in-{self.name}")
        made.write_text(f'#!/bin/sh\nexec nsenter -t {self._holder.pid} -n {program} "$@"\n')
        made.chmod(0o755)
        return str(made)

    def cut(self) -> None:
        """Take the link down, as where there is no reception."""
        _run("ip", "link", "set", self.name, "down")

    def mute(self) -> None:
        """Have nothing behind the link answer, as where the router has lost its line."""
        _run("ip", "addr", "del", self._address, "dev", self.name)

    def restore(self) -> None:
        _run("ip", "link", "set", self.name, "up")
        _run("ip", "addr", "replace", self._address, "dev", self.name)

    def move(self) -> None:
        """Give the network another address, as a phone gets one in another cell."""
        self._inside("addr", "del", f"{self.far}/29", "dev", self._peer)
        self.far, self.next = self.next, self.far
        self._inside("addr", "add", f"{self.far}/29", "dev", self._peer)

    @property
    def _peer(self) -> str:
        return f"{self.name}n"

    def _inside(self, *command: str) -> None:
        _run("nsenter", "-t", str(self._holder.pid), "-n", "ip", *command)

    @property
    def _address(self) -> str:
        return f"{self.near}/29"

    def end(self) -> None:
        """End the network, with its link."""
        if hasattr(self, "_line"):
            self._line.cut()
        subprocess.run(["ip", "link", "del", self.name], capture_output=True)
        self._holder.kill()
        self._holder.wait()

    def _connect(self) -> None:
        own = os.readlink("/proc/self/ns/net")
        until(
            lambda: os.readlink(f"/proc/{self._holder.pid}/ns/net") != own,
            10,
            lambda: "there is no namespace",
        )
        there = ("peer", "name", self._peer, "netns", str(self._holder.pid))
        _run("ip", "link", "add", self.name, "type", "veth", *there)
        _run("ip", "addr", "add", self._address, "dev", self.name)
        _run("ip", "link", "set", self.name, "up")
        self._inside("link", "set", "lo", "up")
        self._inside("addr", "add", f"{self.far}/29", "dev", self._peer)
        self._inside("link", "set", self._peer, "up")


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
