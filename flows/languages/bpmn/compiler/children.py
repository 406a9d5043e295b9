"""What activities become whose jobs start child instances: call activities, and many at the same time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from flows.languages.bpmn.compiler.events import INTERRUPTED, Events
from flows.languages.bpmn.compiler.graph_parts import joined, quoted
from flows.languages.bpmn.expressions import name_of
from flows.languages.bpmn.model import Assignment, Element, Expression, Loop
from flows.languages.bpmn.performances import counted
from flows.languages.graph.model import Rule

_COUNTS = {
    "instances": "children",
    "completed": "(children_done + children_failed)",
    "active": "(children - children_done - children_failed)",
    "terminated": "children_failed",
}
"""What the counters of a completion condition are while children perform an activity."""


class Children(Events):
    """Adds the nodes of activities that children perform."""

    apart: dict[str, Element]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.apart = {}

    def call(self, name: str, element: Element) -> None:
        """Add a call activity: its job starts instances of another flow."""
        lines = [self.given(each, element) for each in element.inputs]
        if element.loop is not None and element.loop.parallel and not self.gives_item(element):
            lines += self.item(element, element.loop)
        self.starting(name, element, element.calls, lines, self.options(element) | self.compensation(element))

    def many(self, name: str, element: Element) -> None:
        """Add an activity that is performed many times at once: by children of the flow itself."""
        self.apart[self.main(element)] = element
        self.attribute(f"i_{name}", "integer", "0", self.titled(element, "number"))
        self.declare_item(element)
        self.starting(self.main(element), element, self.own, [], {}, "all")
        begin = self.add(f"{name}__each", "begin", element, scope=None, title="begin", rule=Rule(later=True))
        end = self.add(f"{name}__last", "end", element, scope=None, title="end")
        self.link(f"{name}__item", begin, name, element.id, title="waiting")
        self.link(f"{name}__ended", name, self.failed_in_child(name, element, end), element.id,
                  title="performed")  # fmt: skip

    def failed_in_child(self, name: str, element: Element, end: str) -> str:
        """Return the node after an activity that a child of the flow itself performs."""
        raise NotImplementedError

    def starting(
        self, name: str, element: Element, flow: str, lines: list[str], options: Mapping[str, Any],
        title: str = "",
    ) -> None:  # fmt: skip
        """Add a node whose job starts children."""
        found = {
            "child": flow,
            **self.number(element),
            "child_set": lines,
            "child_result": [*self.returned(element)],
            "revalidate": "withdraw" if self.withdraws else "",
        }
        made = {key: value for key, value in found.items() if value}
        options = self.also_writing(options, [each.target for each in element.outputs])
        rule = Rule(made, sets=self.resets(element))
        self.add(name, "task", element, scope=element.scope, title=title, options=options, rule=rule)

    def also_writing(self, options: Mapping[str, Any], names: list[str]) -> Mapping[str, Any]:
        """Return options with what the import has a result write, where they list what it may write."""
        if "writes" not in options:
            return options
        return {**options, "writes": [*dict.fromkeys([*options["writes"], *names])]}

    def resets(self, host: Element) -> str:
        """Return the assignments when an activity is left."""
        raise NotImplementedError

    def number(self, element: Element) -> dict[str, str]:
        """Return the options that say how many children there are, and how many are waited for."""
        found = element.loop
        if found is None or not found.parallel:
            return {}
        given = {"child_count": self.count(element, found)}
        if found.until is not None:
            until = counted(self.sql(found.until, element.id), _COUNTS)
            given["child_wait"] = f"case when coalesce(({until}), false) then 0 else children end"
            given["child_rest"] = "cancel"
        return given

    def count(self, element: Element, found: Loop) -> str:
        """Return how often an activity is performed, as SQL: null for what is no array."""
        if found.items is not None:
            items = self.items(element, found)
            return (
                f"case when {items} is null or jsonb_typeof({items}) = 'null' then 0 "
                f"when jsonb_typeof({items}) = 'array' then jsonb_array_length({items}) end"
            )
        return self.one_line(found.times, element) if found.times is not None else "0"

    def items(self, element: Element, found: Loop) -> str:
        """Return the collection of an activity as SQL."""
        return f"({self.one_line(found.items, element)})" if found.items is not None else ""

    def one_line(self, expression: Expression, element: Element) -> str:
        return re.sub(r"\s*\n\s*", " ", self.sql(expression, element.id)).strip()

    def item(self, element: Element, found: Loop) -> list[str]:
        """Return the assignment of an item of the collection to a child, if there is one."""
        if not found.item or found.items is None:
            return []
        return [
            f"{found.item} = {self.item_value(found.item, self.items(element, found), '(child_number - 1)')}"
        ]

    def gives_item(self, element: Element) -> bool:
        """Return whether an input of a call has the item of its collection as its value."""
        return any(self.is_item(each, element) for each in element.inputs)

    def is_item(self, each: Assignment, element: Element) -> bool:
        found = element.loop
        if found is None or not found.parallel or found.items is None or not found.item:
            return False
        return name_of(each.source) == found.item

    def given(self, each: Assignment, element: Element) -> str:
        """Return the assignment of an input of a call, which may be the item of its collection."""
        found = element.loop
        if found is None or not self.is_item(each, element):
            return self.passed(each, element)
        value = self.item_value(found.item, self.items(element, found), "(child_number - 1)")
        return f"{each.target} = {value}"

    def item_value(self, item: str, items: str, number: str) -> str:
        """Return an item of a collection as a value of the type of its attribute."""
        type_ = self.type_of(item)
        if type_ in ("", "jsonb"):
            return f"{items} -> {number}"
        return f"({items} ->> {number})::{'text' if type_ == 'enum' else type_}"

    def declare_item(self, element: Element) -> None:
        """Add the attribute for an item of the collection, if the process does not declare it."""
        if element.loop is not None and element.loop.item and not self.type_of(element.loop.item):
            self.attribute(element.loop.item, "jsonb", None, self.titled(element, "item"))

    def passed(self, each: Assignment, element: Element) -> str:
        return f"{each.target} = {self.one_line(each.source, element)}"

    def returned(self, element: Element) -> Iterator[str]:
        """Return the assignments of what children return: of many, an array."""
        for each in element.outputs:
            source = name_of(each.source)
            if not source:
                self.note("bad_expression", "What a child returns is one of its attributes.", element)
            elif element.loop is not None and element.loop.parallel:
                found = f"""jsonb_path_query_array(children_states, '$[*]."{source}"')"""
                yield f"{each.target} = coalesce({found}, '[]')"
            else:
                yield f"{each.target} = (children_states -> 0) -> '{source}'"

    def failing(self, element: Element, error: str, codes: list[str]) -> None:
        """Let a job end with an error as soon as a child failed; its other children are cancelled.

        Without an event that catches any error, the empty code, only errors with these codes count; other
        exceptions are waited for.
        """
        made = self.nodes[self.main(element)]
        many = element.loop is not None and element.loop.parallel
        known = [code for code in codes if code]
        ended = error_of(known, many=many) if known else "null"
        failed = f"coalesce({ended}, 'CHILD')" if known else "'CHILD'"
        caught = failed if "" in codes else ended
        results = [*made.rule.options.get("child_result", [])]
        results.append(f"{error} = case when children_failed > 0 then {caught} end")
        given = {**made.rule.options, "child_rest": "cancel", "child_result": results}
        given |= {"child_exception": "fail"} if "" in codes else {"child_errors": known}
        if many:
            others = given.get("child_wait", "children")
            stops = "children_failed > 0" if "" in codes else f"children_failed > 0 and {ended} is not null"
            given["child_wait"] = f"case when {stops} then 0 else {others} end"
        made.rule = replace(made.rule, options=given)

    def set_first_values(self, start: tuple[str, ...]) -> None:
        """Set the first values of the children of the flow itself, now that all its parts are known.

        They have the data of their parent without its business key, and a token before the activity.
        """
        for main, element in self.apart.items():
            name, found = self.names[element.id], element.loop
            lines = [f"t_{edge} = 0" for edge in start]
            lines += ["tokens = 1", f"t_{name}__item = 1", f"i_{name} = child_number"]
            own = self.item(element, found) if found is not None else []
            taken = {line.split(" ", 1)[0] for line in own}
            lines += own + [f"{each} = {each}" for each in self.inherited(name) if each not in taken]
            if INTERRUPTED in self.extra:
                lines.append(f"{INTERRUPTED} = 1")
            made = self.nodes[main]
            made.rule = replace(made.rule, options={**made.rule.options, "child_set": lines})

    def inherited(self, name: str) -> Iterator[str]:
        """Return the attributes that a child has from its parent."""
        for each in self.process.data:
            if not each.options.get("business_key"):
                yield str(each.options["name"])
        for element in self.apart.values():
            if self.names[element.id] != name:
                yield f"i_{self.names[element.id]}"

    def has_children(self, element: Element) -> bool:
        """Return whether children perform an activity."""
        return element.tag == "callActivity" or self.is_apart(element)

    def performed_by_worker(self, name: str, element: Element) -> None:
        """Add what performs an activity once."""
        apart = self.is_apart(element)
        scope = None if apart else element.scope
        sets = "" if apart else self.resets(element)
        if element.tag == "receiveTask":
            self.waiting(name, element, scope=scope, sets=sets)
        elif element.tag == "scriptTask":
            text = element.expression.text.strip().rstrip(";") if element.expression is not None else ""
            text = joined(text, *(self.passed(each, element) for each in element.outputs))
            rule = Rule({"performer": "database"}, sets=joined(text, sets))
            options = self.options(element) | self.compensation(element)
            self.add(name, "task", element, scope=scope, options=options, rule=rule)
        else:
            self.worker(name, element, scope=scope, sets=sets)


def error_of(codes: list[str], *, many: bool) -> str:
    """Return the error with which a child ended, of these codes, as SQL: of many, that of the first one."""
    if many:
        wanted = " || ".join(f"@ == {json.dumps(code)}" for code in codes)
        path = quoted(f"$[*].ended_by ? ({wanted})")
        return f"(jsonb_path_query_array(children_states, {path}) ->> 0)"
    ended = "((children_states -> 0) ->> 'ended_by')"
    return f"case when {ended} in ({', '.join(map(quoted, codes))}) then {ended} end"
