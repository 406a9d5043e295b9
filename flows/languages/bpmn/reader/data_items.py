"""The data of multi-instance activities as BPMN itself writes them: collections, items and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import Tag, local
from flows.languages.bpmn.model import Assignment, Expression
from flows.languages.bpmn.names import slug, usable

_PARTS = frozenset(
    {"loopDataInputRef", "loopDataOutputRef", "inputDataItem", "outputDataItem", "dataInput", "dataOutput"}
    | {"ioSpecification", "inputSet", "outputSet", "dataInputAssociation", "dataOutputAssociation"}
)
Used = set[tuple[int, str]]


def collection(
    tag: Tag, parts: Mapping[str, Tag], named: Mapping[str, Tag], used: Used
) -> tuple[str, str]:  # fmt: skip
    """Return the attributes of the collection of an activity, and of one of its items."""
    wanted = local(parts["loopDataInputRef"].text)
    source = next((local(each) for each in _ends(tag, "dataInputAssociation", wanted, into=True)), wanted)
    item = next((each for each in _loop(tag) if each.name == "inputDataItem"), None)
    used |= {(id(each), "") for each in tag.walk() if each.space == MODEL and each.name in _PARTS}
    return _attribute(source, named), _name(item) if item is not None else ""


def results(tag: Tag, named: Mapping[str, Tag], used: Used) -> Iterator[Assignment]:
    """Return the collected results of a parallel activity: an attribute, and what each child returns."""
    parts = {each.name: each for each in _loop(tag)}
    if "loopDataOutputRef" in parts and "outputDataItem" in parts:
        item, wanted = parts["outputDataItem"], local(parts["loopDataOutputRef"].text)
        target = next(
            (local(each) for each in _ends(tag, "dataOutputAssociation", wanted, into=False)), wanted
        )
        used |= {(id(each), "") for each in tag.walk() if each.space == MODEL and each.name in _PARTS}
        yield Assignment(_attribute(target, named), Expression(_name(item), "sql", item.line, item.column))


def _loop(tag: Tag) -> Iterator[Tag]:
    for each in tag.of(MODEL, "multiInstanceLoopCharacteristics"):
        yield from each.children


def _ends(tag: Tag, kind: str, wanted: str, *, into: bool) -> Iterator[str]:
    """Return the other ends of the associations that lead into, or come out of, an input or output."""
    for each in tag.of(MODEL, kind):
        ends = {part.name: part.text.strip() for part in each.children if part.space == MODEL}
        own, other = ("targetRef", "sourceRef") if into else ("sourceRef", "targetRef")
        if local(ends.get(own, "")) == wanted and ends.get(other):
            yield ends[other]


def _attribute(id_: str, named: Mapping[str, Tag]) -> str:
    """Return the attribute of a variable or a data object, also through a reference to it."""
    found = named.get(id_)
    if found is not None and found.name == "dataObjectReference":
        found = named.get(local(found.get("dataObjectRef")), found)
    return _name(found) if found is not None else usable(slug(id_))


def _name(tag: Tag) -> str:
    return usable(slug(tag.get("name") or tag.id))
