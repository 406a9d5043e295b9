"""Checks of what texts in PDL define: ids, models, applications, and the data of tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from flows.languages.pdl.model import (
    AUTOMATIC,
    MANUAL,
    Activity,
    Application,
    Datum,
    Library,
    Place,
    TaskModel,
    Workflow,
    terms,
)
from flows.languages.pdl.order import check_order
from flows.languages.pdl.problems import PdlProblem, problem
from flows.languages.pdl.queries import check_queries

LARGE = 10_240  # KB of an application that is too large to be taken along
MANY = 3  # other tasks with the same data, or dependents, of a task that is performed offline


def check(library: Library) -> list[PdlProblem]:
    """Return all problems of what was read, errors and warnings."""
    found = [*_doubled(library.workflows), *_doubled(library.models), *_doubled(library.applications)]
    for model in library.models:
        found += _model(library, model)
    for application in library.applications:
        if not all(host.strip() for host in application.hosts):
            message = 'A host has no name: give at least one, such as HOSTS "a.example.org".'
            found.append(problem("no_host", message, application.place, application.id))
    for workflow in library.workflows:
        found += _workflow(library, workflow)
    return found


def _doubled(
    parts: Iterable[Workflow | TaskModel | Application | Activity | Datum],
) -> Iterator[PdlProblem]:
    first: dict[str, Place] = {}
    for each in parts:
        if each.id in first:
            place = first[each.id]
            message = f"“{each.id}” is defined twice, first in line {place.line}: rename or remove one."
            if place.file != each.place.file:
                message = f"“{each.id}” is defined in {place.file}, too: rename or remove one."
            yield problem("doubled_id", message, each.place, each.id)
        first.setdefault(each.id, each.place)


def _model(library: Library, model: TaskModel) -> Iterator[PdlProblem]:
    """Check the application of a model, and what only some types of tasks have."""
    named = model.application
    if named is None and model.type != MANUAL:
        message = f"A task of the type {model.type} has exactly one application: add APPLICATION."
        yield problem("no_application", message, model.place, model.id)
    elif named is not None and model.type == MANUAL:
        message = "A manual task has no application: remove APPLICATION, or choose SEMI_AUTOMATIC."
        yield problem("manual_application", message, named.place, model.id)
    elif named is not None and library.application(named.id) is None and _knows(library, named.id):
        message = f"There is no application “{named.id}”: define it, or correct the name."
        yield problem("unknown_id", message, named.place, model.id)
    if model.retries is not None and model.type != AUTOMATIC:
        message = "RETRIES is only for automatic tasks: remove it."
        yield problem("retries", message, model.place, model.id)
    if model.offline and model.type == AUTOMATIC:
        message = "An automatic task is never performed offline: write DISCONNECTED_OPERATION FALSE."
        yield problem("offline_automatic", message, model.place, model.id)
    application = library.application(named.id) if named is not None else None
    if model.offline and application is not None and application.size > LARGE:
        message = (
            f"Application “{application.id}” has {application.size} KB, which is much to take along offline."
        )
        yield problem("offline_large", message, model.place, model.id, "warning")


def _knows(library: Library, id_: str) -> bool:
    """Return whether an id that is not defined is unknown, and not only unread."""
    return not library.partial and id_ not in library.unread


def _workflow(library: Library, workflow: Workflow) -> Iterator[PdlProblem]:
    yield from _doubled(workflow.activities)
    yield from _doubled(workflow.data)
    yield from _names(library, workflow)
    yield from _data(workflow)
    yield from check_queries(workflow.data)
    yield from _offline(library, workflow)
    yield from check_order(library, workflow)


def _names(library: Library, workflow: Workflow) -> Iterator[PdlProblem]:
    """Check the ids that tasks name, and their roles."""
    data = {each.id for each in workflow.data}
    for each in workflow.activities:
        for ref in (*each.reads, *each.writes):
            if ref.id not in data and _knows(library, ref.id):
                message = (
                    f"There is no FILE, QUERY, STRING or NUMBER “{ref.id}”: define it, or correct the name."
                )
                yield problem("unknown_id", message, ref.place, each.id)
        if each.is_workflow:
            continue
        model = library.model(each.model.id)
        if model is None and _knows(library, each.model.id):
            message = f"There is no model “{each.model.id}” of tasks: define it, or correct the name."
            yield problem("unknown_id", message, each.model.place, each.id)
        elif model is not None and model.type == AUTOMATIC and each.role:
            message = "ROLE is ignored: the task is automatic."
            yield problem("role_ignored", message, each.place, each.id, "warning")
        elif model is not None and model.type != AUTOMATIC and not each.role:
            message = "It has no ROLE: those who handle the cases of the flow may perform it."
            yield problem("no_role", message, each.place, each.id, "warning")


def _data(workflow: Workflow) -> Iterator[PdlProblem]:
    """Warn of data that no task writes or uses."""
    read = {ref.id for each in workflow.activities for ref in each.reads}
    written = {ref.id for each in workflow.activities for ref in each.writes}
    for datum in workflow.data:
        if datum.id not in read | written:
            message = f"No task uses “{datum.id}”: remove it, or name it in a context."
            yield problem("unused", message, datum.place, datum.id, "warning")
        elif datum.id not in written:
            message = f"No task writes “{datum.id}”: tasks read what the text says, or what a start gives."
            yield problem("never_written", message, datum.place, datum.id, "warning")


def _offline(library: Library, workflow: Workflow) -> Iterator[PdlProblem]:
    """Warn of tasks that are performed offline and concern many others."""
    models = {each.id: library.model(each.model.id) for each in workflow.activities if not each.is_workflow}
    offline = [each for each in workflow.activities if (model := models.get(each.id)) and model.offline]
    if not offline:
        return
    uses = Counter(id_ for each in workflow.activities for id_ in _used(each))
    dependents = Counter(
        name for each in workflow.activities for name in {term.activity for term in terms(each.rule)}
    )
    for each in offline:
        shared = [id_ for id_ in sorted(_used(each)) if uses[id_] - 1 > MANY]
        if shared:
            listed = ", ".join(f"“{id_}”" for id_ in shared)
            message = f"More than {MANY} other tasks wait for its data ({listed}) while it is done offline."
            yield problem("offline_shared", message, each.place, each.id, "warning")
        if dependents[each.id] > MANY:
            message = f"{dependents[each.id]} activities depend on it, which wait while it is done offline."
            yield problem("offline_dependents", message, each.place, each.id, "warning")


def _used(activity: Activity) -> set[str]:
    return {ref.id for ref in (*activity.reads, *activity.writes)}
