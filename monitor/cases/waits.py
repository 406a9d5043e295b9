"""The condition for which a case waits, as a person chooses it: attribute, comparison and value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from flows.definition.option_labels import option_meant
from flows.designer.trial import values
from flows.queries.definitions import Attribute, FlowInfo
from pages.labels import OPERATOR_SHORT

if TYPE_CHECKING:
    from django.http import QueryDict

_SQL = {"eq": "=", "ne": "is distinct from", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OF_NULL = {"null": "is null", "notnull": "is not null"}
OPERATORS = {name: OPERATOR_SHORT[name] for name in (*_SQL, *_OF_NULL)}


def attributes(flow: FlowInfo) -> list[Attribute]:
    """Return the attributes that can be compared."""
    return [one for one in flow.attributes if one.type != "jsonb"]


def condition(given: QueryDict, flow: FlowInfo, *, technical: bool) -> str:
    """Return the SQL predicate of a form; one that was typed is for those with the technical view.

    Raises BadValue.
    """
    typed = given.get("condition", "").strip().replace("\x00", "")
    if technical and typed:
        return typed
    chosen = flow.attribute(given.get("attribute", ""))
    operator = given.get("operator", "")
    if chosen is None or operator not in OPERATORS:
        raise values.BadValue(_("Choose an attribute and a comparison."))
    if operator in _OF_NULL:
        return f"{chosen.name} {_OF_NULL[operator]}"
    typed = option_meant(chosen.type, given.get("value", "").strip())
    value = values.as_value(typed, chosen.type)
    if value is None:
        raise values.BadValue(_("Enter a value to compare with."))
    literal = str(value).replace("'", "''")
    return f"{chosen.name} {_SQL[operator]} '{literal}'"
