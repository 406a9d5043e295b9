"""Writes PDL as the printed grammar has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flows.languages.pdl.model import (
    FAILED,
    Activity,
    Application,
    Datum,
    Library,
    Ref,
    Rule,
    TaskModel,
    Term,
    Workflow,
)


def write(library: Library) -> str:
    """Return a text that defines the same; it is strict where no number has a fraction."""
    made = [
        *map(_workflow, library.workflows),
        *map(_model, library.models),
        *map(_application, library.applications),
    ]
    return "\n\n".join(made) + "\n"


def _block(header: str, clauses: Iterable[str], indent: str = "") -> str:
    lines = "".join(f"{indent}  {clause};\n" for clause in clauses)
    return f"{indent}{header} {{\n{lines}{indent}}}"


def _workflow(workflow: Workflow) -> str:
    inner = [*map(_datum, workflow.data), *map(_activity, workflow.activities)]
    return "\n".join([f"WORKFLOW {workflow.id} {{", *inner, "}"])


def _datum(datum: Datum) -> str:
    texts = datum.values.items()
    clauses = (f"{word} {text if datum.kind == 'NUMBER' else quoted(text)}" for word, text in texts)
    return _block(f"{datum.kind} {datum.id}", clauses, "  ")


def _activity(activity: Activity) -> str:
    word = "SUB-WORKFLOW" if activity.is_workflow else "TASK"
    return _block(f"{word} {activity.id}: " + activity.model.id, _clauses(activity), "  ")


def _clauses(activity: Activity) -> Iterator[str]:
    rule = activity.rule
    if rule is not None:
        yield f"DEPENDS {f'AND ({_rule(rule)})' if isinstance(rule, Term) else _rule(rule)}"
    if activity.reads:
        yield f"IN_CONTEXT {_ids(activity.reads)}"
    if activity.writes:
        yield f"OUT_CONTEXT {_ids(activity.writes)}"
    if activity.role:
        yield f"ROLE {activity.role}"
    if activity.description:
        yield f"DESCRIPTION {quoted(activity.description)}"


def _ids(refs: Iterable[Ref]) -> str:
    return ", ".join(ref.id for ref in refs)


def _rule(rule: Rule) -> str:
    if isinstance(rule, Term):
        return f"{rule.activity} -> {'FAIL' if rule.state == FAILED else rule.state}"
    return f"{rule.operator} ({', '.join(map(_rule, rule.parts))})"


def _model(model: TaskModel) -> str:
    clauses = [f"TYPE {model.type}"]
    clauses += [f"APPLICATION {model.application.id}"] if model.application else []
    clauses += [f"PRIORITY {model.priority}"]
    clauses += [f"DEADLINE {model.deadline.number} {model.deadline.unit}"] if model.deadline else []
    clauses += [f"DISCONNECTED_OPERATION {'TRUE' if model.offline else 'FALSE'}"]
    clauses += [f"RETRIES {model.retries}"] if model.retries is not None else []
    return _block(f"TASK {model.id}", clauses)


def _application(application: Application) -> str:
    clauses = [
        f"FILENAME {quoted(application.filename)}",
        f"SIZE {application.size}",
        f"OS {quoted(application.os)}",
        f"CPU {quoted(application.cpu)}",
        *([f"INSTALLER {quoted(application.installer)}"] if application.installer else []),
        f"HOSTS {', '.join(map(quoted, application.hosts))}{' BY LOAD' if application.by_load else ''}",
    ]
    return _block(f"APPLICATION {application.id}", clauses)


def quoted(text: str) -> str:
    """Return a text in quotes; no text of PDL has one within."""
    return f'"{text}"'
