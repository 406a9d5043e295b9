"""What /proc shows of a process that was forked: its command and its environment."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

# The fields of /proc/self/stat that follow the name of the program, counted from its state.
_COMMAND, _ENVIRONMENT = slice(45, 47), slice(47, 49)


def replace(command: Sequence[str], environ: Mapping[str, str], needed: Iterable[str]) -> bool:
    """Show this command and those variables that fit, the needed ones first; False if these do not fit.

    The memory is that of the process that forked this one. Clear os.environ before: the C library may refer
    to the old variables.
    """
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    (title_at, title_end), (at, end) = (tuple(map(int, fields[part])) for part in (_COMMAND, _ENVIRONMENT))
    first = _entries({name: environ[name] for name in needed})
    title = _entries_of(command)
    if len(first) > end - at or len(title) > title_end - title_at:
        return False
    _write(title_at, title_end, title)
    _write(at, end, _filled(first, environ, end - at))
    return True


def _filled(text: bytes, environ: Mapping[str, str], size: int) -> bytes:
    for name, value in environ.items():
        entry = _entries({name: value})
        if entry not in text and len(text) + len(entry) <= size:
            text += entry
    return text


def _entries(environ: Mapping[str, str]) -> bytes:
    return _entries_of([f"{name}={value}" for name, value in environ.items()])


def _entries_of(texts: Sequence[str]) -> bytes:
    return b"".join(text.encode(errors="surrogateescape") + b"\0" for text in texts)


def _write(start: int, end: int, text: bytes) -> None:
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, text, len(text))
