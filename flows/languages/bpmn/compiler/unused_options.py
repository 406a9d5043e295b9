"""Options of elements that no rule reads. They are refused, so that none is dropped silently."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from flows.languages.bpmn.compiler.graph_parts import OPTIONS, Building, Made
from flows.languages.bpmn.model import EVENTS, Element

_TASKS = frozenset(
    {"deadline", "outcomes", "sets_when_taken", "candidate", "not_by", "same_as", "offline", "application"}
)
"""Options of jobs that persons perform."""
_WORKERS = frozenset({"timeout", "mode", "max_attempts", "backoff"})
"""Options of jobs that workers perform."""
_JOBS = frozenset(
    {"timeout", "revalidate", "mode", "max_attempts", "backoff", "pickup_deadline", "concurrent", "lock"}
    | {"refresh_payload", "replay", "keep", "mutex", "writes", "child", "child_count", "child_set"}
    | {"child_wait", "child_rest", "child_exception", "child_errors", "child_result"}
)
"""Options of jobs that workers or children perform."""


def unread(made: Building) -> Iterator[tuple[Element, str]]:
    """Return the elements with an option that has no effect on their rules, and the reason."""
    found: defaultdict[str, list[Made]] = defaultdict(list)
    for node in made.nodes.values():
        found[node.origin].append(node)
    for name, elements in _given(made):
        if not (name == "transition" or (name == "flow" and elements[0].tag == "callActivity")):
            rules = found.get(made.origin(elements[0].id), [])
            reasons = [next(_reasons(made, each, name, rules), "") for each in elements]
            if all(reasons):
                yield elements[0], reasons[0]


def _given(made: Building) -> Iterator[tuple[str, list[Element]]]:
    """Return the options that the file gives, each with its element.

    An event with several definitions is one for each, of which one at least has to read an option.
    """
    found: defaultdict[tuple[str, str], list[Element]] = defaultdict(list)
    for element in made.process.elements.values():
        if element.tag in EVENTS or element.id not in made.parts:
            for name in element.options:
                found[name, made.origin(element.id)].append(element)
    for (name, _origin), elements in found.items():
        yield name, elements


def _reasons(made: Building, element: Element, name: str, rules: list[Made]) -> Iterator[str]:
    """Return why an option of an element has no effect."""
    reading = [rule for rule in rules if name in rule.options]
    if name not in OPTIONS:
        yield f"“{name[:40]}” is no option here."
    elif name == "role":
        named = element.options[name] and not _holds_others(made, element)
        if element.compensates or (
            named and not any(r.kind == "task" and "role" in r.all_options for r in reading)
        ):
            yield f"“{name[:40]}” has no effect here: no worker or person performs the element."
    elif element.id not in made.heeded:
        yield f"“{name[:40]}” has no effect here: the element is no rule of its own."
    elif any(_is_set(rule, name, element.options[name]) for rule in rules):
        yield f"“{name[:40]}” has no effect here: the import sets it."
    elif name in _JOBS and not any(map(_is_job, reading)):
        yield f"“{name[:40]}” has no effect here: the database performs the element, so it has no jobs."
    elif element.person and (name in _WORKERS or name.startswith("child")):
        yield f"“{name}” has no effect here: a person performs the element, not a worker (wedsql:performer)."
    elif name in _TASKS and not element.person and not _may_fail(name, rules):
        yield f"“{name}” has no effect here: no person performs the element (wedsql:performer)."
    else:
        yield from _of_children(name, rules, reading)


def _of_children(name: str, rules: list[Made], reading: list[Made]) -> Iterator[str]:
    """Return why an option has no effect on an element that starts children, or that starts none."""
    if name == "refresh_payload" and any(map(_has_children, rules)):
        yield f"“{name}” has no effect here: children have the values with which the activity begins."
    elif name.startswith("child_") and not any(map(_has_children, reading)):
        yield f"“{name[:40]}” has no effect here: the jobs of the element start no children."


def _is_set(rule: Made, name: str, given: str) -> bool:
    """Return whether the import sets another value of an option."""
    value = rule.rule.options.get(name, rule.options.get(name, given))
    return (name in rule.rule.options or isinstance(value, str)) and value != given


def _is_job(rule: Made) -> bool:
    return rule.kind == "task" and rule.rule.options.get("performer", "worker") != "database"


def _may_fail(name: str, rules: list[Made]) -> bool:
    """Return whether an option is the outcome FAILED alone, of a worker whose attempts are used up."""
    given = [rule.options["outcomes"] for rule in rules if _is_job(rule) and rule.options.get("outcomes")]
    return name == "outcomes" and any([o.partition(":")[0] for o in each] == ["FAILED"] for each in given)


def _has_children(rule: Made) -> bool:
    return "child" in rule.rule.options or rule.options.get("child") is not None


def _holds_others(made: Building, element: Element) -> bool:
    """Return whether an element gives its role to others: to what it contains, or to its events."""
    return element.tag == "subProcess" or bool(made.process.boundary(element.id))
