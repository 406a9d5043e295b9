"""Careless and hostile handlers: each may cost at worst an attempt of its own job."""

from __future__ import annotations

import decimal
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

Act = Callable[[Any], Any]


class Silent(Exception):
    """An exception whose text cannot be read."""

    def __str__(self) -> str:
        raise KeyboardInterrupt("in __str__")

    __repr__ = __str__


class Coded(Exception):
    """An exception whose attribute `sqlstate` has another meaning."""

    def __init__(self, sqlstate: object) -> None:
        super().__init__("coded")
        self.sqlstate = sqlstate


class Moody(Exception):
    """An exception that raises when its SQLSTATE is read."""

    @property
    def sqlstate(self) -> str:
        raise SystemExit("in sqlstate")


class Liar(Exception):
    """An exception that raises when any attribute is read."""

    def __getattribute__(self, name: str) -> Any:
        raise GeneratorExit("in an attribute")


class TimeoutException(Exception):
    """An exception of a handler's library with the same name as Django-Q's."""


class Text(str):
    """A text whose methods are overridden."""

    __slots__ = ()

    def encode(self, *_arguments: Any, **_options: Any) -> bytes:
        raise MemoryError("in encode")

    def strip(self, *_arguments: Any) -> str:
        raise SystemExit("in strip")


class Odd(Mapping[str, Any]):
    """A mapping that cannot be read."""

    def __getitem__(self, key: str) -> Any:
        raise KeyboardInterrupt("in a mapping")

    def __iter__(self) -> Any:
        raise SystemExit("in a mapping")

    def __len__(self) -> int:
        return 1


def raises(error: BaseException) -> Act:
    """Return an act that raises."""

    def act(_ctx: Any) -> Any:
        raise error

    return act


def gives(result: Any) -> Act:
    """Return an act that returns."""
    return lambda _ctx: result


def recursion(ctx: Any) -> Any:
    return recursion(ctx)


def circle(_ctx: Any) -> Any:
    found: dict[str, Any] = {}
    found["a"] = found
    return found


def deep(_ctx: Any) -> Any:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return {"a": found}


def hungry(_ctx: Any) -> Any:
    return bytearray(1 << 60)


FAILING: dict[str, Act] = {
    "half a character in a SET string": gives("a = '\ud800'"),
    "NUL in a SET string": gives("a = 'x\0', n = 7"),
    "half a character in a dict": gives({"a": "\ud800"}),
    "half a character in a name": gives({"\ud800": 1}),
    "a key that is no text": gives({("a",): 1}),
    "a huge result": gives({"a": "x" * 40_000_000}),
    "a huge SET string": gives("a = '" + "x" * 40_000_000 + "'"),
    "a circle": circle,
    "a deep result": deep,
    "a mapping that cannot be read": gives(Odd()),
    "a text with ways of its own": gives(Text("nowhere = 1")),
    "bytes": gives(b"a = 'x'"),
    "a number of ten thousand digits": gives({"n": 10**10_000}),
    "KeyboardInterrupt": raises(KeyboardInterrupt()),
    "SystemExit": raises(SystemExit(0)),
    "GeneratorExit": raises(GeneratorExit()),
    "StopIteration": raises(StopIteration()),
    "BaseException": raises(BaseException("bare")),
    "a group": raises(BaseExceptionGroup("many", [KeyboardInterrupt(), ValueError("\ud800")])),
    "a TimeoutException of its own": raises(TimeoutException("the page did not load")),
    "an error without a text": raises(Silent()),
    "an error with half a character": raises(ValueError("\ud800 and \0")),
    "an odd SQLSTATE": raises(Coded("\ud800\0")),
    "a SQLSTATE that is a number": raises(Coded(40001)),
    "a long SQLSTATE": raises(Coded("4" * 5000)),
    "a SQLSTATE that raises": raises(Moody()),
    "an error without a class": raises(Liar()),
    "a class with an odd name": raises(type("a\nb", (Exception,), {})()),
    "recursion": recursion,
    "no memory": hungry,
}


def _stdout(_ctx: Any) -> Any:
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    return {"a": "good"}


def _decimal(_ctx: Any) -> Any:
    decimal.getcontext().prec = 2
    return {"a": "good"}


def _environment(_ctx: Any) -> Any:
    os.environ.clear()
    os.environ["TZ"] = "Asia/Tokyo"
    return {"a": "good"}


def _signals(_ctx: Any) -> Any:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    return {"a": "good"}


def _does(step: Callable[[], object]) -> Act:
    def act(_ctx: Any) -> Any:
        step()
        return {"a": "good"}

    return act


CHANGING: dict[str, Act] = {
    "directory": _does(lambda: os.chdir("/")),
    "umask": _does(lambda: os.umask(0o777)),
    "environment": _environment,
    "signal handlers": _signals,
    "standard streams": _stdout,
    "decimal context": _decimal,
    "recursion": _does(lambda: sys.setrecursionlimit(150)),
    "logging": _does(logging.shutdown),
}
