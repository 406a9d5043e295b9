"""What activities become that are repeated within their instance: loops, and one item after another.

What a repetition counts belongs to one performance of the activity: it is set where the activity begins,
so that no way of leaving it can keep it. Number and items of a multi-instance activity are those of its
beginning.
"""

from __future__ import annotations

from flows.languages.bpmn.compiler.boundaries import Boundaries
from flows.languages.bpmn.compiler.graph_parts import joined
from flows.languages.bpmn.model import Element, Loop
from flows.languages.bpmn.performances import counted
from flows.languages.bpmn.titles import shortened
from flows.languages.graph.model import Rule


class Repetitions(Boundaries):
    """Adds the nodes around an activity that is repeated."""

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
        if found.before and not most:
            return test, leave
        begin = self.add(f"{name}__begin", "none", element, title="begin")
        self.link(f"{name}__first", begin, test if found.before else first, element.id, title="first")
        if most:
            self.begun(begin, leave, element, found)
        return begin, leave

    def begun(self, begin: str, leave: str, element: Element, found: Loop) -> None:
        """Set what the activity counts where it begins; a second token waits until it has been left."""
        name = self.names[element.id]
        sets = [f"i_{name} = {0 if found.before else 1}"]
        number = self.number_of(element, found)
        if self.is_computed(number):
            sets.append(f"m_{name} = {number}")
        if found.items is not None and found.item:
            self.attribute(f"l_{name}", "jsonb", None, self.titled(element, "items"))
            sets.append(f"l_{name} = {self.items(element, found)}")
            self.nodes[leave].rule = Rule(sets=f"l_{name} = null")
        inner = [edge for edge in self.edges.values() if edge.path == (element.id,) and edge.target != leave]
        free = [f"t_{edge.name} = 0" for edge in inner]
        free += [f"a_{name} = 0"] if self.is_inside(element) else []
        self.nodes[begin].rule = Rule(when=" and ".join(free), sets=joined(*sets))

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
        """Return the assignments of a repetition: its number, and the item of its collection."""
        self.attribute(counter, "integer", "0", self.titled(element, "repetitions"))
        sets = f"{counter} = case when {again} then {counter} + 1 else 0 end"
        if found.items is None or not found.item:
            return sets
        self.declare_item(element)
        value = self.item_value(found.item, f"l_{self.names[element.id]}", counter)
        return f"{sets}, {found.item} = case when {again} then {value} end"

    def times(self, element: Element, found: Loop) -> str:
        """Return how often an activity is repeated at most, a number or an attribute; empty for no limit."""
        if found.items is None and found.times is None:
            if found.most and not found.most.isdigit():
                self.note("bad_option", "The maximum of the loop is no whole number.", element)
            return found.most
        number = self.number_of(element, found)
        if not self.is_computed(number):
            return number
        name = self.names[element.id]
        most = self.attribute(f"m_{name}", "integer", "0", self.titled(element, "number of repetitions"))
        of = found.items or found.times
        what = "an array or empty" if found.items is not None else "a number from 0"
        said = f"{self.titles[element.id]}: {of.text if of is not None else ''} is {what}"
        self.require(f"repetitions of {name}", shortened(said), f"coalesce({most}, -1) >= 0")
        return most

    def number_of(self, element: Element, found: Loop) -> str:
        """Return the number of a multi-instance activity as SQL, empty for a loop."""
        return "" if found.items is None and found.times is None else self.count(element, found)

    def is_computed(self, number: str) -> bool:
        return bool(number) and not number.isdigit()
