"""What a drawing leaves out, added to its process, with a warning where BPMN does not say what it means."""

from __future__ import annotations

from flows.languages.bpmn.additions.adhoc_subprocesses import add_adhoc
from flows.languages.bpmn.additions.beginnings import (
    add_beginnings,
    add_ends_of_events,
    add_ends_of_starts,
    add_last_ends,
)
from flows.languages.bpmn.additions.choices import add_choices
from flows.languages.bpmn.additions.compensations import add_compensations
from flows.languages.bpmn.additions.event_subprocesses import add_event_subprocesses
from flows.languages.bpmn.additions.event_ways import add_event_ways
from flows.languages.bpmn.additions.link_pairs import pair_links
from flows.languages.bpmn.additions.loose_compensations import tie_compensations
from flows.languages.bpmn.additions.misplaced_events import place_events
from flows.languages.bpmn.additions.misplaced_flows import place_flows
from flows.languages.bpmn.additions.open_repetitions import add_ends
from flows.languages.bpmn.additions.placeholders import add_placeholders
from flows.languages.bpmn.additions.programs import leave_programs
from flows.languages.bpmn.additions.several_events import add_single_events
from flows.languages.bpmn.additions.sketch import Sketch
from flows.languages.bpmn.additions.unread_times import leave_times
from flows.languages.bpmn.additions.unread_values import leave_values
from flows.languages.bpmn.model import Process


def completed(process: Process) -> Sketch:
    """Return a process with what its drawing leaves out; the file is left as it is."""
    sketch = Sketch(process)
    add_adhoc(sketch)
    place_flows(sketch)
    place_events(sketch)
    pair_links(sketch)
    add_event_ways(sketch)
    add_event_subprocesses(sketch)
    add_single_events(sketch)
    leave_times(sketch)
    add_beginnings(sketch)
    add_last_ends(sketch)
    add_ends_of_starts(sketch)
    add_ends_of_events(sketch)
    add_placeholders(sketch)
    leave_values(sketch)
    leave_programs(sketch)
    add_ends(sketch)
    add_choices(sketch)
    tie_compensations(sketch)
    add_compensations(sketch)
    return sketch
