"""Errors in logs: never a value of a state."""

from __future__ import annotations

import traceback

import psycopg

# Connection, resources, operator: these messages of the server quote no value. Others may.
_HARMLESS = ("08", "28", "3D", "53", "57")
_LONGEST = 300


def summarize(error: BaseException) -> str:
    """Return the error's type, SQLSTATE and place; its message only if that cannot quote a state."""
    source = error.__cause__ if isinstance(error.__cause__, psycopg.Error) else error  # Django wraps it
    state = str(getattr(source, "sqlstate", None) or "")
    name = type(error).__name__
    if isinstance(source, psycopg.OperationalError) and (not state or state.startswith(_HARMLESS)):
        return f"{name}: {' '.join(str(source).split())[:_LONGEST]}"
    parts = [part for part in (state, place_of(error)) if part]
    return f"{name} ({', '.join(parts)})" if parts else name


def place_of(error: BaseException) -> str:
    """Return where the error was raised, as "file:line in function"; '' if it was never raised."""
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    if not frames:
        return ""
    last = frames[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.lineno} in {last.name}"
