"""Checks and publishes drawn processes with the product whose folder is on PYTHONPATH; prints what it costs.

``models_program.py DSN SIZE...``: prints a line of JSON for each number of tasks, with the processor time of
the server's process and of this one. It calls only what every release has.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import django

_BLOCK = 25
_SPACES = (
    'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:wedsql="https://wed-sql.org/bpmn" '
    'id="d" targetNamespace="bench"'
)
_DATA = '<wedsql:attribute name="amount" type="numeric" default="0"/>'


def drawing(tasks: int) -> bytes:
    """Return a process in BPMN: blocks of 25 tasks with an exclusive choice, a fork and a sequence."""
    parts: list[str] = []
    last = "begin"
    for block in range(-(-tasks // _BLOCK)):
        last = _block(parts, block, min(_BLOCK, tasks - block * _BLOCK), last)
    parts += ['<startEvent id="begin"/>', '<endEvent id="done"/>', _flow(last, "done")]
    body = "".join(parts)
    return (
        f"<definitions {_SPACES}><process id=\"p\" isExecutable=\"true\"><extensionElements>{_DATA}"
        f"</extensionElements>{body}</process></definitions>"
    ).encode()


def _block(parts: list[str], block: int, tasks: int, last: str) -> str:
    """Add a block after the node `last`, and return its own last node."""
    names = [f"t{block}_{n}" for n in range(tasks)]
    parts += [f'<serviceTask id="{name}"/>' for name in names]
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
    return f'<sequenceFlow id="{source}-{target}" sourceRef="{source}" targetRef="{target}">{inner}</sequenceFlow>'


def main() -> None:
    """Measure each size that the command line names."""
    django.setup()
    from django.db import connection

    connection.ensure_connection()
    from flows.loading.bpmn import prepare_bpmn
    from flows.loading.processes import publish_file

    with connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        server = cursor.fetchone()[0]
    for tasks in map(int, sys.argv[1:]):
        flow = f"model_{tasks}_{time.time_ns() % 1_000_000}"
        content = drawing(tasks)
        found = {"tasks": tasks}
        made, found["check"], found["check_python"] = _costs(server, lambda: prepare_bpmn(flow, content))
        found["rules"] = len(made.compiled.definition["triggers"])
        _, found["publish"], found["publish_python"] = _costs(
            server, lambda: publish_file(flow, made, "bench", "")
        )
        print(json.dumps(found), flush=True)


def _costs(server: int, call: Callable[[], object]) -> Iterator[object]:
    """Return what the call returns, and the processor seconds of the server's process and of this one."""
    before = _used(server), _used(os.getpid())
    result = call()
    after = _used(server), _used(os.getpid())
    return result, *(round(b - a, 3) for a, b in zip(before, after, strict=True))


def _used(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
