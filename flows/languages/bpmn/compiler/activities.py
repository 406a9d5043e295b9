"""What activities become, with all that is before and after them: events, errors, conditions, loops."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.compiler.graph_parts import quoted
from flows.languages.bpmn.compiler.repetitions import Repetitions
from flows.languages.bpmn.model import Element
from flows.languages.bpmn.titles import shortened
from flows.languages.graph.model import Rule

ERROR = "error"


class Activities(Repetitions):
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
        onward = self.process.leaving(element.id)
        defaults = len(onward) > 1 and any(flow.id == element.default for flow in onward)
        if defaults or any(flow.condition is not None for flow in onward):
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
            self.failing(element, ERROR, [event.trigger.code for event, _thrown in ways])
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
        self.catches(main, element, f"t_{name}__end", [event.trigger.code for event, _thrown in ways])
        self.after_errors(name, element, out)
        return f"{name}__ok"

    def failed_in_child(self, name: str, element: Element, end: str) -> str:
        """Add what ends a child of the flow itself by an error of its activity, which its parent catches."""
        ways = [] if element.tag in ("receiveTask", "scriptTask", "subProcess") else self.ways(element)
        if not ways:
            return end
        self.attribute(ERROR, "text", None, "error of an activity")
        rule = Rule(sets=f"{ERROR} = null")
        out = self.add(f"{name}__result", "exclusive", element, scope=None, title="result", rule=rule)
        codes = [event.trigger.code for event, _thrown in ways]
        for number, code in enumerate(codes, 1):
            condition = f"{ERROR} = {quoted(code)}" if code else f"{ERROR} is not null"
            title = f"error {code}".strip()
            rule = self.uncaught(code or "CHILD")
            failed = self.add(f"{name}__failed_{number}", "end", element, scope=None, title=title, rule=rule)
            self.link(f"{name}__because_{number}", out, failed, element.id, condition, title=title)
        self.link(f"{name}__good", out, end, element.id, default=True, title="no error")
        self.catches(name, element, f"t_{name}__ended", codes)
        return out

    def catches(self, node: str, element: Element, token: str, codes: list[str]) -> None:
        """Let a result of a node have the errors of an activity that are caught, and no others."""
        self.caught[token] = self.titles[element.id]
        main = self.nodes[node]
        main.options = self.also_writing(main.options, [ERROR])
        given = list(main.options.get("outcomes", []))
        fails = any(each.partition(":")[0].strip() == "FAILED" for each in given)
        if element.person and "child" not in main.rule.options and not fails:
            code = "" if not all(codes) else codes[0]
            failing = f"FAILED: {ERROR} = {quoted(code or 'FAILED')}"
            main.options = {**main.options, "outcomes": [*given, failing]}
        if all(codes):
            said = f"{self.titles[element.id]}: {ERROR} is {' or '.join(codes)}"
            known = ", ".join(map(quoted, codes))
            condition = f"{ERROR} is null or {token} = 0 or {ERROR} in ({known})"
            self.require(f"errors of {node}", shortened(said), condition)

    def ways(self, element: Element) -> list[tuple[Element, Rule | None]]:
        """Return the events that catch an error of an activity, each of another code, up to one of any."""
        own = [each for each in self.process.boundary(element.id) if each.trigger.kind == "error"]
        ways: list[tuple[Element, Rule | None]] = [(each, None) for each in own]
        ways.sort(key=lambda way: not way[0].trigger.code)
        ways += self.catching(element.scope)
        ways += self.caught_by_parents(element.scope)
        found: dict[str, tuple[Element, Rule | None]] = {}
        for way in ways:
            if "" not in found:
                found.setdefault(way[0].trigger.code, way)
        return [*found.values()]

    def caught_by_parents(self, scope: str | None) -> Iterator[tuple[Element, Rule]]:
        """Return the events of the process's parent that catch how its children fail.

        Such an error ends a child, which is an exception then, and that is what the event of its parent
        catches.
        """
        for each in self.process.around(scope):
            host = self.process.elements[each]
            if self.is_apart(host):
                for event, _rule in self.ways(host):
                    yield event, self.uncaught(event.trigger.code or "CHILD")
                return

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
        options = {} if element.id in self.parts else self.options(element)
        self.add(name, "subprocess", element, scope=scope, rule=Rule(sets=sets), options=options)
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
