"""A workflow as attributes and triggers of a flow.

Each activity has an attribute with its state. The database changes it to READY when its rule holds, in the
commit that makes it hold, and a job performs what is READY. The result of the job is SUCCEEDED, unless it
sets the state to FAILED. The instance is final when nothing is READY or RUNNING, and nothing becomes READY;
not while an activity has failed and no rule reads that: then a person decides.

The final condition has all rules, since it is evaluated before the database changes states to READY. Where
that is too long for a condition, a rule is performed last instead, when nothing else is, and sets `finished`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.languages.graph.parts import Compiled
from flows.languages.pdl import options, queries
from flows.languages.pdl.model import (
    FAILED,
    NOT_READY,
    READY,
    RUNNING,
    SUCCEEDED,
    Activity,
    Datum,
    Library,
    Rule,
    TaskModel,
    Workflow,
)
from flows.languages.pdl.names import FINISHED, INSTANCE, Names, slug
from flows.languages.pdl.problems import BadPdl, PdlProblem, problem
from flows.languages.pdl.rules import Attributes, condition, ended, named_states

MOST_COMPILED = 240
"""Activities of a workflow that becomes a flow: a condition names each twice, and has at most 1,000 words."""
MOST_WORDS = 950  # of a final condition with all rules
_WORD = re.compile(r"\w+|'[^']*'|[^\s\w]")
_LONGEST = 10_000  # characters of a condition or of a SET string, as the kernel has it
_STATES = [NOT_READY, READY, RUNNING, SUCCEEDED, FAILED]
_LAST = -32_768  # the priority of what is performed when nothing else is


@dataclass(frozen=True)
class CompiledWorkflow:
    """A workflow and the definition of its flow.

    `names` are those of the transitions of its activities, `states` those of the attributes with their
    states, `data` those of the attributes of its data, all by ids.
    """

    workflow: Workflow
    library: Library
    compiled: Compiled
    names: Mapping[str, str]
    states: Mapping[str, str]
    data: Mapping[str, str]

    @property
    def internal(self) -> list[str]:
        """Return the attributes that only the database writes: what was reached, and that it has finished."""
        made = zip(self.compiled.definition["attributes"], self.compiled.attributes, strict=True)
        return [each["name"] for each, id_ in made if id_ is None and each["name"] != INSTANCE]

    @property
    def facts(self) -> dict[str, Any]:
        """Return the facts that are kept with the flow besides the text: the origins of its parts."""
        return {
            **self.compiled.source_map,
            "attributes": {name: id_ for id_, name in self.states.items()},
            "data": {name: id_ for id_, name in self.data.items()},
            "workflow": self.workflow.id,
            "internal": self.internal,
            "choosing": {},
            "tasks": {
                self.names[each.id]: self._task(each)
                for each in self.workflow.activities
                if not each.is_workflow
            },
        }

    def _task(self, task: Activity) -> dict[str, Any]:
        """Return the facts about a task that no option of its rule has."""
        model = self.library.model(task.model.id)
        application = self.library.application(model.application.id) if model and model.application else None
        return {
            "type": model.type if model else "",
            "reads": [self.data[ref.id] for ref in task.reads],
            "writes": [self.data[ref.id] for ref in task.writes],
            "offline": bool(model and model.offline),
            **({"application": options.facts(application)} if application else {}),
        }


@dataclass
class _Compiler:
    workflow: Workflow
    library: Library
    most_words: int = MOST_WORDS
    attributes: dict[str, Attributes] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    transitions: dict[str, str] = field(default_factory=dict)
    made: list[tuple[dict[str, Any], str | None]] = field(default_factory=list)
    triggers: list[tuple[dict[str, Any], str | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        names, transitions = Names(), Names()
        for datum in self.workflow.data:
            self.data[datum.id] = names.give(datum.id)
        read = named_states(self.workflow.activities)
        for each in self.workflow.activities:
            state = names.give(each.id, "task")
            states = read.get(each.id, set())
            self.attributes[each.id] = Attributes(
                state,
                names.give(f"{state}_has_failed") if FAILED in states else "",
                names.give(f"{state}_has_begun") if RUNNING in states else "",
            )
            self.transitions[each.id] = transitions.give(each.id)

    def compile(self) -> CompiledWorkflow:
        for datum in self.workflow.data:
            self.made.append((_datum(datum, self.data[datum.id]), datum.id))
        label = "name of the instance"
        number = f"{self.workflow.id}_###"
        self.made.append(({"name": INSTANCE, "business_key": True, "default": number, "label": label}, None))
        for each in self.workflow.activities:
            self.declare(each)
            self.begin(each)
            self.perform(each)
        self.end()
        definition = {
            "label": self.workflow.id,
            "final_when_pending": "defer",
            "attributes": [each for each, _id in self.made],
            "triggers": [each for each, _id in self.triggers],
        }
        states = {id_: found.state for id_, found in self.attributes.items()}
        compiled = Compiled(
            definition, tuple(id_ for _each, id_ in self.made), tuple(id_ for _each, id_ in self.triggers)
        )
        return CompiledWorkflow(self.workflow, self.library, compiled, self.transitions, states, self.data)

    def declare(self, activity: Activity) -> None:
        """Add the attributes of an activity."""
        found = self.attributes[activity.id]
        first = NOT_READY if activity.rule is not None else READY
        state = {"name": found.state, "type": "enum", "options": [*_STATES], "default": first}
        self.made.append((state | {"label": activity.id}, activity.id))
        for name, what in ((found.failed, "has failed"), (found.running, "has begun")):
            if name:
                kept = {
                    "name": name,
                    "type": "boolean",
                    "default": "false",
                    "label": f"{activity.id}: {what}",
                }
                self.made.append((kept, None))

    def begin(self, activity: Activity) -> None:
        """Add the rule by which an activity becomes READY; that of a first one is READY at the start."""
        if activity.rule is not None:
            state = self.attributes[activity.id].state
            self.add(activity, "ready", {
                "predicate": self.enabled(activity.id, activity.rule),
                "performer": "database",
                "sets": f"{state} = '{READY}'",
            })  # fmt: skip

    def perform(self, activity: Activity) -> None:
        """Add the job of an activity; before it that of beginning it, where a rule reads RUNNING.

        What a person performs is begun when it is taken.
        """
        found = self.attributes[activity.id]
        own = self.options(activity)
        when = f"{found.state} = '{READY}'"
        if found.running and own.get("performer") != "person":
            sets = f"{found.state} = '{RUNNING}', {found.running} = true"
            self.add(activity, "begin", {"performer": "database", "predicate": when, "sets": sets})
            when = f"{found.state} = '{RUNNING}'"
        failed = "children_failed > 0" if activity.is_workflow else f"{found.state} = '{FAILED}'"
        sets = ended(found, failed)
        result: Any = {"child_result": sets.split(", ")} if activity.is_workflow else {"sets": sets}
        self.add(activity, "", {"predicate": when, **own, **result})

    def options(self, activity: Activity) -> dict[str, Any]:
        """Return the options of the job of an activity."""
        if activity.is_workflow:
            return {"child": slug(activity.model.id)}
        model = self.library.model(activity.model.id)
        assert isinstance(model, TaskModel)  # noqa: S101 - the checks found it
        application = self.library.application(model.application.id) if model.application else None
        found = self.attributes[activity.id]
        written = [found.state, *(self.data[ref.id] for ref in activity.writes)]
        own = options.options(activity, model, application, found)
        form = self.form(activity) if own["performer"] == "person" else None
        return own | {"writes": [*dict.fromkeys(written)]} | ({"form": form} if form else {})

    def form(self, activity: Activity) -> dict[str, Any] | None:
        """Return the form of a task of a person who chooses a row of a query; None for another task."""
        offered = {
            self.data[one.id]: queries.query(one) for one in self.workflow.data if queries.is_of_flow(one)
        }
        reads, writes = ([self.data[ref.id] for ref in refs] for refs in (activity.reads, activity.writes))
        return queries.form(reads, writes, offered)

    def add(self, activity: Activity, step: str, trigger: dict[str, Any]) -> None:
        name = self.transitions[activity.id]
        full = f"{name}__{step}" if step else name
        label = activity.id if step != "ready" else f"{activity.id}: ready"
        label = f"{activity.id}: begin" if step == "begin" else label
        made = {"name": full, "transition": full, "label": label}
        self.triggers.append((made | trigger, activity.id))

    def end(self) -> None:
        """Add the final condition; where it would be too long, a rule that finishes an instance."""
        nothing = " and ".join(self.nothing_left())
        enabled = [
            f"not ({self.enabled(each.id, each.rule)})"
            for each in self.workflow.activities
            if each.rule is not None
        ]
        exact = " and ".join([nothing, *enabled])
        if len(_WORD.findall(exact)) <= self.most_words and len(exact) <= _LONGEST:
            self.triggers.append(({"predicate": exact, "final": True}, None))
            return
        kept = {"name": FINISHED, "type": "boolean", "default": "false", "label": FINISHED}
        self.made.append((kept, None))
        finish = {"name": "finish", "transition": "finish__workflow", "label": "nothing is ready or running"}
        finish |= {"predicate": f"not {FINISHED} and {nothing}", "sets": f"{FINISHED} = true"}
        self.triggers.append((finish | {"performer": "database", "priority": _LAST}, None))
        self.triggers.append(({"predicate": FINISHED, "final": True}, None))

    def nothing_left(self) -> Iterator[str]:
        """Return the conditions that nothing is READY or RUNNING, or has failed although no rule reads it."""
        read = named_states(self.workflow.activities)
        unread = [id_ for id_ in self.attributes if FAILED not in read.get(id_, set())]
        running = [id_ for id_, found in self.attributes.items() if found.running]
        for state, ids in ((READY, [*self.attributes]), (RUNNING, running), (FAILED, unread)):
            if ids:
                yield f"'{state}' <> all (array[{', '.join(self.attributes[id_].state for id_ in ids)}])"

    def enabled(self, id_: str, rule: Rule) -> str:
        """Return the condition that an activity becomes READY."""
        return f"{self.attributes[id_].state} = '{NOT_READY}' and {condition(rule, self.attributes)}"


def _datum(datum: Datum, name: str) -> dict[str, Any]:
    """Return the attribute of data."""
    made: dict[str, Any] = {"name": name, "label": datum.id}
    if queries.is_of_flow(datum):
        return made | {"type": "text"}
    if datum.kind == "STRING":
        return made | {"type": "text", "default": datum.values["VALUE"]}
    if datum.kind == "NUMBER":
        return made | {"type": "numeric", "default": datum.values["VALUE"].lstrip("+")}
    words = {word.lower(): text for word, text in datum.values.items()}
    return made | {"type": "jsonb", "default": json.dumps(words, ensure_ascii=False)}


def compile_workflow(library: Library, id_: str = "", *, most_words: int = MOST_WORDS) -> CompiledWorkflow:
    """Return the flow of a workflow, whose checks found no error. Raises BadPdl.

    id_: which one, where there are several. most_words: of a final condition with all rules.
    """
    workflow = chosen(library, id_)
    count = len(workflow.activities)
    if count > MOST_COMPILED:
        message = f"The workflow has {count} activities; a flow is made of at most {MOST_COMPILED}."
        raise BadPdl([problem("too_large", message, workflow.place, workflow.id)])
    made = _Compiler(workflow, library, most_words).compile()
    too_long = [*_too_long(made)]
    if too_long:
        raise BadPdl(too_long)
    return made


def chosen(library: Library, id_: str) -> Workflow:
    """Return the workflow of an id, the only one for "". Raises BadPdl."""
    found = [each for each in library.workflows if id_ in ("", each.id)]
    listed = ", ".join(f"“{each.id}”" for each in library.workflows)
    if not library.workflows:
        raise BadPdl([PdlProblem("no_workflow", "There is no WORKFLOW in what was read: add its text.")])
    if not found:
        raise BadPdl([PdlProblem("no_workflow", f"There is no workflow “{id_}”, but: {listed}.")])
    if len(found) > 1:
        message = f"There are several workflows: {listed}. Choose one of them."
        raise BadPdl([problem("several_workflows", message, found[1].place, found[1].id)])
    return found[0]


def _too_long(made: CompiledWorkflow) -> list[PdlProblem]:
    """Return the activities whose rules are too long for a condition."""
    places = {each.id: each.place for each in made.workflow.activities}
    found = []
    for trigger, id_ in zip(made.compiled.definition["triggers"], made.compiled.triggers, strict=True):
        longest = max(len(trigger["predicate"]), len(trigger.get("sets", "")))
        if id_ is not None and longest > _LONGEST:
            message = f"Its rule is too long for one condition ({longest} characters): divide it."
            found.append(problem("too_large", message, places[id_], id_))
    return found
