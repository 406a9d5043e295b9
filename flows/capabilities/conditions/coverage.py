"""What the scenarios of a flow exercise of a definition, by the kernel's evaluation of the states reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flows import json_text
from flows.capabilities.conditions.api import evaluate
from flows.definition import AnyDefinition
from flows.definition.coverage import Coverage, PartCovered, RuleCovered
from flows.definition.scenarios import Outcome
from flows.definition.shape import shaped
from flows.labels import rule_in_sentence
from flows.statements import JSON, rows


def coverage(
    definition: AnyDefinition, outcomes: Iterable[Outcome | None], *, flow: str = "", conn: Any = None
) -> Coverage:
    """Return which rules fired in these runs, and which values the parts of conditions had.

    Raises PredicateRefused, PredicateType.
    """
    given = shaped(definition)
    reached = [after for outcome in outcomes if outcome for after in outcome.situations]
    states = [*{json_text.encode(one.state, sort_keys=True): one.state for one in reached}.values()]
    fired = Counter(place for after in reached for place in after.fired)
    fired.update(place for after in reached for step in after.automatic for place in step.fired)
    leaves = [_leaves(given, trigger["predicate"], conn) for trigger in given["triggers"]]
    conditions = [trigger["predicate"] for trigger in given["triggers"]]
    conditions += [text for texts in leaves for text in texts]
    values = _values(given, conditions, states, flow, conn)
    parts = iter(values[len(leaves) :])
    return Coverage(
        len(states),
        [
            RuleCovered(
                place,
                rule_in_sentence(trigger),
                bool(trigger.get("final")),
                fired[place],
                values[place],
                [PartCovered(text, next(parts)) for text in leaves[place]],
            )
            for place, trigger in enumerate(given["triggers"])
        ],
    )


def _leaves(definition: Mapping[str, Any], predicate: str, conn: Any) -> list[str]:
    """Return the comparisons of a condition."""
    types = {one["name"]: one.get("type") or "text" for one in definition["attributes"]}
    query = 'select "position", length from wedsql.condition_leaves(%s, %s)'
    return [predicate[start - 1 :][:length] for start, length in rows(conn, query, (JSON(types), predicate))]


def _values(
    definition: Mapping[str, Any],
    conditions: list[str],
    states: Sequence[Mapping[str, Any]],
    flow: str,
    conn: Any,
) -> list[str]:
    """Return the different values of each condition on the states."""
    if not states:
        return [""] * len(conditions)
    alone = {"attributes": definition["attributes"], "triggers": [{"predicate": one} for one in conditions]}
    found = evaluate(alone, states, flow=flow, conn=conn)
    return ["".join(sorted({one.held[n] for one in found})) for n in range(len(conditions))]
