"""Compensation that the process starts: what a throwing event undoes, and how a transaction is cancelled.

A counter says how often an activity was performed and not undone; a step after the activity counts it, and
where there are several, notes its number among all performances. The event that throws becomes a loop: a step
finds the activity that was performed last, a gateway leads to its activity for compensation, and a step
counts it as undone, until none is left.
"""

from __future__ import annotations

from dataclasses import replace

from flows.languages.bpmn.additions.compensation_order import Undoing
from flows.languages.bpmn.additions.copies import copied, dropped
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.model import TASKS, Datum, Element, Expression, Trigger
from flows.languages.bpmn.names import slug

_THROWING = ("endEvent", "intermediateThrowEvent")


def add_compensations(sketch: Sketch) -> None:
    """Replace events that throw compensation, or cancel a transaction, by what they do."""
    cancels = _cancelled(sketch)
    undone = Undoing(sketch)
    throws = [each for each in sketch.elements.values() if _throws(each)]
    throws.sort(key=lambda each: each.scope not in undone.handling)  # those within handlers before copies
    for event in throws:
        _thrown(sketch, undone, event)
    for boundary, scope in cancels:
        _undone_after(sketch, undone, boundary, scope)
    for handler in {*undone.handling}:
        if not (throws or cancels):
            title = sketch.titles[handler]
            message = f"Nothing throws the compensation that starts “{title}”: it never happens."
            sketch.warn(message, sketch.elements[handler])
        dropped(sketch, handler)
    if throws or cancels:
        _only_here(sketch, undone)


def _throws(element: Element) -> bool:
    return element.tag in _THROWING and element.trigger.kind == "compensate"


def _thrown(sketch: Sketch, undone: Undoing, event: Element) -> None:
    """Replace an event that throws by a chain before an event that passes or ends its token."""
    hosts = undone.named(event.trigger.name) if event.trigger.name else undone.within(_scope(sketch, event))
    sketch.change(replace(event, trigger=Trigger()))
    if not hosts:
        title = sketch.titles[event.id]
        message = f"The event “{title}” undoes nothing: no activity that it means has compensation."
        sketch.warn(message, event)
        return
    entering = sketch.entering(event.id)
    first = _chain(sketch, undone, event, hosts, event.id)
    for flow in entering:
        sketch.redirect(flow, target=first)


def _scope(sketch: Sketch, event: Element) -> str | None:
    """Return the level whose activities an event undoes: of an event sub-process, the one around it."""
    scope = event.scope
    while scope is not None and sketch.elements[scope].by_event:
        scope = sketch.elements[scope].scope
    return scope


def _chain(sketch: Sketch, undone: Undoing, of: Element, hosts: list[str], last: str) -> str:
    """Add what undoes activities, the one that was performed last first, and return its first element."""
    which = sketch.attribute(f"undo_{sketch.titles[of.id]}")
    label = f"{sketch.titles[of.id]}: what is undone next"
    options = {"name": which, "type": "integer", "label": label}
    sketch.data.append(Datum(of.id, options, of.line, of.column, internal=True))
    found = [_number(sketch, undone, of, host) for host in hosts]
    text = f"{which} = greatest({', '.join(found)})"
    first = _script(sketch, of, f"{of.id}/undo", f"{sketch.titles[of.id]}: undo", text)
    gateway = Element(f"{of.id}/which", "exclusiveGateway", f"{sketch.titles[of.id]}: which", scope=of.scope,
                      default=f"{of.id}/find")  # fmt: skip
    sketch.add(gateway, of)
    sketch.connect(f"{of.id}/found", first, gateway.id, of)
    for number, (host, performed) in enumerate(zip(hosts, found, strict=True), 1):
        handler, undoes = _undo(sketch, undone, of, host, f"{of.id}/undo_{number}")
        when = Expression(f"{which} = {performed}", "sql", of.line, of.column)
        sketch.connect(f"{of.id}/due_{number}", gateway.id, handler, of, when)
        sketch.connect(f"{of.id}/again_{number}", undoes, first, of)
    none = Expression(f"{which} is null", "sql", of.line, of.column)
    sketch.connect(f"{of.id}/over", gateway.id, last, of, none)
    sketch.connect(gateway.default, gateway.id, first, of)  # another one was performed meanwhile
    return first


def _number(sketch: Sketch, undone: Undoing, of: Element, host: str) -> str:
    """Return the number of the last performance of an activity that can be undone, as SQL; null for none.

    What was performed before its number was noted has 0.
    """
    needed = [_counter(sketch, undone, host)]
    needed += [_counter(sketch, undone, each) for each in undone.between(host, _scope(sketch, of))]
    possible = " and ".join(f"{each} > 0" for each in needed)
    order = undone.orders.get(host)
    return f"case when {possible} then {f'coalesce(({order} ->> (-1))::integer, 0)' if order else '0'} end"


def _undo(sketch: Sketch, undone: Undoing, of: Element, host: str, id_: str) -> tuple[str, str]:
    """Add what undoes one performance of an activity, and return its first and last element."""
    counter, order = undone.counters[host], undone.orders.get(host)
    handler = copied(sketch, undone.handler(host), f"{id_}/do", of.scope)
    text = f"{counter} = {counter} - 1" + (f", {order} = {order} - (-1)" if order else "")
    uncount = _script(sketch, of, f"{id_}/undone", f"{sketch.titles[host]}: undone", text)
    sketch.connect(f"{id_}/performed", handler, uncount, of)
    return handler, uncount


def _script(sketch: Sketch, of: Element, id_: str, title: str, text: str) -> str:
    """Add a step that the database performs, in the level of another element."""
    expression = Expression(text, "sql", of.line, of.column)
    sketch.add(Element(id_, "scriptTask", title, scope=of.scope, expression=expression), of)
    return id_


def _counter(sketch: Sketch, undone: Undoing, host: str) -> str:
    """Return the attribute that says how often an activity can be undone, and let it be counted."""
    if host not in undone.counters:
        element, title = sketch.elements[host], sketch.titles[host]
        name = undone.counters[host] = sketch.attribute(f"done_{title}")
        options = {"name": name, "type": "integer", "default": "0", "label": f"{title}: can be undone"}
        sketch.data.append(Datum(host, options, element.line, element.column, internal=True))
        onward = sketch.leaving(host)
        text = f"{name} = {name} + 1{_numbered(sketch, undone, element)}"
        counted = _script(sketch, element, f"{host}/counted", f"{title}: done", text)
        for flow in onward:
            sketch.redirect(flow, source=counted)
        sketch.elements[counted] = replace(sketch.elements[counted], default=element.default)
        sketch.change(replace(sketch.elements[host], default=""))
        sketch.connect(f"{host}/count", host, counted, element)
    return undone.counters[host]


def _numbered(sketch: Sketch, undone: Undoing, element: Element) -> str:
    """Return the assignments that number a performance, if another activity can be undone, too."""
    if not undone.several or not undone.undoes(element.id):
        return ""
    place = (element.line, element.column)
    if not undone.performed:
        undone.performed = sketch.attribute("performed")
        given = {"name": undone.performed, "type": "integer", "default": "0", "label": "performed activities"}
        sketch.data.append(Datum(element.id, given, *place, internal=True))
    title = sketch.titles[element.id]
    order = undone.orders[element.id] = sketch.attribute(f"order_{title}")
    given = {"name": order, "type": "jsonb", "default": "[]", "label": f"{title}: order of performances"}
    sketch.data.append(Datum(element.id, given, *place, internal=True))
    number = f"{undone.performed} + 1"
    return f", {undone.performed} = {number}, {order} = {order} || ({number})::text::jsonb"


def _cancelled(sketch: Sketch) -> list[tuple[Element, str]]:
    """Let cancel end events interrupt their transactions, and return the events that catch it with these."""
    found: list[tuple[Element, str]] = []
    cancelling: set[str] = set()
    for event in [*sketch.elements.values()]:
        if event.trigger.kind != "cancel" or event.tag != "endEvent":
            continue
        outer = sketch.elements.get(event.scope or "")
        if outer is None or not outer.transaction:
            title = sketch.titles[event.id]
            message = f"“{title}” is not directly within a transaction: it cancels nothing, its token ends."
            sketch.warn(message, event)
            sketch.change(replace(event, trigger=Trigger()))
            continue
        cancelling.add(outer.id)
        sketch.change(replace(event, trigger=Trigger("error", event.trigger.name, _code(outer.id))))
    _with_borders(sketch, cancelling)
    for event in [*sketch.elements.values()]:
        if event.trigger.kind == "cancel":
            found += _caught(sketch, event, cancelling)
    return [each for each in found if each[1] in cancelling]


def _with_borders(sketch: Sketch, cancelling: set[str]) -> None:
    """Give transactions that are cancelled, and have no cancel event, one whose token ends."""
    events = [each for each in sketch.elements.values() if each.trigger.kind == "cancel"]
    for scope in sorted(cancelling - {each.attached for each in events}):
        of, title = sketch.elements[scope], sketch.titles[scope]
        border = Element(f"{scope}/cancelled", "boundaryEvent", f"{title}: cancelled", scope=of.scope,
                         attached=scope, trigger=Trigger("cancel"))  # fmt: skip
        end = Element(f"{scope}/gone", "endEvent", f"{title}: cancelled", scope=of.scope)
        sketch.add(border, of)
        sketch.add(end, of)
        sketch.connect(f"{scope}/gone/in", border.id, end.id, of)
        sketch.warn(f"“{title}” has no cancel event at its border: its token ends when it is cancelled.", of)


def _caught(sketch: Sketch, event: Element, cancelling: set[str]) -> list[tuple[Element, str]]:
    """Return a cancel event at the border of a transaction, with this."""
    host = sketch.elements.get(event.attached)
    if host is None or not host.transaction:
        title = sketch.titles[event.id]
        message = f"“{title}” is at no transaction, which alone is cancelled: a person says when it happens."
        sketch.warn(message, event)
        sketch.change(replace(event, trigger=Trigger("person", event.trigger.name)))
        return []
    if host.id in cancelling:
        sketch.change(replace(event, trigger=Trigger("error", event.trigger.name, _code(host.id))))
    else:
        sketch.change(replace(event, trigger=Trigger("person", event.trigger.name)))
        title = sketch.titles[event.id]
        around = sketch.titles[host.id]
        message = f"Nothing within “{around}” throws “{title}”: a person says when it happens."
        sketch.warn(message, event)
    return [(sketch.elements[event.id], host.id)]


def _code(transaction: str) -> str:
    return f"cancel {transaction}"


def _undone_after(sketch: Sketch, undone: Undoing, boundary: Element, scope: str) -> None:
    """Undo what a transaction has done, after the event that catches its cancellation."""
    hosts = undone.within(scope)
    if not hosts:
        return
    last = Element(f"{boundary.id}/left", "intermediateThrowEvent", sketch.titles[boundary.id],
                   scope=boundary.scope)  # fmt: skip
    onward = sketch.leaving(boundary.id)
    sketch.add(last if onward else replace(last, tag="endEvent"), boundary)
    for flow in onward:
        sketch.redirect(flow, source=last.id)
    undone.cancelled.add(scope)
    first = _chain(sketch, undone, boundary, hosts, last.id)
    sketch.connect(f"{boundary.id}/undo", boundary.id, first, boundary)
    _afresh(sketch, undone, scope, hosts)


def _afresh(sketch: Sketch, undone: Undoing, scope: str, hosts: list[str]) -> None:
    """Let a transaction that begins count from its start."""
    given = [f"{undone.counters[host]} = 0" for host in hosts]
    given += [f"{undone.orders[host]} = '[]'" for host in hosts if host in undone.orders]
    text = ", ".join(given)
    for start in [each for each in sketch.elements.values() if each.scope == scope]:
        if start.tag == "startEvent":
            onward = sketch.leaving(start.id)
            begun = _script(sketch, start, f"{start.id}/begun", f"{sketch.titles[scope]}: begun", text)
            for flow in onward:
                sketch.redirect(flow, source=begun)
            sketch.connect(f"{start.id}/afresh", start.id, begun, start)


def _only_here(sketch: Sketch, undone: Undoing) -> None:
    """Leave out compensation that people could not start: of sub-processes, or by other than a task."""
    for host, (event, handler) in undone.attached.items():
        if handler not in sketch.elements or event not in sketch.elements:
            continue
        found = sketch.elements[handler]
        plain = TASKS.get(found.tag) == "worker" and found.loop is None
        if sketch.elements[host].tag == "subProcess" or not plain:
            del sketch.elements[event]
            dropped(sketch, handler)
        elif not found.job_type and "transition" not in found.options:
            sketch.change(replace(found, job_type=slug(found.name or found.id)))
