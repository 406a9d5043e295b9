"""Reading the files that commands are given."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from flows.definition import Definition
from flows.definition.files import FORMATS, NotReadable, without_numbers
from flows.errors import WedError
from flows.loading import LoadError
from flows.management.base import Usage
from flows.management.whole_file import write_whole

LARGEST_TEXT = 16_000_000  # bytes; what reads the text may have a lower limit


def read_text(path: Path) -> str:
    """Return the content of a text file, without a byte order mark; raises Usage."""
    content = read_bytes(path, LARGEST_TEXT)
    if len(content) > LARGEST_TEXT:
        raise Usage(f"{path} has more than {LARGEST_TEXT:,} bytes.")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Usage(
            f"{path} is not text in UTF-8 (line {line}, byte {error.start}). Save it in this encoding."
        ) from error


def read_bytes(path: Path, most: int) -> bytes:
    """Return the content of a file, cut after one byte more than the most; raises Usage."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise Usage(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise Usage(f"“{str(path)[:80]!r}” is no name of a file.") from error


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, as `write_pieces`. Raises Usage."""
    write_pieces(path, [text.encode()])


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file as a whole or not at all: an existing one is replaced at the end. Raises Usage."""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe, such as /dev/stdout
            with path.open("wb") as device:
                device.writelines(pieces)
            return
        write_whole(path, pieces)
    except OSError as error:
        raise Usage(f"{path} cannot be written: {error.strerror}.") from error


def is_definition(path: Path) -> bool:
    """Return whether the name of a file says that it has a definition as JSON or YAML."""
    return path.suffix[1:] in FORMATS


def read_definition(path: Path) -> Definition:
    """Return the definition in a .json or .yaml file; raises Usage, LoadError with the line.

    Its numbers do not count: a file may be of another database, whose numbers are those of other items here.
    """
    if not is_definition(path):
        raise Usage(f"{path} is no .json or .yaml file.")
    try:
        return without_numbers(FORMATS[path.suffix[1:]].parse(read_text(path)))
    except NotReadable as error:
        raise LoadError(WedError(f"{path.name} is {error}."), error.line) from error
