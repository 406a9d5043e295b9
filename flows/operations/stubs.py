"""Writes the initial `transitions.py` of a flow, with an empty function for each transition."""

from __future__ import annotations

import keyword
import re
import textwrap
from pathlib import Path

from flows import flow_apps
from flows.definition import Definition
from flows.management.whole_file import write_whole_text
from flows.models import Trigger

FILE = "transitions.py"
_HEAD = '''"""What the transitions of the flow {flow} do; the workers find it when they start.

Take away the # before a @transition when its function does its work. Until then its jobs wait for a worker.
"""

from workers import transition
'''
_STUB = '''

{when}
# @transition("{name}", flow="{flow}")
def {function}(state, ctx):
    """Return the changed attributes, as in {{"attribute": "value"}}."""
    return {{}}
'''


def write(flow: str) -> Path | None:
    """Write the file if the flow's package has none; return its path, or None if it already exists."""
    path = flow_apps.create(flow).parent / FILE
    try:
        write_whole_text(path, text(flow, _transitions(flow)), new=True)
    except FileExistsError:
        return None
    return path


def unmentioned(flow: str) -> list[str]:
    """Return the transitions of the flow that its file does not mention."""
    path = flow_apps.create(flow).parent / FILE
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    return [name for name in _transitions(flow) if not re.search(rf"\b{re.escape(name)}\b", known)]


def _transitions(flow: str) -> dict[str, list[str]]:
    """Return each transition with the predicates that fire it."""
    found: dict[str, list[str]] = {}
    rows = Trigger.objects.filter(flow__name=flow, final=False, transition__isnull=False).order_by("tgid")
    for name, predicate in rows.values_list("transition", "predicate"):
        found.setdefault(str(name), []).append(predicate)
    return found


def transitions_of(definition: Definition) -> dict[str, list[str]]:
    """Return the same for a definition that need not be published."""
    found: dict[str, list[str]] = {}
    for trigger in definition["triggers"]:
        if trigger.get("transition") and not trigger.get("final"):
            found.setdefault(str(trigger["transition"]), []).append(trigger["predicate"])
    return found


def text(flow: str, transitions: dict[str, list[str]]) -> str:
    """Return the content of the file for these transitions."""
    stubs = [
        _STUB.format(flow=flow, name=name, function=_function(name, at), when=_comment(predicates))
        for at, (name, predicates) in enumerate(transitions.items(), 1)
    ]
    return _HEAD.format(flow=flow) + "".join(stubs)


def _function(name: str, at: int) -> str:
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"transition_{at}"


def _comment(predicates: list[str]) -> str:
    whole = "Fired when " + ", or when ".join(" ".join(predicate.split()) for predicate in predicates) + "."
    return "\n".join(f"# {line}" for line in textwrap.wrap(whole, 106, break_long_words=False))
