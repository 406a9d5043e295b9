"""The page docs/python-api.md: the functions of the public API by topic, made of their docstrings.

To update it: WEDSQL_WRITE_API=1 python -m pytest tests/test_api_topics.py
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from testkit.api_functions import of_topic, topics

HEAD = """# The Python API

Programs call the kernel by the functions of `flows.api`, which has a module for each topic:

```python
from flows import api

wid = api.instances.start("orders", {"amount": 10})
api.cases.claim(wid, "ana")
```

Each function uses Django's default connection, or the psycopg connection given as `conn`, and runs in its
current transaction. Errors are classes of `flows.errors`; the docstring of a function names those that it
raises. Functions that take many items return one result for each, so that the error of one does not affect
the others.

Version 1.0.0 had some of these functions in `flows.api` itself, such as `flows.api.start`. Those names work
in this version, with a `DeprecationWarning`, and not in the next one.

This page is made of the docstrings of the functions.
"""
# A signature in the page names parameters and what may be left out; types are in the sources.
_LEFT_OUT = ("conn",)


def page() -> str:
    """Return the page as Markdown."""
    lines = [HEAD]
    for topic, module in sorted(topics().items()):
        lines += [f"## {topic}", "", inspect.getdoc(module) or "", "", "| function | |", "|---|---|"]
        lines += [_row(topic, name, found) for name, found in sorted(of_topic(module).items())]
        lines += [""]
    return "\n".join(lines)


def _row(topic: str, name: str, function: Callable[..., Any]) -> str:
    says = " ".join(_first_paragraph(function).split()).replace("|", "\\|")
    return f"| `{topic}.{name}({', '.join(_parameters(function))})` | {says} |"


def _first_paragraph(function: Callable[..., Any]) -> str:
    return re.split(r"\n\s*\n", inspect.getdoc(function) or "")[0]


def _parameters(function: Callable[..., Any]) -> Iterator[str]:
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in _LEFT_OUT:
            optional = parameter.default is not inspect.Parameter.empty
            yield f"{name}=" if optional else name
