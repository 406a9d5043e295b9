"""What activities become, with all that is before and after them: events, errors, conditions, loops."""

from __future__ import annotations

from flows.languages.bpmn.building import WAITING, quoted
from flows.languages.bpmn.events import Events
from flows.languages.bpmn.model import Element, Loop
from flows.languages.graph.model import Rule

ERROR = "error"


class Activities(Events):
    """Adds the nodes of activities."""

    def activity(self, name: str, element: Element) -> None:
        if element.tag == "receiveTask":
            self.waiting(name, element)
        elif element.tag == "scriptTask":
            self.script(name, element)
        else:
            self.worker(name, element)
        self.around(name, element)

    def script(self, name: str, element: Element) -> None:
        text = element.expression.text if element.expression is not None else ""
        rule = Rule({"performer": "database"}, sets=text.strip().rstrip(";"))
        self.add(name, "task", element, options=self.options(element), rule=rule)

    def around(self, name: str, element: Element) -> None:
        """Add what is before and after an activity: its events, errors, conditions and repetitions."""
        first, last = self.interruption(name, element), self.errors(name, element)
        if element.loop is not None:
            first, last = self.repeated(name, element, element.loop, first, last)
        if any(flow.condition is not None for flow in self.process.leaving(element.id)):
            chosen = self.add(f"{name}__flows", "inclusive", element)
            self.link(f"{name}__done", last, chosen, element.id)
            last = chosen
        self.entry[element.id], self.exit[element.id] = first, last

    def interruption(self, name: str, element: Element) -> str:
        """Add the gateway whose token the activity or one of its boundary events takes, if it has any."""
        events = [each for each in self.process.boundary(element.id) if each.trigger.kind in WAITING]
        if not events or element.tag == "subProcess":
            return name
        wait = self.add(f"{name}__wait", "event", element)
        self.link(f"{name}__do", wait, name, element.id)
        for event in events:
            self.link(f"{self.names[event.id]}__on", wait, self.names[event.id], event.id)
        return wait

    def errors(self, name: str, element: Element) -> str:
        """Add the gateway after an activity that decides by its error, if one is caught."""
        if element.tag == "subProcess":
            return self.subprocess_left(name, element)
        own = [e for e in self.process.boundary(element.id) if e.trigger.kind == "error"]
        ways: list[tuple[str, Element, str | None, int]] = [(e.trigger.code, e, None, 0) for e in own]
        for scope in self.process.around(element.scope):
            ways += [(event.trigger.code, event, scope, number) for number, event in self.catching(scope)]
        if not ways or element.tag in ("receiveTask", "scriptTask"):
            return name
        self.attribute(ERROR, "text", None, "error of an activity")
        out = self.add(f"{name}__out", "exclusive", element, rule=Rule(sets=f"{ERROR} = null"))
        self.link(f"{name}__end", name, out, element.id)
        seen: set[str] = set()
        for code, event, catcher, number in sorted(ways, key=lambda way: (not way[0], 0)):
            if code in seen:
                continue
            seen.add(code)
            condition = f"{ERROR} = {quoted(code)}" if code else f"{ERROR} is not null"
            target = self.names[event.id]
            if catcher is not None:
                target = f"{name}__throw_{len(seen)}"
                self.add(target, "end", element, rule=self.interrupts(catcher, number))
            self.link(f"{name}__err_{len(seen)}", out, target, event.id, condition)
            self.caught.append(f"(t_{name}__end > 0 and {condition})")
        self.after_errors(name, element, out)
        return f"{name}__ok"

    def after_errors(self, name: str, element: Element, out: str) -> None:
        """Add the way on from an activity without an error."""
        done = self.add(f"{name}__ok", "none", element)
        self.link(f"{name}__fine", out, done, element.id, default=True)

    def subprocess(self, name: str, element: Element) -> None:
        if element.by_event:
            self.note("unsupported", "An event sub-process is not supported.", element)
        self.add(name, "subprocess", element)
        self.around(name, element)

    def subprocess_left(self, name: str, element: Element) -> str:
        """Add the gateway after a sub-process that decides by what interrupted it, if anything can."""
        events = [*enumerate(self.process.boundary(element.id), 1)]
        events = [each for each in events if each[1].trigger.kind != "compensate"]
        if not events:
            return name
        marker = self.left(element.id)
        out = self.add(f"{name}__out", "exclusive", element, rule=Rule(sets=f"{marker} = 0"))
        self.link(f"{name}__end", name, out, element.id)
        for number, event in events:
            target = self.names[event.id]
            self.link(f"{target}__on", out, target, event.id, f"{marker} = {number}")
        self.after_errors(name, element, out)
        return f"{name}__ok"

    def boundary(self, name: str, element: Element) -> None:
        host = self.process.elements[element.attached]
        kind = element.trigger.kind
        if kind == "compensate":
            return
        if not element.interrupting:
            self.note("unsupported", "A boundary event that does not interrupt is not supported.", element)
        if host.tag in ("receiveTask", "scriptTask") and kind == "error":
            self.note("unsupported", f"An element {host.tag} ends with no error.", element)
        self.exit[element.id] = name
        if host.tag != "subProcess" and kind in WAITING:
            self.waiting(name, element)
            return
        self.add(name, "none", element)
        if host.tag == "subProcess" and kind in WAITING:
            number = self.process.boundary(host.id).index(element) + 1
            rule = self.interrupts(host.id, number)
            self.waiting(f"{name}__stop", element, ends=rule.ends, sets=rule.sets, during=rule.ends)

    def repeated(self, name: str, element: Element, found: Loop, first: str, last: str) -> tuple[str, str]:
        """Add the gateways of a loop, and return where it begins and ends."""
        conditions, counter = [], f"i_{name}"
        if found.condition is not None:
            conditions.append(f"coalesce(({self.sql(found.condition, element.id)}), false)")
        most = self.times(element, found)
        if most:
            self.attribute(counter, "integer", "0", f"{element.name or name}: repetitions")
            conditions.append(f"{counter} < {most}")
        again = " and ".join(conditions) or "true"
        count = f"{counter} = case when {again} then {counter} + 1 else 0 end" if most else ""
        test = self.add(f"{name}__test", "exclusive", element, rule=Rule(sets=count))
        self.link(f"{name}__again", test, first, element.id, again)
        leave = self.add(f"{name}__leave", "none", element)
        self.link(f"{name}__over", test, leave, element.id, default=True)
        self.link(f"{name}__next", last, test, element.id)
        if found.before:
            return test, leave
        begin = self.add(f"{name}__begin", "none", element)
        self.link(f"{name}__first", begin, first, element.id)
        if most:
            self.nodes[begin].rule = Rule(sets=f"{counter} = 1")
        return begin, leave

    def times(self, element: Element, found: Loop) -> str:
        """Return how often an activity is repeated at most, a number or an attribute; empty for no limit."""
        if found.times is None:
            if found.most and not found.most.isdigit():
                self.note("bad_option", "The maximum of the loop is no whole number.", element)
            return found.most
        return f"({self.sql(found.times, element.id)})"
