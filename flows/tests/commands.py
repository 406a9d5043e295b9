"""Helpers that run the management commands and read their output."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

DEMO = Path(__file__).parents[2] / "workers" / "demo" / "flows"
FIGURE_TWO = DEMO / "fig2.sql"


def run(command: str, *arguments: str) -> str:
    output = StringIO()
    call_command(command, *arguments, stdout=output)
    return output.getvalue()


def answer(command: str, *arguments: str) -> Any:
    return json.loads(run(command, *arguments, "--json"))


def refused(command: str, *arguments: str, code: int = 1) -> str:
    with pytest.raises(CommandError) as caught:
        run(command, *arguments)
    assert caught.value.returncode == code, f"{command} {' '.join(arguments)}: {caught.value}"
    assert "Traceback" not in str(caught.value)
    return str(caught.value)


def write(tmp_path: Path, text: str, name: str = "flow.sql") -> str:
    path = tmp_path / name
    path.write_text(text)
    return str(path)
