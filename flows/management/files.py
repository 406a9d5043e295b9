"""Reading the files that commands are given."""

from __future__ import annotations

from pathlib import Path

from flows.definition import Definition
from flows.definition.files import FORMATS, NotReadable, without_numbers
from flows.errors import WedError
from flows.loading import LoadError
from flows.management.base import Usage


def read_text(path: Path) -> str:
    """Return the content of a text file; raises Usage."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Usage(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Usage(f"{path} is not text in UTF-8 (byte {error.start}).") from error


def read_bytes(path: Path, most: int) -> bytes:
    """Return the content of a file, cut after one byte more than the most; raises Usage."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise Usage(f"{path} cannot be read: {error.strerror}.") from error


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
