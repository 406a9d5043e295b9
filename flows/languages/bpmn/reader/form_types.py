"""Forms of engines beside the types that their attributes have in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flows import json_text
from flows.languages.bpmn.document.vocabulary import MODEL, ZEEBE
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.feel import NotSimple, names_in, truth_to_sql
from flows.languages.bpmn.reader.field_limits import LIMITS

Note = Callable[[str, str, Tag, str], None]
_KINDS: Mapping[str, str] = {"long": "text", "choices": "jsonb", "table": "jsonb", "file": "jsonb"}
_OF_KINDS = ("options", "columns")


def form_tags(process: Tag) -> Iterator[Tag]:
    """Return the forms of Camunda 8 in a process."""
    for outer in process.of(MODEL, "extensionElements"):
        yield from outer.of(ZEEBE, "userTaskForm")


def fitted(form: str, types: Mapping[str, str], note: Note, tag: Tag) -> str:
    """Return a form without what another type of the attribute does not have; warn of each."""
    given = json_text.decode(form)
    for section in given["sections"]:
        section["fields"] = [_fitted(each, types, note, tag) for each in section["fields"]]
    return json_text.encode(given)


def shown_unless(expression: str, types: Mapping[str, str]) -> str:
    """Return the condition of a field that is hidden while an expression in FEEL is true; "" for none.

    The form shows a field also while that is unknown.
    """
    text = expression.removeprefix("=")
    try:
        known = names_in(text) <= {*types}
        return f"coalesce(not ({truth_to_sql(text, types)}), true)" if known else ""
    except NotSimple:
        return ""


def _fitted(field: Mapping[str, Any], types: Mapping[str, str], note: Note, tag: Tag) -> dict[str, Any]:
    name = str(field["attribute"])
    type_ = types.get(name, "text")
    wrong = [each for each in field if type_ not in LIMITS.get(each, (type_,))]
    if _KINDS.get(str(field.get("kind")), type_) != type_:
        wrong += ["kind", *(each for each in _OF_KINDS if each in field)]
    if str(field.get("shown", "")).startswith("="):
        field = {**field, "shown": shown_unless(field["shown"], types)}
        if not field["shown"]:
            message = f"“conditional” of the field “{name[:60]}” has no effect: the form does not check it."
            note("not_used", message, tag, "warning")
            field = {key: value for key, value in field.items() if key != "shown"}
    for each in wrong:
        message = f"“{each}” of the field “{name[:60]}” has no effect: its attribute is declared as {type_}."
        note("not_used", message, tag, "warning")
    return {key: value for key, value in field.items() if key not in wrong}
