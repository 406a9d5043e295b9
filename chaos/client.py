"""A client in a thread, which repeats its work until it is stopped."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Self

from chaos.rng import rng


class Client(threading.Thread):
    """Repeats `act`, whatever of `ignored` it raises, with about `pause` seconds between."""

    ignored: tuple[type[Exception], ...] = ()

    def __init__(self, name: str, pause: float = 0.0) -> None:
        super().__init__(name=name, daemon=True)
        self.pause = pause
        self.rng = rng("actor", name)
        self.ended = threading.Event()

    def act(self) -> None:
        """Do the client's work once."""
        raise NotImplementedError

    def run(self) -> None:
        while not self.ended.is_set():
            with suppress(*self.ignored):
                self.act()
            self.ended.wait(self.pause * self.rng.uniform(0.5, 1.5))

    def stop(self) -> None:
        """Stop the thread, and wait for it."""
        self.ended.set()
        self.join(60)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
