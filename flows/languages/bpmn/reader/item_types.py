"""The types of attributes for those that a file gives its data, by item definitions or directly."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flows.languages.bpmn.document.xml import Tag, local

_TYPES = {
    "boolean": "boolean bool tbool yesno truefalse",
    "integer": "int integer short byte unsignedshort unsignedbyte tint tinteger",
    "numeric": "long double float decimal number numeric biginteger bigdecimal unsignedint unsignedlong "
    "positiveinteger nonnegativeinteger negativeinteger nonpositiveinteger tdouble tdecimal tnumber tlong "
    "currency money",
    "text": "string text char character token normalizedstring anyuri uri url uuid tstring language",
    "date": "date localdate tdate",
    "timestamptz": "datetime dateandtime datetimestamp timestamp timestamptz localdatetime offsetdatetime "
    "zoneddatetime instant calendar tdatetime",
    "interval": "duration period daytimeduration yearmonthduration daysandtimeduration "
    "yearsandmonthsduration",
    "jsonb": "list arraylist linkedlist set hashset collection map hashmap array json jsonnode jsonobject "
    "context",
}
_BY_NAME = {name: type_ for type_, names in _TYPES.items() for name in names.split()}
_WHOLE = {"java.util.date": "timestamptz", "java.sql.date": "date", "java.sql.time": ""}
"""Names that mean something else than their last part."""
_OF_ITEMS = re.compile(r"<.*|\[\s*\]$", re.DOTALL)  # List<String>, String[]
_SIGNS = re.compile(r"[^a-z]")


def item_type(tag: Tag, named: Mapping[str, Tag]) -> str:
    """Return the type of what an element of a file describes; empty where the file gives none that is known.

    Its itemSubjectRef names an item definition, or, as some tools write it, a type.
    """
    if tag.flag("isCollection"):
        return "jsonb"
    reference = tag.get("itemSubjectRef")
    item = named.get(local(reference))
    if item is None or item.name != "itemDefinition":
        return of_name(reference)
    return "jsonb" if item.flag("isCollection") else of_name(item.get("structureRef"))


def of_name(name: str) -> str:
    """Return the type of attributes for a name of XML Schema, FEEL or a programming language."""
    plain = " ".join(name.split())
    if _OF_ITEMS.search(plain):
        return "jsonb"
    whole = local(plain).lower()
    if whole in _WHOLE:
        return _WHOLE[whole]
    return _BY_NAME.get(_SIGNS.sub("", whole.rpartition(".")[2]), "")
