"""The console sessions of a page of the documentation: its commands are run and their output is compared."""

from __future__ import annotations

import re
import shlex
from io import StringIO

from django.core.management import CommandError, call_command


def sessions(page: str) -> list[tuple[str, str]]:
    """Return each command of the page with its documented output."""
    text = "".join(re.findall(r"```console\n(.*?)```", page, re.DOTALL))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)


def run(command: str) -> str:
    """Return what a command writes, and its error."""
    words = shlex.split(command)
    assert words[:2] == ["python", "manage.py"]
    output = StringIO()
    try:
        call_command(words[2], *words[3:], stdout=output)
    except CommandError as error:
        return f"{output.getvalue()}{type(error).__name__}: {error}\n"
    return output.getvalue()


def as_pattern(answer: str) -> str:
    """Return a pattern for an output, in which … matches anything and an instance's number any number."""
    pattern = re.escape(answer.rstrip("\n")).replace("…", "(?s:.*)")
    return re.sub(r"Instance\\ \d+", r"Instance\\ \\d+", pattern)
