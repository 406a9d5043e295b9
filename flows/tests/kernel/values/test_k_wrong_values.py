"""A value that an option cannot have is named with its rule, and what is allowed is said (K-17)."""

from __future__ import annotations

from typing import Any

import pytest

from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

WRONG: dict[str, list[Any]] = {
    "interval": ["", "abc", "-1 hour", "999999999 years", "1e9 days", 5, [], None],
    "integer": ["x", -5, 99999999999, 1.5, {}], "smallint": ["x", 99999, -99999, 1.5],
    "boolean": ["maybe", 7, []], "text[]": ["x", 5, [["a"]]], "enum": ["nope", 5],
    "text": ["x" * 5000, "", "nope"], "jsonb": [5, "x", []],
}  # fmt: skip
RAW = (
    "violates",
    "relation",
    "invalid input syntax",
    "out of range",
    "constraint",
    "cannot be cast",
    "malformed",
)


def definition(part: str, option: str, value: Any) -> dict[str, Any]:
    rule: dict[str, Any] = {"name": "go", "transition": "tr_x", "predicate": "a = '1'"}
    attribute: dict[str, Any] = {"name": "a"}
    made: dict[str, Any] = {
        "attributes": [attribute, {"name": "b"}],
        "triggers": [rule, {"predicate": "a = '2'", "final": True}],
    }
    {"trig": rule, "attr": attribute, "flow": made}[part][option] = value
    return made


@pytest.mark.parametrize("part", ["trig", "attr", "flow"])
def test_no_option_says_what_postgresql_says(kit: Kit, part: str) -> None:
    options = kit.rows("select o.name, o.type from wedsql._options(%s) o", [part])
    tried = 0
    for option in options:
        for value in WRONG.get(option.type, ["nope", 5, []]):
            with kit.conn.transaction(force_rollback=True):
                try:
                    with refused(
                        "WD001", "WD002", "WD004", "WD005", "WD006", "WD008", "WD009", "WD211"
                    ) as why:
                        kit.publish(definition(part, option.name, value))
                except pytest.fail.Exception:
                    continue  # it is allowed
            tried += 1
            said = f"{option.name} = {value!r:.40}: {why.message} {why.hint}"
            assert not any(raw in said for raw in RAW), said
    assert tried > {"trig": 60, "attr": 5, "flow": 20}[part]


def test_the_rule_and_what_is_allowed_are_named(kit: Kit) -> None:
    with refused("WD009") as why:
        kit.publish(definition("trig", "backoff", "soon"))
    assert why.message == 'Rule "go" has the value "soon" of backoff, which is not allowed.'
    with refused("WD009") as why:
        kit.publish(definition("trig", "revalidate", "never"))
    assert why.facts["column"] == "revalidate" and "at_take" in why.hint
