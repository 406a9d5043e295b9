"""Reading how often an activity is performed, and what the children of one get and return."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from flows.languages.bpmn.document.vocabulary import ACTIVITI, CAMUNDA, FLOWABLE, MODEL, OWN, ZEEBE
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import Assignment, Element, Expression, Loop
from flows.languages.bpmn.names import slug, usable
from flows.languages.bpmn.reader import data_items
from flows.languages.bpmn.reader.events import expression, is_given

Note = Callable[..., None]
Used = set[tuple[int, str]]
"""Elements of other languages that are read, and their attributes: not those that have no effect."""
_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]{0,62}")
_PASSED = {
    (OWN, "in"): True, (OWN, "out"): False, (ZEEBE, "input"): True, (ZEEBE, "output"): False,
    **{(each, name): name == "in" for each in (CAMUNDA, FLOWABLE, ACTIVITI) for name in ("in", "out")},
}  # fmt: skip
"""Elements that pass a value, and whether to a child."""
_LONGEST_FLOW = 63


def loop(tag: Tag, named: Mapping[str, Tag], note: Note, used: Used) -> Loop | None:
    """Return how often an activity is performed; None for once."""
    for each in tag.of(MODEL, "standardLoopCharacteristics", "multiInstanceLoopCharacteristics"):
        parts = {part.name: part for part in each.children if part.space == MODEL}
        if each.name == "multiInstanceLoopCharacteristics":
            return _several(tag, each, parts, named, note, used)
        condition = parts.get("loopCondition")
        found = expression(condition) if condition is not None and is_given(condition) else None
        return Loop(found, each.flag("testBefore"), each.get("loopMaximum"))
    return None


def _several(
    tag: Tag, each: Tag, parts: dict[str, Tag], named: Mapping[str, Tag], note: Note, used: Used
) -> Loop:
    """Return the loop of a multi-instance activity."""
    found = Loop(before=True, parallel=not each.flag("isSequential"))
    items, item = _collection(each, used)
    if not items and "loopDataInputRef" in parts:
        items, item = data_items.collection(tag, parts, named, used)
    item = usable(item.lower())
    parts = {name: part for name, part in parts.items() if is_given(part) or part.children}
    times, until = parts.get("loopCardinality"), parts.get("completionCondition")
    if times is not None and items:
        message = "A multi-instance activity has a number or a collection: this one has its collection."
        note("not_used", message, tag, "warning")
        times = None
    if item and not _ATTRIBUTE.fullmatch(item):
        note("bad_option", f"“{item[:60]}” is no name of an attribute.", tag)
    return replace(
        found,
        times=expression(times) if times is not None else None,
        items=Expression(items, "", each.line, each.column) if items else None,
        item=item,
        until=expression(until) if until is not None and until.text.strip() else None,
    )


def _collection(each: Tag, used: Used) -> tuple[str, str]:
    """Return the collection of a multi-instance activity, and the attribute for one of its items."""
    engines = (CAMUNDA, FLOWABLE, ACTIVITI)
    named = [(OWN, ("collection", "item")), *((each, ("collection", "elementVariable")) for each in engines)]
    for space, names in named:
        if each.attributes.get((space, names[0])):
            used |= {(id(each), name) for name in names}
            return each.attributes[space, names[0]], each.attributes.get((space, names[1]), "")
    for part in _extensions(each):
        if (part.space, part.name) == (ZEEBE, "loopCharacteristics"):
            used.add((id(part), ""))
            return part.get("inputCollection"), part.get("inputElement")
    return "", ""


def _extensions(tag: Tag) -> Iterator[Tag]:
    for extension in tag.of(MODEL, "extensionElements"):
        yield from (part for part in extension.walk() if part is not extension)


def with_children(tag: Tag, element: Element, named: Mapping[str, Tag], note: Note, used: Used) -> Element:
    """Return an activity with what its children get and return, if it starts any."""
    if tag.name == "callActivity":
        element = replace(element, calls=_called(tag, element, note, used))
    elif element.loop is None or not element.loop.parallel:
        return element
    passed = [*_passed(tag, note, used)]
    loop_ = element.loop is not None and element.loop.parallel
    inputs = tuple(each for each, to_child in passed if to_child)
    outputs = [*(each for each, to_child in passed if not to_child), *_results(tag, note, used)]
    outputs += data_items.results(tag, named, used)
    all_in, all_out = (_all(tag, name, used) for name in ("in", "out"))
    return replace(
        element, inputs=inputs, outputs=tuple(outputs), passes_all=all_in, returns_all=all_out and not loop_
    )


def _all(tag: Tag, name: str, used: Used) -> bool:
    """Return whether all values at once are passed to a child, or back."""
    found = False
    for part in _extensions(tag):
        found |= (
            part.space in (CAMUNDA, FLOWABLE, ACTIVITI)
            and part.name == name
            and part.get("variables") == "all"
        )
    for space in (FLOWABLE, ACTIVITI):
        if name == "in" and tag.attributes.get((space, "inheritVariables"), "") not in ("", "false", "0"):
            used.add((id(tag), "inheritVariables"))
            found = True
    return found


def _called(tag: Tag, element: Element, note: Note, used: Used) -> str:
    """Return the flow that a call activity starts."""
    name = element.options.get("flow") or tag.get("calledElement")
    for part in _extensions(tag):
        if (part.space, part.name) == (ZEEBE, "calledElement"):
            used.add((id(part), ""))
            name = name or part.get("processId")
    if not name:
        return ""
    if name.startswith(("=", "${", "#{")):
        message = f"The process of the call is computed, “{name[:60]}”: no flow is called here."
        note("completed", message, tag, "warning")
        return ""
    return slug(name.rpartition(":")[2], longest=_LONGEST_FLOW)


def _passed(tag: Tag, note: Note, used: Used) -> Iterator[tuple[Assignment, bool]]:
    """Return the values that are passed, with whether to the child."""
    for part in _extensions(tag):
        if (part.space, part.name) == (ZEEBE, "ioMapping"):
            used.add((id(part), ""))
        to_child = _PASSED.get((part.space, part.name))
        if to_child is None:
            continue
        used.add((id(part), ""))
        source = part.get("source") or part.get("sourceExpression")
        target = usable(part.get("target").lower())
        if part.space != OWN and part.get("businessKey") and not target:
            message = "“businessKey” has no effect: pass the attribute that identifies the child by its name."
            note("not_used", message, tag, "warning")
            continue
        if part.space != OWN and part.get("variables") == "all":
            continue
        if not source or not _ATTRIBUTE.fullmatch(target):
            message = "Name each value that a child gets or returns: its source, and an attribute as target."
            note("unsupported", message, tag)
            continue
        given = Expression(source, part.get("language"), part.line, part.column)
        yield Assignment(target, given), to_child


def _results(tag: Tag, note: Note, used: Used) -> Iterator[Assignment]:
    """Return the collected results of a multi-instance activity, as Camunda 8 writes them."""
    for each in tag.of(MODEL, "multiInstanceLoopCharacteristics"):
        for part in _extensions(each):
            if part.get("outputCollection") and (id(part), "") in used:
                source = Expression(part.get("outputElement"), "", part.line, part.column)
                target = usable(part.get("outputCollection").lower())
                if not _ATTRIBUTE.fullmatch(target) or not source.text:
                    note("unsupported", "The collection of results is an attribute, of one value each.", tag)
                    continue
                yield Assignment(target, source)
