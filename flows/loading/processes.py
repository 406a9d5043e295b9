"""A file with a process, in BPMN, PDL or as a graph: checked, and published as a flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from flows import api
from flows.engine.rematches import as_report
from flows.languages.bpmn import BadBpmn, Process
from flows.languages.bpmn.document.xml import LARGEST
from flows.languages.graph import BadGraph, Problem
from flows.languages.pdl import Text
from flows.loading.bpmn import ImportedProcess, prepare_bpmn
from flows.loading.graphs import Imported, prepare_graph
from flows.loading.pdl import ImportedWorkflow, prepare_pdl
from flows.models import Flow
from flows.types import Publication, PublishReport

BPMN, PDL, GRAPH = ("bpmn", "bpmn2", "xml"), ("pdl",), ("json", "yaml", "yml", "txt")
ENDINGS = (*BPMN, *PDL, *GRAPH)
_FORMATS = {"yml": "yaml"}

Made = ImportedProcess | ImportedWorkflow | Imported


@dataclass(frozen=True)
class Checked:
    """What the checks of a file found, and what it becomes if nothing prevents it.

    `drawn` is a process in BPMN as far as it could be read.
    """

    problems: Sequence[Problem]
    made: Made | None = None
    report: PublishReport | None = None
    drawn: Process | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Return how many attributes and rules the flow would have."""
        if self.made is None:
            return {}
        return {part: len(self.made.compiled.definition[part]) for part in ("attributes", "triggers")}


def check_file(
    flow: str, name: str, content: bytes, *, declare: bool = False, process: str = ""
) -> Checked:  # fmt: skip
    """Read, check and compile a file, whose name says its format, and try to publish it; change nothing.

    process: which one of a file in BPMN. With `declare`, names that it uses and does not declare become
    attributes. Raises what publishing would raise.
    """
    return _checked(flow, lambda: _prepared(flow, name, content, process, declare=declare))


def check_pdl(flow: str, text: str, workflow: str = "") -> Checked:
    """Do the same for a text in PDL, of whose workflows this one is meant."""
    return _checked(flow, lambda: prepare_pdl(flow, [Text(text)], workflow))


def _checked(flow: str, prepare: Callable[[], Made]) -> Checked:
    try:
        made = prepare()
    except BadGraph as error:
        return Checked(error.problems, drawn=error.process if isinstance(error, BadBpmn) else None)
    drawn = made.made.process if isinstance(made, ImportedProcess) else None
    return Checked(made.warnings, made, try_file(flow, made), drawn)


def is_bpmn(name: str) -> bool:
    """Return whether the name of a file says that it is in BPMN."""
    return name.rpartition(".")[2].lower() in BPMN


def _prepared(flow: str, name: str, content: bytes, process: str, *, declare: bool) -> Made:
    ending = name.rpartition(".")[2].lower()
    if len(content) > LARGEST:
        raise BadGraph([Problem("too_large", _("The file has more than 5 MB."))])
    if ending in BPMN:
        return prepare_bpmn(flow, content, process, declare=declare)
    if ending not in ENDINGS:
        listed = ", ".join(f".{each}" for each in ENDINGS)
        raise BadGraph([Problem("unknown_format", _("Read are files whose names end in %s.") % listed)])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadGraph([Problem("syntax", _("It is not text in UTF-8 (byte %s).") % error.start)]) from error
    if ending in PDL:
        return prepare_pdl(flow, [Text(text.replace("\r\n", "\n").replace("\r", "\n"))])
    return prepare_graph(flow, text, _FORMATS.get(ending, ending))


def publish_file(flow: str, made: Made, actor: str, reason: str) -> Publication:
    """Submit what a file becomes for publication, with the file; create the flow if it is missing.

    Raises WedError; then nothing is changed.
    """
    with transaction.atomic():
        definition = made.compiled.definition
        return api.publications.submit(flow, definition, actor=actor, reason=reason, source=made.source)


def try_file(flow: str, made: Made) -> PublishReport:
    """Return the effect of publishing a file, and change nothing. Raises what publishing would raise."""
    with _created(flow):
        report = api.flows.publish(flow, made.compiled.definition, dry_run=True)
        transaction.set_rollback(True)
    return report


def outcome(done: Publication) -> str:
    """Return the outcome of submitting a definition, as a sentence."""
    if done.version is None:
        return _("Publication %(id)s waits for approval.") % {"id": done.id}
    return _("Version %(v)s is published.") % {"v": done.version}


def report_of(done: Publication) -> PublishReport | None:
    """Return the report of a publication; None if it waits for an approval."""
    return as_report({"dry_run": False} | done.report) if done.report else None


def consequences(report: PublishReport) -> Iterator[str]:
    """Return the consequences of publishing for the values and living instances of a flow, as sentences."""
    counts = {
        _("Attributes that are removed with their values: {}."): report.attributes_removed,
        _("Living instances: {}."): report.checked,
        _("Instances that become exceptions: {}."): report.new_exception,
        _("Instances that become final: {}."): report.final,
        _("Instances that are matched again after this, by the reaper: {}."): report.left,
    }
    yield from (sentence.format(count) for sentence, count in counts.items() if count)
    if report.fired:
        fired = ", ".join(f"{name} ({count})" for name, count in sorted(report.fired.items()))
        yield _("Transitions that fire for them: {}.").format(fired)


@contextmanager
def _created(flow: str) -> Iterator[None]:
    """Create the flow if it is missing, and roll back what follows where it fails."""
    with transaction.atomic():
        if not Flow.objects.filter(name=flow).exists():
            api.flows.create(flow)
        yield
