"""Findings that are acknowledged, with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from flows.definition.lint.findings import Acknowledgement, Finding


def with_acknowledgements(found: Iterable[Finding], known: Iterable[Acknowledgement]) -> list[Finding]:
    """Return the findings, each with its acknowledgement.

    A rule gets its number when it is published: what was acknowledged before counts for it then, too.
    """
    by_name = {(one.finding, one.rule): one for one in known}
    return [
        replace(one, acknowledged=by_name.get((one.id, one.rule)) or by_name.get((one.id, 0)))
        for one in found
    ]


def open_warnings(found: Iterable[Finding]) -> list[Finding]:
    """Return the warnings that are not acknowledged."""
    return [one for one in found if one.severity == "warning" and one.acknowledged is None]
