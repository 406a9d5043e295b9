"""Helpers for tests of PDL: texts, and a kit whose flow is a workflow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flows import api
from flows.languages.pdl import CompiledWorkflow, Text, compile_workflow, read
from flows.tests.kit import Kit
from flows.tests.people import done, failed, is_task, pending

CORPUS = Path(__file__).parents[1] / "corpus"
PRINTED, MODELS = CORPUS / "manutencao.pdl", CORPUS / "manutencao_models.pdl"
MANUAL = "TASK m { TYPE MANUAL; PRIORITY 1; DISCONNECTED_OPERATION FALSE; }\n"
AUTOMATIC = (
    "TASK auto { TYPE AUTOMATIC; APPLICATION app; PRIORITY 1; DISCONNECTED_OPERATION FALSE; RETRIES 1; }\n"
    'APPLICATION app { FILENAME "/bin/true"; SIZE 1; OS "Linux"; CPU "any"; HOSTS "one", "two"; }\n'
)


def texts() -> list[Text]:
    """Return the example of the dissertation, and the models that it does not print."""
    return [Text(path.read_text(encoding="utf-8"), path.name) for path in (PRINTED, MODELS)]


def workflow(*tasks: str, models: str = MANUAL + AUTOMATIC) -> str:
    """Return a text with a workflow of these tasks, such as "b: m { DEPENDS a -> FAIL; }"."""
    lines = (f"  {'' if each.startswith('SUB-') else 'TASK '}{each}\n" for each in tasks)
    return f"WORKFLOW w {{\n{''.join(lines)}}}\n{models}"


def compiled(*tasks: str) -> CompiledWorkflow:
    """Return the flow of a workflow of these tasks."""
    return compile_workflow(read(workflow(*tasks))[0])


def publish(kit: Kit, *tasks: str) -> CompiledWorkflow:
    """Make a workflow of these tasks the flow of the kit."""
    made = compiled(*tasks)
    api.flows.publish(kit.name, made.compiled.definition, conn=kit.conn)
    return made


def perform(kit: Kit, name: str, wid: int, *, fails: bool = False, **changes: Any) -> str:
    """Perform a pending job, or let it fail, and return the status of the instance."""
    if fails and is_task(kit, pending(kit, name, wid)):
        assert failed(kit, name, wid) == "FAILED"
        return kit.status(wid)
    return done(kit, name, wid, **changes, **({name: "FAILED"} if fails else {}))


def states(kit: Kit, wid: int, made: CompiledWorkflow) -> dict[str, Any]:
    """Return the states of the activities of an instance by their ids."""
    state = kit.state(wid)
    return {id_: state[name] for id_, name in made.states.items()}
