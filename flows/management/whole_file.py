"""Files that are written as a whole or not at all, whatever ends the writing: a full disk above all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_whole(path: Path, pieces: Iterable[bytes], *, mode: int | None = None, new: bool = False) -> None:
    """Write a file beside its place, and put it there at the end.

    Args:
        path: where the file is to be; an existing one is replaced, and its permissions are kept.
        pieces: its content.
        mode: the permissions instead.
        new: do not replace an existing file.

    Raises:
        OSError: it cannot be written; FileExistsError: it is there, and `new`. Nothing is changed then.
    """
    with NamedTemporaryFile("wb", dir=path.parent, prefix=".", delete=False) as file:
        scratch = Path(file.name)
        try:
            file.writelines(pieces)
            file.flush()
            scratch.chmod(_mode(path) if mode is None else mode)
            if new:
                os.link(scratch, path)
            else:
                scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)


def write_whole_text(path: Path, text: str, *, mode: int | None = None, new: bool = False) -> None:
    """Write a text in UTF-8 as `write_whole` does. Raises OSError."""
    write_whole(path, [text.encode()], mode=mode, new=new)


def _mode(path: Path) -> int:
    """Return the permissions of a file that there is, else those of new files."""
    if path.exists():
        return path.stat().st_mode
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
