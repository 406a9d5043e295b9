"""Filters of instances: one language for lists, counts, exports, operations on many instances, and alerts.

`parse` reads a text such as `status:exception amount>=100 (city:"São Paulo" or city:Rio) since:2h`, `Filter`
gives it back in canonical form and as SQL with parameters. docs/monitoring.md describes the language.
"""

from __future__ import annotations

from flows.filters.clauses import Clause
from flows.filters.errors import BadFilter
from flows.filters.filter import EMPTY, Filter, parse
from flows.filters.tree import And, Condition, Node, Not, Or

__all__ = ["EMPTY", "And", "BadFilter", "Clause", "Condition", "Filter", "Node", "Not", "Or", "parse"]
