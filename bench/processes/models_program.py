"""Checks and publishes drawn processes with the product whose folder is on PYTHONPATH; prints what it costs.

``models_program.py DSN SIZE...``: prints a line of JSON for each number of tasks, with the processor time of
the server's process and of this one. It calls only what every release has.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django

_BLOCK = 25
_SPACES = (
    'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:wedsql="https://wed-sql.org/bpmn" '
    'id="d" targetNamespace="bench"'
)
_DATA = '<wedsql:attribute name="amount" type="numeric" default="0"/>'


def drawing(tasks: int, tag: str = "serviceTask") -> bytes:
    """Return a process in BPMN: blocks of 25 tasks with an exclusive choice, a fork and a sequence."""
    parts: list[str] = []
    last = "begin"
    for block in range(-(-tasks // _BLOCK)):
        last = _block(parts, block, min(_BLOCK, tasks - block * _BLOCK), last, tag)
    parts += ['<startEvent id="begin"/>', '<endEvent id="done"/>', _flow(last, "done")]
    body = "".join(parts)
    return (
        f'<definitions {_SPACES}><process id="p" isExecutable="true"><extensionElements>{_DATA}'
        f"</extensionElements>{body}</process></definitions>"
    ).encode()


def _block(parts: list[str], block: int, tasks: int, last: str, tag: str) -> str:
    """Add a block after the node `last`, and return its own last node."""
    names = [f"t{block}_{n}" for n in range(tasks)]
    parts += [f'<{tag} id="{name}"/>' for name in names]
    if tasks >= 4:
        choice, fork = f"x{block}", f"f{block}"
        parts += [
            f'<exclusiveGateway id="{choice}" default="{choice}-{names[1]}"/>',
            f'<exclusiveGateway id="{choice}j"/>',
            f'<parallelGateway id="{fork}"/><parallelGateway id="{fork}j"/>',
            _flow(last, choice),
            _flow(choice, names[0], f"amount > {block * 10}"),
            _flow(choice, names[1]),
            *(_flow(name, f"{choice}j") for name in names[:2]),
            _flow(f"{choice}j", fork),
            *(_flow(fork, name) + _flow(name, f"{fork}j") for name in names[2:4]),
        ]
        last = f"{fork}j"
        names = names[4:]
    for name in names:
        parts.append(_flow(last, name))
        last = name
    return last


def _flow(source: str, target: str, condition: str = "") -> str:
    inner = f"<conditionExpression><![CDATA[{condition}]]></conditionExpression>" if condition else ""
    ends = f'sourceRef="{source}" targetRef="{target}"'
    return f'<sequenceFlow id="{source}-{target}" {ends}>{inner}</sequenceFlow>'


def main() -> None:
    """Measure each size that the command line names."""
    django.setup()
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        server = cursor.fetchone()[0]
    for tasks in map(int, sys.argv[1:]):
        sys.stdout.write(json.dumps(_measured(server, tasks)) + "\n")
        sys.stdout.flush()


def _measured(server: int, tasks: int) -> dict[str, float]:
    """Return what checking and publishing a process costs, in seconds of the processor."""
    from flows.loading.bpmn import prepare_bpmn
    from flows.loading.processes import publish_file

    flow, content = f"model_{tasks}_{time.time_ns() % 1_000_000_000}", drawing(tasks)
    with _costs(server) as check:
        made = prepare_bpmn(flow, content)
    with _costs(server) as publish:
        publish_file(flow, made, "bench", "")
    rules = len(made.compiled.definition["triggers"])
    named = {f"check_{side}": cost for side, cost in check.items()}
    named |= {f"publish_{side}": cost for side, cost in publish.items()}
    return {"tasks": tasks, "rules": rules} | named


@contextmanager
def _costs(server: int) -> Iterator[dict[str, float]]:
    """Yield what will have the seconds that the server's process and this one were on a processor."""
    processes = {"server": server, "python": os.getpid()}
    before = {side: _used(pid) for side, pid in processes.items()}
    found: dict[str, float] = {}
    yield found
    found |= {side: round(_used(pid) - before[side], 4) for side, pid in processes.items()}


def _used(pid: int) -> float:
    """Return the seconds that a process was on a processor."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
