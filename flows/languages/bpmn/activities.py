"""What activities become, with all that is before and after them: events, errors, conditions, loops."""

from __future__ import annotations

from flows.languages.bpmn.boundaries import Boundaries
from flows.languages.bpmn.building import quoted
from flows.languages.bpmn.children import counted
from flows.languages.bpmn.model import Element, Loop
from flows.languages.graph.model import Rule

ERROR = "error"


class Activities(Boundaries):
    """Adds the nodes of activities."""

    def activity(self, name: str, element: Element) -> None:
        if element.tag == "callActivity":
            self.call(name, element)
        else:
            self.performed_by_worker(name, element)
        if self.is_apart(element):
            self.many(name, element)
        self.around(name, element)

    def around(self, name: str, element: Element) -> None:
        """Add what is before and after an activity: its events, errors, conditions and repetitions."""
        first, last = self.interruption(name, element), self.errors(name, element)
        if element.loop is not None and not element.loop.parallel:
            first, last = self.repeated(name, element, element.loop, first, last)
        if any(flow.condition is not None for flow in self.process.leaving(element.id)):
            chosen = self.add(f"{name}__flows", "inclusive", element, title="ways on")
            self.link(f"{name}__done", last, chosen, element.id, title="done")
            last = chosen
        self.entry[element.id], self.exit[element.id] = first, last

    def interruption(self, name: str, element: Element) -> str:
        """Add the gateway whose token the activity or one of its boundary events takes, if it has any."""
        main = self.main(element)
        events = [each for each in self.process.boundary(element.id) if self.interrupts_task(each)]
        if not events or self.is_inside(element):
            return main
        wait = self.add(f"{name}__wait", "event", element, title="waiting")
        self.link(f"{name}__do", wait, main, element.id, title="begun")
        for event in events:
            self.link(f"{self.names[event.id]}__on", wait, self.names[event.id], event.id, title="taken")
        return wait

    def errors(self, name: str, element: Element) -> str:
        """Add the gateway after an activity that decides by its error, if one is caught."""
        if self.is_inside(element):
            return self.subprocess_left(name, element)
        main, ways = self.main(element), self.ways(element)
        if not ways or element.tag in ("receiveTask", "scriptTask"):
            return main
        self.attribute(ERROR, "text", None, "error of an activity")
        if self.has_children(element):
            self.failing(element, ERROR)
        rule = Rule(sets=f"{ERROR} = null")
        out = self.add(f"{name}__out", "exclusive", element, title="result", rule=rule)
        self.link(f"{name}__end", main, out, element.id, title="performed")
        for number, (event, thrown) in enumerate(ways, 1):
            code = event.trigger.code
            condition = f"{ERROR} = {quoted(code)}" if code else f"{ERROR} is not null"
            target, title = self.names[event.id], f"error {code}".strip()
            if thrown is not None:
                target = f"{name}__throw_{number}"
                self.add(target, "end", element, title=title, rule=thrown)
            origin = event.id if thrown is None else element.id
            self.link(f"{name}__err_{number}", out, target, origin, condition, title=title)
            self.caught.append(f"(t_{name}__end > 0 and {condition})")
        self.after_errors(name, element, out)
        return f"{name}__ok"

    def ways(self, element: Element) -> list[tuple[Element, Rule | None]]:
        """Return the events that catch an error of an activity, each of another code, up to one of any."""
        own = [each for each in self.process.boundary(element.id) if each.trigger.kind == "error"]
        ways: list[tuple[Element, Rule | None]] = [(each, None) for each in own]
        ways.sort(key=lambda way: not way[0].trigger.code)
        ways += self.catching(element.scope)
        found: dict[str, tuple[Element, Rule | None]] = {}
        for way in ways:
            code = way[0].trigger.code
            if "" not in found and not (code and self.has_children(element)):
                found.setdefault(code, way)
        for event in own if self.has_children(element) else ():
            if event.trigger.code:
                message = "A child fails without an error code; let the event catch any error."
                self.note("unsupported", message, event)
        return [*found.values()]

    def after_errors(self, name: str, element: Element, out: str) -> None:
        """Add the way on from an activity without an error."""
        done = self.add(f"{name}__ok", "none", element, title="done")
        self.link(f"{name}__fine", out, done, element.id, default=True, title="no error")

    def subprocess(self, name: str, element: Element) -> None:
        if element.by_event:
            self.event_subprocess(name, element)
            return
        apart = self.is_apart(element)
        sets = "" if apart else self.resets(element)
        scope = None if apart else element.scope
        self.add(name, "subprocess", element, scope=scope, rule=Rule(sets=sets))
        if apart:
            self.many(name, element)
        self.around(name, element)

    def subprocess_left(self, name: str, element: Element) -> str:
        """Add the gateway after a sub-process that decides by what interrupted it, if anything can."""
        events = [*enumerate(self.process.boundary(element.id), 1)]
        events = [each for each in events if each[1].trigger.kind != "compensate" and each[1].interrupting]
        if not events:
            return name
        marker = self.left(element.id)
        out = self.add(f"{name}__out", "exclusive", element, title="result", rule=Rule(sets=f"{marker} = 0"))
        self.link(f"{name}__end", name, out, element.id, title="performed")
        for number, event in events:
            target = self.names[event.id]
            self.link(f"{target}__on", out, target, event.id, f"{marker} = {number}", title="taken")
        self.after_errors(name, element, out)
        return f"{name}__ok"

    def repeated(self, name: str, element: Element, found: Loop, first: str, last: str) -> tuple[str, str]:
        """Add the gateways of a loop, and return where it begins and ends."""
        counter, most = f"i_{name}", self.times(element, found)
        again = self.again(element, found, counter, most)
        sets = self.counting(element, found, counter, again) if most else ""
        test = self.add(f"{name}__test", "exclusive", element, title="repeat", rule=Rule(sets=sets))
        self.link(f"{name}__again", test, first, element.id, again, title="again")
        leave = self.add(f"{name}__leave", "none", element, title="repeated")
        self.link(f"{name}__over", test, leave, element.id, default=True, title="no more")
        self.link(f"{name}__next", last, test, element.id, title="performed")
        if found.before:
            return test, leave
        begin = self.add(f"{name}__begin", "none", element, title="begin")
        self.link(f"{name}__first", begin, first, element.id, title="first")
        if most:
            self.nodes[begin].rule = Rule(sets=f"{counter} = 1")
        return begin, leave

    def again(self, element: Element, found: Loop, counter: str, most: str) -> str:
        """Return the condition under which an activity is performed once more."""
        conditions = []
        if found.condition is not None:
            conditions.append(f"coalesce(({self.sql(found.condition, element.id)}), false)")
        if most:
            conditions.append(f"{counter} < {most}")
        if found.until is not None:
            counts = {"instances": most, "completed": counter, "active": "0", "terminated": "0"}
            until = counted(self.sql(found.until, element.id), counts)
            conditions.append(f"({counter} = 0 or not coalesce(({until}), false))")
        return " and ".join(conditions) or "true"

    def counting(self, element: Element, found: Loop, counter: str, again: str) -> str:
        """Return what a repetition sets: its number, and the item of the collection that it is about."""
        self.attribute(counter, "integer", "0", self.titled(element, "repetitions"))
        sets = f"{counter} = case when {again} then {counter} + 1 else 0 end"
        if found.items is None or not found.item:
            return sets
        self.declare_item(element)
        type_, items = self.type_of(found.item), self.items(element, found)
        value = f"{items} -> {counter}"
        if type_ not in ("", "jsonb"):
            value = f"({items} ->> {counter})::{'text' if type_ == 'enum' else type_}"
        return f"{sets}, {found.item} = case when {again} then {value} end"

    def times(self, element: Element, found: Loop) -> str:
        """Return how often an activity is repeated at most, a number or an attribute; empty for no limit."""
        if found.items is not None:
            return self.count(element, found)
        if found.times is None:
            if found.most and not found.most.isdigit():
                self.note("bad_option", "The maximum of the loop is no whole number.", element)
            return found.most
        return f"({self.sql(found.times, element.id)})"
