"""Checks of a definition that could be published: rules that never hold, that hold together, and the like.

`classes` chooses the states that stand for all others, `tables` compares the conditions on them, and
`findings` says what is found. Nothing here evaluates a condition: `flows.api.linting` has the kernel do it.
"""

from flows.definition.lint.classes import Leaf, representatives
from flows.definition.lint.findings import Finding, Rule, findings
from flows.definition.lint.tables import Table

__all__ = ["Finding", "Leaf", "Rule", "Table", "findings", "representatives"]
