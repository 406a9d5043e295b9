"""What start events become. An attribute says which signal or time started an instance that has several."""

from __future__ import annotations

from flows.languages.bpmn import times
from flows.languages.bpmn.compiler.graph_parts import quoted
from flows.languages.bpmn.compiler.signals import Signals
from flows.languages.bpmn.model import Element
from flows.languages.bpmn.names import slug
from flows.languages.bpmn.problems import BpmnProblem

STARTED_BY = "started_by"


class Starts(Signals):
    """Adds the nodes of start events."""

    def start(self, name: str, element: Element) -> None:
        """Add a start event, of several ones of the process as one of the ways of a gateway."""
        sources = self.source(element) if element.scope is None else []
        self.check_kind(element)
        starts = [each for each in self.process.inner(element.scope) if each.tag == "startEvent"]
        if len(starts) == 1 or element.scope is not None:
            if element is not starts[0]:
                self.note("unsupported", "A sub-process has one start event.", element)
            self.exit[element.id] = self.add(name, "begin", element)
            return
        self.exit[element.id] = self.add(name, "none", element)
        usual = next((each for each in starts if each.trigger.kind == "none"), starts[0])
        if element is usual:
            self.choosing(name, element)
        self.way(name, element, usual, sources)

    def check_kind(self, element: Element) -> None:
        """Reject a start event with an event that does not start what contains it."""
        kind, outer = element.trigger.kind, self.process.elements.get(element.scope or "")
        allowed = ("none", "message", "signal", "timer") if outer is None else ("none",)
        if kind not in allowed and (outer is None or not outer.by_event):
            message = f"A start event of the process with {kind} is not supported."
            if outer is not None:
                message = f"A start event of a sub-process with {kind} is not supported."
            self.note("unsupported", message, element)

    def source(self, element: Element) -> list[str]:
        """Return the signal or the times by which a start event starts instances."""
        kind, found = element.trigger.kind, []
        if kind in ("message", "signal"):
            found = [slug(element.trigger.name)]
            self.start_by += found
        elif kind == "timer":
            found = self.start_times(element)
            self.start_at += found
        return found

    def choosing(self, name: str, element: Element) -> None:
        """Add the beginning, and the gateway that chooses the start event."""
        self.attribute(STARTED_BY, "text", None, "started by")
        self.extra[STARTED_BY]["start_source"] = True
        self.add(f"{name}__begin", "begin", element, title="begin")
        self.add(f"{name}__which", "exclusive", element, title="which start")
        self.link(f"{name}__begun", f"{name}__begin", f"{name}__which", element.id, title="begun")

    def way(self, name: str, element: Element, usual: Element, own: list[str]) -> None:
        """Add the way to one of several start events; instances that nothing starts take the usual one."""
        sources = [*self.start_by, *self.start_at]
        if element.trigger.kind == "none" and element is not usual:
            own = [slug(element.name or element.id)]
            message = (
                f"“{self.titles[usual.id]}” has no event either: an instance begins there unless it is "
                f"started with {STARTED_BY} = “{own[0]}”."
            )
            place = (element.line, element.column, "warning", self.origin(element.id))
            self.warnings.append(BpmnProblem("several_starts", message, *place))
        elif any(sources.count(each) > 1 for each in own):
            self.note("unsupported", "Another start event has the same message or time.", element)
        condition = None
        if element is not usual:
            condition = " or ".join(f"{STARTED_BY} = {quoted(each)}" for each in own or [""])
        which = f"{self.names[usual.id]}__which"
        self.link(
            f"{name}__start", which, name, element.id, condition, default=element is usual, title="start"
        )

    def start_times(self, element: Element) -> list[str]:
        """Return the times at which a timer starts instances; none if it has none."""
        timer = element.trigger.expression
        found = times.starts(element.trigger.form, timer.text) if timer is not None else []
        if timer is not None and not found:
            self.note("bad_time", times.problem(timer.text, element.trigger.form, starts=True), element)
        return found
