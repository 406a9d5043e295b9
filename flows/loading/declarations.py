"""Attributes that a process in BPMN uses and does not declare: proposed with the types by their use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from flows import api
from flows.languages.bpmn import BpmnProblem, Process
from flows.languages.bpmn.conditions import Condition, conditions, passed, types, uses
from flows.languages.bpmn.model import Datum
from flows.loading.graphs import Declaring, Undeclared
from flows.loading.inference import TYPES


@dataclass(frozen=True)
class Declared:
    """A process with the attributes that it uses, and a warning that lists those that were added."""

    process: Process
    warnings: tuple[BpmnProblem, ...] = ()


def declared(process: Process, declaring: Declaring) -> Declared:
    """Return a process with the attributes that it uses and does not declare, as far as a type suits."""
    untyped = _untyped(process)
    known = {name: type_ for name, type_ in types(process).items() if name not in untyped}
    missing = Undeclared(known, declaring)
    for condition in _naming(process):
        missing.check("", condition.sql)
    found = {name: type_ for name, type_ in missing.types().items() if _is_name(name)}
    new = {name: type_ for name, type_ in found.items() if name not in untyped}
    data = [_typed(each, found) for each in process.data]
    there = {str(each.options["name"]) for each in data}
    added = ({"name": name, "type": found[name], "label": name} for name in found if name not in there)
    data += [Datum("", options, process.line, process.column) for options in added]
    if not found:
        return Declared(process)
    made = replace(process, data=tuple(data))
    return Declared(made, tuple(_warnings(process, declaring, new, _ambiguous(missing, new))))


def _untyped(process: Process) -> set[str]:
    """Return the data objects without a type, and the items of collections, which may be of any type."""
    found = {str(each.options["name"]) for each in process.data if each.id and "type" not in each.options}
    items = {each.loop.item for each in process.elements.values() if each.loop is not None}
    return (found | items) - {str(e.options["name"]) for e in process.data if "type" in e.options} - {""}


def _naming(process: Process) -> Iterator[Condition]:
    """Return all that names attributes, as conditions."""
    yield from conditions(process, [])
    yield from uses(process)
    yield from passed(process)


def _typed(datum: Datum, found: Mapping[str, str]) -> Datum:
    """Return an attribute with the type by its use, if the file gives it none."""
    type_ = found.get(str(datum.options["name"]))
    return datum if type_ is None or "type" in datum.options else replace(
        datum, options={**datum.options, "type": type_}
    )  # fmt: skip


def _is_name(name: str) -> bool:
    """Return whether an attribute may have a name."""
    return api.conditions.check({name: "text"}, f"{name} is null")[0] is None and not name.startswith("_")


def _ambiguous(missing: Undeclared, found: Mapping[str, str]) -> list[str]:
    """Return the names that could have another type as well."""
    return [name for name, type_ in found.items() if any(missing.fits(name, t) for t in TYPES if t != type_)]


def _warnings(
    process: Process, declaring: Declaring, found: Mapping[str, str], unclear: list[str]
) -> Iterator[BpmnProblem]:  # fmt: skip
    if not found:
        return
    facts = {
        "names": ", ".join(f"“{name}” ({type_})" for name, type_ in found.items()),
        "lines": " ".join(declaring.of(name, type_) for name, type_ in found.items()),
        "unclear": ", ".join(f"“{name}”" for name in unclear),
    }
    message = _("The file does not declare these names; they become attributes with types by their use: "
                "%(names)s.")  # fmt: skip
    if unclear:
        message += " " + _("Other types fit, too: %(unclear)s.")
    message += " " + _("To choose, add: %(lines)s")
    yield BpmnProblem("declared", message % facts, process.line, process.column, "warning", process.id)
