"""How commands name a definition."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows import api
from flows.management.base import Usage, get_flow
from flows.management.files import is_definition, read_definition

NAMES = "a .json or .yaml file, a flow, its version (orders@3) or its draft (orders:main)"
_NAMED = re.compile(r"(?P<flow>[a-z][a-z0-9_]*)(?:@(?P<version>\d{1,9})|:(?P<branch>[a-z0-9_-]+))?")


def named_definition(named: str) -> Mapping[str, Any]:
    """Return the definition that an argument names."""
    path = Path(named)
    if is_definition(path):
        return read_definition(path)
    found = _NAMED.fullmatch(named)
    if found is None:
        raise Usage(f"{named} names no file, flow, version or draft.")
    if found["branch"]:
        return api.drafts.read(found["flow"], found["branch"]).definition
    flow = get_flow(found["flow"]).name
    if found["version"]:
        return api.publications.version_definition(flow, int(found["version"]))
    return api.drafts.running_definition(flow)[1]
