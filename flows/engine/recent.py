"""A mapping that keeps what was used last."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


class Recent(OrderedDict[_K, _V]):
    """A mapping with at most `size` items; adding one more deletes the one that was added first."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def __setitem__(self, key: _K, value: _V) -> None:
        super().__setitem__(key, value)
        while len(self) > self._size:
            self.popitem(last=False)
